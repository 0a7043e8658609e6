"""The tree as a figure: it is complete, and no texts overlap, whatever the size of the axes."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch

from plots.figures import NAMES, TREE, assert_clear, axes, support_of, texts_of, tree_of
from rbhmc import RBHMC
from rbhmc.datasets import load_animals
from rbhmc.plots import node_colors, plot_co_occurrence, plot_dendrogram, plot_tree
from rbhmc.plots.collapse import collapse, hide_unsupported
from rbhmc.plots.inputs import axes_size
from rbhmc.plots.palette import luminance
from rbhmc.plots.tree_layout import HEADER
from rbhmc.tree import Tree
from tree.cases import PROPERTY, deepest, many_labels, trees
from tree.consensus import consensus_tree

SIZES = [10, 33, 100, 300]
FEW = settings(PROPERTY, max_examples=15)


def n_shown(ax: Axes, tree: Tree) -> int:
    """Count the items that are named, and those in "+n"."""
    text = " ".join(texts_of(ax))
    named = set(re.findall(r"item \d+", text))
    assert named <= set(tree.names)
    return len(named) + sum(int(n) for n in re.findall(r"\+(\d+)", text))


@pytest.mark.parametrize("n_items", SIZES)
def test_all_items_are_shown_and_no_texts_overlap(n_items: int) -> None:
    tree = tree_of(n_items)
    ax = plot_tree(tree.with_support(support_of(tree)), max_items=6)
    assert n_shown(ax, tree) == n_items
    assert_clear(ax.figure)
    assert {node.id for node in tree.nodes if node.parent} <= set(texts_of(ax))


@pytest.mark.parametrize(
    ("n_items", "size"),
    [
        (10, (6.0, 4.0)),
        (33, (6.0, 4.0)),
        (33, (4.0, 3.0)),
        (100, (6.0, 4.0)),
        (300, (12.0, 8.0)),
        (300, (4.0, 3.0)),
    ],
)
def test_the_tree_fits_the_given_axes(n_items: int, size: tuple[float, float]) -> None:
    tree = tree_of(n_items)
    ax = axes(*size)
    assert plot_tree(tree.with_support(support_of(tree)), ax=ax) is ax
    assert not pyplot.get_fignums()
    assert n_shown(ax, tree) == n_items
    assert_clear(ax.figure)


@pytest.mark.parametrize("plot", [plot_tree, plot_dendrogram, plot_co_occurrence])
def test_texts_are_fitted_to_the_size_that_a_layout_engine_gives(plot: Any) -> None:
    model = RBHMC(random_state=0).fit(load_animals(as_frame=True).data)
    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    ax = plot(model, ax=figure.add_subplot())
    width, height = axes_size(ax)
    assert_clear(figure)
    assert axes_size(ax) == pytest.approx((width, height))
    assert width > 0.95 * 6.0 * 72.0


def test_a_new_figure_has_all_names() -> None:
    ax = plot_tree(TREE)
    assert isinstance(ax, Axes)
    assert set(re.split(r",\s*", ", ".join(texts_of(ax)))) >= set(NAMES)
    assert len(pyplot.get_fignums()) == 1


def test_the_height_grows_with_the_number_of_rows() -> None:
    heights = [plot_tree(tree_of(n)).figure.figure.get_figheight() for n in (10, 100)]
    assert heights[0] < 4.0 < heights[1]


def test_the_number_of_items_is_not_cut_off() -> None:
    paths = np.repeat(many_labels(60, [2, 4, 6], 0), 100, axis=0)
    texts = texts_of(plot_tree(Tree.from_labels(paths), ax=axes(2.8, 2.0)))
    counts = [text for text in texts if text.split()[0].replace(",", "").isdigit()]
    assert any(text.endswith(" items") for text in counts[1:])
    assert not any("…" in text for text in counts)


def test_large_leaves_show_some_items_and_count_the_others() -> None:
    tree = Tree.from_labels([[0]] * 14 + [[1]], names=[f"n{i}" for i in range(15)])
    assert texts_of(plot_tree(tree, max_items=2, ax=axes()))[-3] == "n0, n1, +12"


def test_long_names_are_shortened_and_odd_ones_shown_verbatim() -> None:
    names = ["x" * 200, "Жираф " * 20, "$\\alpha_2$", "two\nlines", "", "a, b", "{}%s\\", "naïve"]
    tree = Tree.from_labels(PATHS_OF_EIGHT, names=names)
    ax = plot_tree(tree)
    assert_clear(ax.figure)
    text = " ".join(texts_of(ax))
    assert "…" in text
    assert "x" * 100 not in text
    assert "$\\alpha_2$" in text
    assert "two\\nlines" in text
    assert '""' in text


PATHS_OF_EIGHT = np.array([[0], [0], [0], [0], [0], [1], [1], [1]])


@FEW
@given(trees())
def test_any_tree_can_be_drawn(tree: Tree) -> None:
    plot_tree(tree, ax=axes(3.0, 2.0))
    ax = axes()
    plot_tree(tree, ax=ax)
    assert len(ax.patches) >= len(tree)


def test_the_deepest_tree_can_be_drawn() -> None:
    assert_clear(plot_tree(deepest(), max_items=1, ax=axes()).figure)


def test_support_is_written_and_sets_the_width_of_a_branch() -> None:
    tree = TREE.with_support({"1": 0.25, "2": 0.999, "1.1": 1.0})
    ax = plot_tree(tree, ax=axes())
    assert {"25%", ">99%", "100%"} <= set(texts_of(ax))
    width = {
        to_hex(p.get_edgecolor()): p.get_linewidth() for p in ax.patches if type(p) is PathPatch
    }
    colors = {id: color.lower() for id, color in node_colors(TREE).items()}
    assert width[colors["1"]] < width[colors["2"]] < width[colors["1.1"]]


def test_supports_are_below_badges_if_the_columns_have_no_room() -> None:
    labels = [[item // 8, item // 4, item // 2, item] for item in range(16)]
    tree = Tree.from_labels(labels)
    tree = tree.with_support({node.id: 0.51 for node in tree.nodes})
    n_nodes = len(tree.nodes) - 1
    for size, n_written in (((10.0, 8.0), n_nodes), ((6.0, 8.0), n_nodes), ((6.0, 3.0), 0)):
        ax = plot_tree(tree, ax=axes(*size))
        assert texts_of(ax).count("51%") == n_written
        assert_clear(ax.figure)


def test_nodes_with_low_support_are_paler() -> None:
    supports = {"1": 0.1, "2": 0.4, "3": 0.9}
    ax = plot_tree(TREE.with_support(supports), ax=axes())
    branches = [patch for patch in ax.patches if type(patch) is PathPatch]
    ids = [node.id for node in TREE.nodes if node.parent]
    opacity = {id: float(p.get_alpha() or 1.0) for id, p in zip(ids, branches, strict=True)}
    assert opacity["1"] < opacity["2"] < opacity["3"] == opacity["1.1"] == 1.0
    badges: list[Any] = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    lightness = {n.id: sum(p.get_facecolor()[:3]) for n, p in zip(TREE, badges, strict=True)}
    full = {id: sum(to_rgb(color)) for id, color in node_colors(TREE).items()}
    assert lightness["1"] > full["1"]
    assert lightness["3"] == pytest.approx(full["3"])


@pytest.mark.parametrize("size", [None, (6.0, 4.0), (4.0, 3.0)])
def test_clusters_are_outlined_and_remainders_grey(size: tuple[float, float] | None) -> None:
    shares = np.random.default_rng(0).random((40, 40))
    tree, _ = consensus_tree((shares + shares.T) / 2.0, 6, [f"item {i}" for i in range(40)])
    assert any(node.is_remainder for node in tree)
    ax = plot_tree(tree, ax=None if size is None else axes(*size))
    assert n_shown(ax, tree) == 40
    assert_clear(ax.figure)
    if size is not None:
        return
    assert outlines(ax) == [node.is_cluster for node in tree]
    assert "outlined: cluster" in texts_of(ax)
    assert texts_of(ax).count("rest") == sum(node.is_remainder for node in tree)
    plain = plot_tree(TREE, ax=axes())
    assert "outlined: cluster" not in texts_of(plain)
    assert not any(outlines(plain))


def outlines(ax: Axes) -> list[bool]:
    """Return whether each badge has an outline."""
    badges: list[Any] = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    return [badge.get_edgecolor()[3] > 0.0 for badge in badges]


@pytest.mark.parametrize("shape", [(8, 8, 8), (8, 100, 30), (8, 8, 12, 3), (8, 6, 6, 4)])
def test_pictures_replace_names(shape: tuple[int, ...]) -> None:
    images = np.random.default_rng(0).random(shape)
    ax = plot_tree(TREE, images=images, max_items=2)
    assert len(ax.images) == len(TREE.leaves)
    assert "eagle" not in " ".join(texts_of(ax))
    assert "+1" in texts_of(ax)
    assert_clear(ax.figure)


def test_pictures_keep_their_aspect_ratio() -> None:
    ax = plot_tree(TREE, images=np.zeros((8, 20, 10)))
    for image in ax.images:
        left, right, bottom, top = image.get_extent()
        height, width = image.get_size()
        assert (right - left) / width == pytest.approx((bottom - top) / height, rel=0.05)


@pytest.mark.parametrize("max_rows", [1, 2, 3, 10, 40, None])
def test_collapsing_loses_no_item(max_rows: int | None) -> None:
    tree = tree_of(300)
    drawn = collapse(tree.nodes, max_rows)
    rows = [each for each in drawn if not each.children]
    assert len(rows) == min(max_rows or len(tree.leaves), len(tree.leaves))
    assert sorted(np.concatenate([row.node.items for row in rows])) == list(range(300))
    assert sum(row.n_leaves for row in rows) == len(tree.leaves)


def unnamed_tree(n_items: int = 300) -> Tree:
    """Make a tree of items without names, with five columns."""
    rng = np.random.default_rng(0)
    paths = tree_of(n_items).paths
    X = rng.normal(size=(n_items, 5)) + paths[:, :1] * [2.0, -1.0, 0.0, 3.0, 1.0]
    X[:, 4] = X[:, 4] > 1.0
    columns = ["body mass (g)", "flipper_length_mm", "bill_depth_mm", "age", "sex=female"]
    tree = Tree.from_labels(paths, X=X, feature_names=columns)
    return tree.with_support(support_of(tree))


@pytest.mark.parametrize("size", [None, (12.0, 8.0), (6.0, 4.0), (4.0, 3.0)])
def test_items_without_names_are_described(size: tuple[float, float] | None) -> None:
    tree = unnamed_tree()
    ax = plot_tree(tree, ax=None if size is None else axes(*size))
    assert_clear(ax.figure)
    texts = texts_of(ax)
    rows = [text for text in texts if re.match(r"[\d,]+ items?(: | \(|$)", text)]
    assert rows
    assert not any(re.fullmatch(r"\d+(, \d+)+.*", text) for text in texts)
    if size is None:
        described = tree.describe()
        for leaf in tree.leaves:
            first = described[leaf.id].mentions[0]
            assert any(f"{described[leaf.id].count}: {first}" in text for text in texts)


def test_inner_nodes_are_described_down_to_the_level_for_which_there_is_room() -> None:
    paths = np.stack([np.arange(16) // size for size in (8, 4, 2)], axis=1)
    tree = Tree.from_labels(paths, X=np.arange(16.0)[:, None], feature_names=["length of the bill"])
    inner = {"1": "(3.5)", "2": "(11.5)", "1.1": "(1.5)", "1.2": "(5.5)"}
    n_described = []
    for width in (14.0, 9.0, 6.0):
        ax = plot_tree(tree, ax=axes(width, 6.0))
        assert_clear(ax.figure)
        texts = [text for text in texts_of(ax) if "items" not in text]
        described = {id for id, mean in inner.items() if any(mean in text for text in texts)}
        assert described in ({*inner}, {"1", "2"}, set())
        n_described.append(len(described))
    assert n_described == [4, 2, 0]


@pytest.mark.parametrize("least", [0.0, 0.7, 0.9, 1.0])
def test_nodes_below_a_support_are_not_drawn(least: float) -> None:
    tree, _ = consensus_tree(np.random.default_rng(0).random((40, 40)).round(2), 6)
    rng = np.random.default_rng(1)
    known = [node.id for node in tree if not node.is_remainder]
    tree = tree.with_support({id: float(rng.random()) for id in known})
    shown = hide_unsupported(tree, least)
    by_id = {node.id: node for node in shown}
    expected = {"root"} | {
        node.id
        for node in tree
        if node.is_cluster or (node.support is not None and node.support >= least)
    }
    assert {node.id for node in shown if not node.is_remainder} == expected
    for node in shown:
        below = [by_id[child] for child in node.children]
        assert all(child.parent == node.id for child in below)
        if below:
            together = np.sort(np.concatenate([child.items for child in below]))
            assert together.tolist() == node.items.tolist()
        if node.parent and not node.is_remainder:
            above = [id for id in tree.path_of(int(node.items[0])) if id in expected]
            assert above[above.index(node.id) - 1] == node.parent
    assert (shown == list(tree.nodes)) is (least == 0.0)
    ax = plot_tree(tree, min_support=least)
    assert {node.id for node in shown if node.parent and not node.is_remainder} <= set(texts_of(ax))
    assert not (set(known) - expected) & set(texts_of(ax))
    assert_clear(ax.figure)


def test_levels_are_columns_and_parents_are_midway_between_children() -> None:
    ax = plot_tree(TREE, ax=axes())
    badges = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    place: dict[str, Any] = {
        node.id: (badge.get_x(), badge.get_y())
        for node, badge in zip(TREE.nodes, badges, strict=True)
    }
    for node in TREE.nodes:
        for child in node.children:
            assert place[child][0] > place[node.id][0]
        if node.children:
            heights = [place[child][1] for child in node.children]
            assert heights == sorted(heights)
            assert place[node.id][1] == pytest.approx((heights[0] + heights[-1]) / 2.0)
    for level in (1, 2):
        assert len({place[node.id][0] for node in TREE.nodes if node.level == level}) == 1


def test_the_outline_of_a_cluster_can_be_seen_beside_a_dark_badge() -> None:
    tree, _ = consensus_tree(np.random.default_rng(0).random((40, 40)).round(2), 6)
    for style, ink, behind in (("default", "k", "w"), ("dark_background", "w", "k")):
        with pyplot.style.context(style):
            ax = plot_tree(tree, ax=axes())
        badges: list[Any] = [each for each in ax.patches if isinstance(each, FancyBboxPatch)]
        outlined = [badge for badge in badges if badge.get_path_effects()]
        assert outlined
        for badge in outlined:
            (effect,) = badge.get_path_effects()
            assert to_rgb(effect._gc["foreground"]) == to_rgb(ink)
            assert badge.get_edgecolor()[:3] == to_rgb(behind)
            assert effect._gc["linewidth"] > badge.get_linewidth() > 1.0


def test_lines_that_guide_the_eye_are_fainter_than_texts_on_black_too() -> None:
    for style, behind in (("default", 1.0), ("dark_background", 0.0)):
        with pyplot.style.context(style):
            ax = plot_tree(TREE, ax=axes())
        guides = [line for line in ax.lines if line.get_zorder() == 0]
        assert len(guides) == len(TREE.leaves)
        for line in guides:
            dark, light = sorted((luminance(to_hex(line.get_color())), behind))
            assert 1.3 < (light + 0.05) / (dark + 0.05) < 3.0


def test_letters_and_lines_are_larger_where_there_is_room() -> None:
    tree = TREE.with_support(support_of(TREE))
    small, large = (plot_tree(tree, ax=axes(*size)) for size in ((6.0, 3.0), (14.0, 8.0)))
    assert texts_of(small) == texts_of(large)
    for before, after in zip(small.texts, large.texts, strict=True):
        assert after.get_fontsize() == pytest.approx(1.6 * float(before.get_fontsize()))
    for one, other in zip(small.lines, large.lines, strict=True):
        assert other.get_linewidth() == pytest.approx(1.6 * one.get_linewidth())
    assert_clear(large.figure)
    # What was in the axes before stays as it was.
    ax = axes(14.0, 8.0)
    note = ax.text(0.0, 0.0, "a note of the user", fontsize=9.0)
    plot_tree(tree, ax=ax)
    assert note.get_fontsize() == 9.0


@pytest.mark.parametrize("size", [(12.0, 8.0), (6.0, 6.0)])
def test_spare_height_is_above_and_below_the_rows(size: tuple[float, float]) -> None:
    ax = plot_tree(TREE, ax=axes(*size))
    bars = [np.asarray(line.get_ydata(), float) for line in ax.lines if line.get_zorder() != 0]
    rows = [y for y in bars if y[0] != y[1]]
    top, bottom = min(y[0] for y in rows), max(y[1] for y in rows)
    height = ax.get_ylim()[0]
    assert top - HEADER == pytest.approx(height - bottom, abs=8.0)
