"""The figures of the experiments show the numbers that they are given."""

import numpy as np
from matplotlib.figure import Figure

from paper.figures import plot_co_occurrence_grid, plot_f_measure, plot_sensitivity
from rbhmc.metrics import co_occurrence
from rbhmc.tree import Tree

PATHS = np.array([[0, 0], [0, 1], [1, 2], [0, 0], [1, 2]])
CHAINS = np.stack([np.stack([PATHS, PATHS]), np.stack([PATHS, 0 * PATHS])])
CHANGE = np.array([[-1.0, 2.0, 3.0], [4.5, -20.0, 0.04]])


def test_a_map_of_changes_is_centred_on_zero() -> None:
    ax = Figure().add_subplot()
    plot_sensitivity([0.1, 1.0], [1, 10, 100], CHANGE, measure="AOD", ax=ax)
    assert np.array_equal(np.asarray(ax.images[0].get_array()), CHANGE.T)
    low, high = ax.images[0].get_clim()
    assert low == -high == -20.0
    assert [text.get_text() for text in ax.texts] == [
        "−1.0",
        "+4.5",
        "+2.0",
        "−20.0",
        "+3.0",
        "0.0",
    ]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["−1", "0"]


def test_a_grid_has_one_row_for_each_chain() -> None:
    tree = Tree.from_labels(PATHS)
    panels = plot_co_occurrence_grid(CHAINS, tree).axes[:4]
    order = tree.item_order
    for ax, (chain, level) in zip(panels, np.ndindex(2, 2), strict=True):
        shares = co_occurrence(CHAINS[chain], level + 1)[np.ix_(order, order)]
        assert np.array_equal(np.asarray(ax.images[0].get_array()), shares)
    assert [ax.get_ylabel() for ax in panels[::2]] == ["chain 1", "chain 2"]


def test_box_plots_show_medians_and_all_points() -> None:
    rng = np.random.default_rng(0)
    values = {"BHMC": rng.beta(8, 3, (6, 3)), "Ward": rng.beta(9, 3, (1, 2))}
    ax = Figure().add_subplot()
    plot_f_measure(values, ax=ax)
    drawn = np.concatenate([np.asarray(line.get_ydata(), float) for line in ax.lines])
    for table in values.values():
        assert np.isin(np.median(table, axis=0).round(9), drawn.round(9)).all()
    points = np.concatenate([np.asarray(dots.get_offsets())[:, 1] for dots in ax.collections])
    assert sorted(points) == sorted(np.concatenate([table.ravel() for table in values.values()]))
