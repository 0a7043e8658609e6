"""Heat maps, traces, planes and sizes show the given numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from plots.figures import NAMES, PATHS, TREE, assert_clear, axes, texts_of, tree_of
from rbhmc import Sampler, Tree
from rbhmc.draws import Draws
from rbhmc.metrics import co_occurrence
from rbhmc.plots import co_occurrence as co_occurrence_map
from rbhmc.plots import plot_co_occurrence, plot_plane, plot_traces
from rbhmc.plots.background import Background
from rbhmc.plots.palette import luminance
from rbhmc.plots.regions import find_regions, node_discriminants
from rbhmc.plots.traces import spread_out

RNG = np.random.default_rng(0)
START = RNG.bit_generator.state
POINTS = RNG.normal(size=(8, 3)) + 4.0 * PATHS[:, [0]]
SINGLE = {
    "co_occurrence": lambda ax: plot_co_occurrence(np.eye(8), TREE, level=1, ax=ax),
    "plane": lambda ax: plot_plane(POINTS, TREE, ax=ax),
}
CHAINS = np.stack([np.stack([PATHS, PATHS]), np.stack([PATHS, 0 * PATHS])])
GRIDS = {
    "traces": lambda figure: plot_traces(draws(), figure=figure),
}


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Give every test the same random numbers, whatever the order of tests."""
    RNG.bit_generator.state = START


def draws() -> Draws:
    X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8], [20.0, 0.1], [20.2, 0.3]])
    chains = [Sampler(X, n_levels=2, seed=seed).run(20) for seed in (1, 2, 3)]
    return Draws.of_chains(chains, tuple("abcdef"))


@pytest.mark.parametrize("kind", SINGLE)
def test_a_single_panel_uses_the_given_axes(kind: str) -> None:
    ax = axes()
    assert SINGLE[kind](ax) is ax
    assert not pyplot.get_fignums()
    assert_clear(ax.figure)


@pytest.mark.parametrize("kind", SINGLE)
def test_a_single_panel_opens_a_new_figure(kind: str) -> None:
    ax = SINGLE[kind](None)
    assert isinstance(ax, Axes)
    assert len(pyplot.get_fignums()) == 1
    assert_clear(ax.figure)


def test_maps_begin_at_the_colour_of_the_background() -> None:
    for facecolor in ("white", "#101418"):
        with pyplot.style.context({"axes.facecolor": facecolor, "figure.facecolor": facecolor}):
            ax = plot_co_occurrence(np.eye(8), TREE, level=1)
        lowest, highest = (to_hex(ax.images[0].cmap(share)) for share in (0.0, 1.0))
        assert lowest == to_hex(facecolor)
        dark, light = sorted((luminance(lowest), luminance(highest)))
        assert (light + 0.05) / (dark + 0.05) > 10.0


def test_a_background_that_cannot_be_seen_is_told_by_the_text() -> None:
    for color, is_dark in (("white", True), ("black", False)):
        with pyplot.style.context({"text.color": color}):
            figure = Figure(facecolor="none")
            ax = figure.add_subplot(facecolor="none")
            assert Background(ax).is_dark == is_dark


@pytest.mark.parametrize("kind", GRIDS)
def test_grids_use_the_given_figure(kind: str) -> None:
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    panels = GRIDS[kind](figure)
    assert all(ax.figure is figure for ax in panels.flat)
    assert not pyplot.get_fignums()
    assert_clear(figure)
    halves: Any = Figure(figsize=(12.0, 5.0), layout="constrained").subfigures(1, 2)
    assert all(ax.figure is halves[0] for ax in GRIDS[kind](halves[0]).flat)


@pytest.mark.parametrize("kind", GRIDS)
def test_grids_open_a_new_figure(kind: str) -> None:
    panels = GRIDS[kind](None)
    assert all(isinstance(ax, Axes) for ax in panels.flat)
    assert len(pyplot.get_fignums()) == 1
    assert_clear(panels.flat[0].figure)


def test_maps_are_in_the_order_of_the_tree() -> None:
    shares = co_occurrence(CHAINS, 1)
    ax = plot_co_occurrence(shares, TREE, level=1, ax=axes(6.0, 5.0))
    order = TREE.item_order
    assert np.array_equal(np.asarray(ax.images[0].get_array()), shares[np.ix_(order, order)])
    names = [NAMES[item] for item in order]
    assert texts_of(ax)[:-1:2] == texts_of(ax)[1:-1:2] == names
    assert ax.images[0].get_clim() == (0.0, 1.0)


