"""The dendrogram: all merges, clusters in their colours, names where they fit."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage

import rbhmc
from plots.figures import TREE, assert_clear, axes, texts_of, tree_of
from rbhmc import InvalidInput, Tree
from rbhmc.plots import node_colors, plot_dendrogram
from rbhmc.plots.dendrogram import cut_heights, merge_clusters, place_links
from rbhmc.plots.palette import NEUTRAL
from support import ONE_DRAW
from tree.consensus import consensus_tree, with_consensus


def grouped_shares(n: int, seed: int = 0) -> NDArray[np.float64]:
    """Make shares that are high within each of four groups of a random order."""
    rng = np.random.default_rng(seed)
    group = rng.permutation(n) % 4
    shares: NDArray[np.float64] = (
        0.1 + 0.5 * (group[:, None] // 2 == group // 2) + 0.3 * (group[:, None] == group)
    )
    noise = 0.1 * rng.random((n, n))
    shares = shares - noise - noise.T
    np.fill_diagonal(shares, 1.0)
    return shares.clip(0.0, 1.0)


def colors_of(lines: LineCollection) -> list[str]:
    return [to_hex(color) for color in np.asarray(lines.get_colors())]


def test_descriptions_that_would_be_cut_off_are_left_out() -> None:
    tree, Z = consensus_tree(grouped_shares(40), 4)
    X = 9.0 * np.eye(len(tree.leaves))[tree.leaf_labels]
    names = [f"a rather long name of column {number}" for number in range(X.shape[1])]
    described = Tree.from_labels(tree.paths, X=X, feature_names=names)
    texts = {width: texts_of(plot_dendrogram(Z, described, ax=axes(width))) for width in (3.0, 9.0)}
    assert any("rather long" in text for text in texts[9.0])
    assert not any("a rather" in text for text in texts[3.0])
    assert {node.id for node in described.clusters} <= set(texts[3.0])


@pytest.mark.parametrize(("n_items", "named"), [(33, True), (150, True), (151, False)])
def test_items_are_named_where_names_fit(n_items: int, named: bool) -> None:
    names = [f"item {number}" for number in range(n_items)]
    tree, Z = consensus_tree(grouped_shares(n_items), 4, names)
    ax = plot_dendrogram(Z, tree)
    assert (set(names) <= set(texts_of(ax))) is named
    assert named or {node.id for node in tree.clusters} <= set(texts_of(ax))
    assert_clear(ax.figure)
    small = plot_dendrogram(Z, tree, ax=axes(4.0, 2.5))
    assert not set(names) & set(texts_of(small))
    assert_clear(small.figure)


def test_merges_within_a_cluster_have_its_colour() -> None:
    tree, Z = consensus_tree(grouped_shares(33), 4)
    ax = plot_dendrogram(Z, tree, ax=axes(6.0, 6.0))
    assert not pyplot.get_fignums()
    (lines,) = (each for each in ax.collections if isinstance(each, LineCollection))
    assert len(lines.get_segments()) == 32
    counts = {color: colors_of(lines).count(color) for color in colors_of(lines)}
    colors = node_colors(tree)
    expected = {colors[node.id].lower(): node.size - 1 for node in tree.clusters if node.size > 1}
    assert counts == expected | {NEUTRAL.lower(): 3}


def test_items_are_in_the_order_of_the_tree() -> None:
    tree, Z = consensus_tree(grouped_shares(33), 4)
    order = place_links(Z, np.argsort(tree.item_order)).order
    labels = tree.labels[order]
    assert np.flatnonzero(np.diff(labels)).size == 3  # clusters are contiguous
    assert set(order) == set(range(33))


def test_without_ranks_the_order_is_that_of_scipy() -> None:
    Z = linkage(np.random.default_rng(0).random((20, 2)), "ward")
    rank = np.argsort(leaves_list(Z))
    assert np.array_equal(place_links(Z, rank).order, leaves_list(Z))


def test_parts_are_between_their_own_parts() -> None:
    Z = linkage(np.random.default_rng(0).random((20, 2)), "average")
    links = place_links(Z, np.arange(20))
    row = dict(zip(links.order.tolist(), np.arange(20) + 0.5, strict=True))
    for number, (merge, rows) in enumerate(zip(Z, links.rows, strict=True), start=20):
        assert rows.tolist() == [row[int(merge[0])], row[int(merge[1])]]
        row[number] = rows.mean()
    assert np.array_equal(links.heights[:, 2], Z[:, 2])
    assert merge_clusters(Z, np.zeros(20, int)).tolist() == [0] * 19


def test_a_linkage_without_a_tree_is_grey_and_has_numbers() -> None:
    Z = linkage(np.random.default_rng(0).random((6, 2)), "ward")
    ax = plot_dendrogram(5.0 * Z * [0.2, 0.2, 1.0, 0.2], ax=axes())
    assert {str(item) for item in range(6)} <= set(texts_of(ax))
    assert "height" in texts_of(ax)
    (lines,) = ax.collections
    assert isinstance(lines, LineCollection)
    assert set(colors_of(lines)) == {NEUTRAL.lower()}
    assert_clear(ax.figure)


def test_a_sample_of_the_items_says_so() -> None:
    tree = tree_of(300)
    sample = np.arange(0, 300, 10)
    Z = Tree.from_labels(tree.paths[sample]).to_linkage()
    ax = plot_dendrogram(Z, tree, items=sample)
    assert any(text.startswith("a sample of 30 of 300 items") for text in texts_of(ax))
    assert {f"item {item}" for item in sample} <= set(texts_of(ax))
    assert_clear(ax.figure)


def test_a_chain_of_thousands_of_merges_is_drawn() -> None:
    n = 5000
    chain = np.array([[k, n + k - 2 if k > 1 else 0, k / n, k + 1] for k in range(1, n)])
    ax = plot_dendrogram(chain, ax=axes())
    assert len(ax.collections) == 1


@pytest.fixture(scope="module")
def model() -> rbhmc.RBHMC:
    X = np.random.default_rng(0).normal(size=(24, 2)) + 6.0 * (np.arange(24) % 3)[:, None]
    return rbhmc.RBHMC(**ONE_DRAW, n_chains=2, n_warmup=50, n_draws=20, random_state=0).fit(X)


def test_models(model: rbhmc.RBHMC) -> None:
    with pytest.raises(InvalidInput, match="the model has no dendrogram_; give a linkage"):
        plot_dendrogram(model)
    with_consensus(model, 3)
    ax = plot_dendrogram(model)
    # Items without names are not listed, but their clusters are described.
    assert not set(model.tree_.names[3:]) & set(texts_of(ax))
    for node in model.tree_.clusters:
        described = model.tree_.describe()[node.id]
        # There is room for as many lines as items.
        lines = [node.id, described.count, *described.mentions][: node.size]
        assert set(lines) <= set(texts_of(ax))
    assert_clear(ax.figure)
    assert "clusters" in texts_of(rbhmc.plots.plot_co_occurrence(model))
    plane = rbhmc.plots.plot_plane(model)
    points = [each for each in plane.collections if isinstance(each, PathCollection)]
    shown = {to_hex(np.asarray(dots.get_facecolor())[0]) for dots in points}
    colors = node_colors(model.tree_)
    assert shown == {colors[node.id].lower() for node in model.tree_.clusters}
    for level in (1, -1):
        assert rbhmc.plots.plot_co_occurrence(model, level=level).images
        assert rbhmc.plots.plot_plane(model, level=level).images
    pyplot.close("all")


@pytest.mark.parametrize(
    ("linkage", "options", "message"),
    [
        (np.zeros((3, 3)), {}, r"linkage has shape \(3, 3\); it must have shape \(n - 1, 4\)"),
        (np.zeros((7, 4)), {}, "linkage is not a linkage matrix of SciPy"),
        ([[0, 1, np.nan, 2]], {}, r"linkage\[0, 2\] is nan"),
        ([[0, 0.5, 1, 2]], {}, "merges unknown clusters"),
        ([[0, 1e300, 1, 2]], {}, "merges unknown clusters"),
        ([[0, 2, 1, 2]], {}, "not a linkage matrix of SciPy"),
        ([[1, 1, 1, 2]], {}, "merges a cluster twice"),
        ([[0, 1, 1, 2.5]], {}, "the sizes do not add up"),
        ([[0, 1, -1, 2]], {}, "a height is negative"),
        ("chain", {}, "linkage has dtype"),
        (TREE.to_linkage(), {"items": [0, 1]}, r"items has shape \(2,\), of 8 items"),
        (TREE.to_linkage(), {"items": np.arange(8) + 1}, "whole numbers from 0 to 7"),
        (tree_of(10).to_linkage(), {}, "linkage merges 10 items"),
    ],
)
def test_invalid_arguments(linkage: object, options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        plot_dendrogram(linkage, TREE, **options)  # type: ignore[arg-type]


def dashed_line(ax: Axes) -> Line2D:
    (line,) = (each for each in ax.lines if each.get_linestyle() == "--")
    return line


def test_the_cut_crosses_the_branch_of_each_cluster_and_nothing_else() -> None:
    tree, Z = consensus_tree(grouped_shares(33), 4)
    heights = cut_heights(Z, tree.labels)
    assert sorted(heights) == [0, 1, 2, 3]
    for cluster, height in heights.items():
        clusters = merge_clusters(Z, tree.labels)
        assert Z[clusters == cluster, 2].max(initial=0.0) <= height
        assert height <= Z[clusters == -1, 2].max()
    line = dashed_line(plot_dendrogram(Z, tree, ax=axes(6.0, 6.0)))
    assert np.asarray(line.get_xdata()).shape == (8,)


def test_one_height_cuts_all_where_there_is_one() -> None:
    Z = np.array([[0, 1, 0.1, 2], [2, 3, 0.4, 2], [4, 5, 0.9, 4]])
    assert cut_heights(Z, np.array([0, 0, 1, 1])) == {0: 0.65, 1: 0.65}
    # Two items are clusters of their own although they join below the other cluster.
    assert cut_heights(Z, np.array([0, 2, 1, 1])) == {0: 0.05, 1: 0.65, 2: 0.05}


def test_labels_that_are_not_parts_of_the_linkage_have_no_cut() -> None:
    Z = np.array([[0, 1, 0.1, 2], [2, 3, 0.4, 2], [4, 5, 0.9, 4]])
    assert cut_heights(Z, np.array([0, 1, 0, 1])) == {}