@pytest.mark.parametrize(("n_items", "named"), [(60, True), (61, False)])
def test_up_to_60_items_have_names(n_items: int, named: bool) -> None:
    tree = tree_of(n_items)
    ax = plot_co_occurrence(np.eye(n_items), tree, level=1)
    assert (set(tree.names) <= set(texts_of(ax))) is named
    assert named or {"1", "2"} <= set(texts_of(ax))
    assert_clear(ax.figure)


def test_small_maps_have_ids_instead_of_names() -> None:
    tree = tree_of(50)
    ax = plot_co_occurrence(np.eye(50), tree, level=1, ax=axes(3.0, 3.0))
    assert not set(tree.names) & set(texts_of(ax))
    assert "1" in texts_of(ax)
    assert_clear(ax.figure)


def test_small_nodes_have_ids_if_there_is_room() -> None:
    tree = Tree.from_labels([[0]] * 60 + [[1]] * 60 + [[2]], names=map(str, range(121)))
    ax = plot_co_occurrence(np.eye(121), tree, level=1, ax=axes(4.0, 3.0))
    assert {"1", "2", "3"} <= set(texts_of(ax))
    assert_clear(ax.figure)


@pytest.mark.parametrize(("width", "n_described"), [(4.6, 0), (6.5, 0), (9.0, 4)])
def test_wide_maps_say_what_sets_nodes_apart(width: float, n_described: int) -> None:
    tree = tree_of(120)
    X = np.eye(4)[[int(path[0]) for path in tree.paths]]
    names = [f"number of column {number}" for number in range(4)]
    described = Tree.from_labels(tree.paths, X=X, feature_names=names)
    ax = plot_co_occurrence(np.eye(120), described, level=1, ax=axes(width, 4.0))
    texts = texts_of(ax)
    assert {"1", "2", "3", "4"} <= set(texts)
    assert sum("number of column" in text for text in texts) == n_described
    assert any(text.endswith(" items") for text in texts) is (width == 6.5)
    assert_clear(ax.figure)


def test_a_map_of_very_many_items_is_a_sample_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(co_occurrence_map, "MAX_MAP_ITEMS", 50)
    tree = tree_of(300)
    shares = np.eye(300) + 0.25 * (1.0 - np.eye(300))
    ax = plot_co_occurrence(shares, tree, level=1)
    assert np.asarray(ax.images[0].get_array()).shape == (50, 50)
    assert list(ax.images[0].get_extent()) == [0, 300, 300, 0]  # frames are those of all items
    assert "a sample of 50 of 300 items" in texts_of(ax)
    assert_clear(ax.figure)
    items = co_occurrence_map.sample_items(tree)
    assert len(set(items)) == 50
    assert items.tolist() == [item for item in tree.item_order if item in set(items)]


def test_frames_are_the_nodes_of_the_level() -> None:
    ax = plot_co_occurrence(np.eye(8), TREE, level=1, ax=axes())
    frames = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert sorted(frame.get_width() for frame in frames) == [1.0, 2.0, 5.0, 8.0]


def test_each_chain_has_a_line_and_a_label() -> None:
    values = {"cdll": RNG.normal(size=(3, 20)), "n_nodes": np.ones((3, 20))}
    panels = plot_traces(values, ["n_nodes", "cdll"], figure=Figure(figsize=(7.0, 4.0)))
    assert [ax.get_ylabel() for ax in panels] == ["n nodes", "CDLL"]
    for line, wanted in zip(panels[1].lines, values["cdll"], strict=True):
        assert np.array_equal(line.get_ydata(), wanted)
    assert all(texts_of(ax) == ["chain 1", "chain 2", "chain 3"] for ax in panels)
    assert_clear(panels[0].figure)


def test_many_chains_are_counted_and_not_labelled() -> None:
    values = {"cdll": RNG.normal(size=(16, 20)), "rcdll": RNG.normal(size=(16, 20))}
    panels = plot_traces(values)
    assert [len(ax.lines) for ax in panels] == [16, 16]
    assert [texts_of(ax) for ax in panels] == [[], []]
    assert panels[0].get_title(loc="left") == "16 chains"
    assert_clear(panels[0].figure)


def test_labels_of_chains_can_be_read_on_light_and_dark() -> None:
    values = {"cdll": RNG.normal(size=(8, 20))}
    for style, behind in (("default", 1.0), ("dark_background", 0.0)):
        with pyplot.style.context(style):
            (ax,) = plot_traces(values, ["cdll"], figure=Figure())
        for text in ax.texts:
            dark, light = sorted((luminance(to_hex(text.get_color())), behind))
            assert (light + 0.05) / (dark + 0.05) > 4.5


def test_long_names_of_traces_stay_beside_their_panels() -> None:
    names = [f"distance to the clusters, level {level}" for level in (1, 2, 3)]
    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    plot_traces({name: RNG.normal(size=(3, 20)) for name in names}, names, figure=figure)
    assert_clear(figure)


def test_labels_are_spread_out_in_order() -> None:
    wanted = RNG.random(9).tolist()
    found = np.array(spread_out(wanted, 0.1, 0.0, 1.0))
    assert np.diff(np.sort(found)).min() >= 0.1 - 1e-12
    assert np.array_equal(np.argsort(found), np.argsort(wanted))
    assert spread_out([0.1, 0.5, 0.9], 0.1, 0.0, 1.0) == [0.1, 0.5, 0.9]


def test_the_region_of_a_node_is_where_it_has_the_highest_score() -> None:
    vectors = {node.id: RNG.normal(size=3) for node in TREE.nodes}
    grid = RNG.normal(size=(20, 30, 2))
    won, borders = find_regions(grid, POINTS, TREE, TREE.leaves, vectors)
    for row, column in np.ndindex(won.shape):
        node = TREE.root
        while node.children:
            x = np.array([*grid[row, column], POINTS[node.items, 2].mean()])
            node = TREE.node(max(node.children, key=lambda id: float(vectors[id] @ x)))
        assert won[row, column] == node.id
    assert len(borders) == 5
    first = find_regions(grid, POINTS, TREE, TREE.nodes_at(1), vectors)[0]
    assert set(first.ravel()) <= {"1", "2", "3"}


def test_regions_end_at_the_shown_nodes_whatever_their_level() -> None:
    vectors = {node.id: RNG.normal(size=3) for node in TREE.nodes}
    grid = RNG.normal(size=(20, 30, 2))
    inner = next(node for node in TREE.nodes[1:] if node.children)
    shown = [node for node in TREE.nodes_at(1) if node is not inner]
    shown += [TREE.node(child) for child in inner.children]
    found = set(find_regions(grid, POINTS, TREE, shown, vectors)[0].ravel())
    assert found <= {node.id for node in shown}
    assert found & set(inner.children)


def test_a_plane_without_discriminants_has_no_boundaries() -> None:
    grid = RNG.normal(size=(20, 30, 2))
    for vectors in ({}, {"1": np.ones(3)}):
        winners, borders = find_regions(grid, POINTS, TREE, TREE.leaves, vectors)
        assert (winners == "root").all()
        assert borders == []
    assert not plot_plane(POINTS, TREE, ax=axes()).images


def test_a_plane_of_many_items_is_readable() -> None:
    tree = tree_of(300)
    ax = plot_plane(RNG.normal(size=(300, 2)), tree, level=3)
    assert_clear(ax.figure)
    assert set(texts_of(ax)) <= {node.id for node in tree.nodes}


def test_discriminants_are_named_by_node() -> None:
    sampler = Sampler(
        POINTS, n_levels=3, initial_paths=np.column_stack([PATHS, PATHS[:, 1]]), C=1.0
    )
    vectors = sampler.tree["discriminants"]
    assert vectors is not None
    tree = Tree.from_labels(sampler.paths)
    found = node_discriminants(tree, [vectors])
    assert found.keys() == {node.id for node in tree.nodes if node.parent}
    # Children of the root are the first nodes after it, in the order of their labels.
    for node in (tree.node(id) for id in tree.root.children):
        label = sampler.paths[node.items[0], 0]
        assert np.array_equal(found[node.id], vectors[1 + label])
    assert node_discriminants(tree, None) == {}


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figures_can_be_saved(tmp_path: Path, suffix: str) -> None:
    ax: Any = SINGLE["co_occurrence"](None)
    ax.figure.savefig(tmp_path / f"figure.{suffix}")
    assert (tmp_path / f"figure.{suffix}").stat().st_size > 1000
