"""The figures of the paper that the library does not draw."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from rbhmc.metrics import co_occurrence
from rbhmc.plots.palette import GUIDE, series_colors, tint
from rbhmc.tree import Tree

# Colour-blind safe, white in the middle.
DIVERGING = "PuOr_r"


def plot_sensitivity(
    C: ArrayLike, margin: ArrayLike, change: ArrayLike, *, measure: str, ax: Axes
) -> None:
    """Draw the change of a measure against BHMC over the logarithms of C and margin.

    Parameters
    ----------
    C : array of shape (n_C,)
        Strengths in increasing order, above 0.
    margin : array of shape (n_margin,)
        Margins in increasing order, above 0.
    change : array of shape (n_C, n_margin)
        The change in percent.
    measure : str
        The name of the measure.
    ax : Axes
        Where to draw; one cell for each pair, C to the right and margin upwards.

    Examples
    --------
    >>> ax = Figure().add_subplot()
    >>> plot_sensitivity([0.1, 1.0], [1.0, 10.0], [[-1, 2.5], [-12, 0.0]], measure="AID", ax=ax)
    >>> [text.get_text() for text in ax.texts]
    ['−1.0', '−12.0', '+2.5', '0.0']
    """
    table = np.asarray(change, float).T
    largest = float(np.abs(table).max()) or 1.0
    image = ax.imshow(
        table, origin="lower", cmap=DIVERGING, vmin=-largest, vmax=largest, aspect="auto"
    )
    for (row, column), value in np.ndenumerate(table):
        color = "white" if abs(value) > 0.68 * largest else "black"
        ax.text(column, row, _signed(value), ha="center", va="center", size=8, color=color)
    for axis, values in ((ax.xaxis, C), (ax.yaxis, margin)):
        logarithms = np.log10(np.asarray(values, float))
        marks = [f"{value:.3g}".replace("-", "−") for value in logarithms]
        axis.set_ticks(range(len(marks)), marks)
    ax.set(xlabel="log₁₀ C", ylabel="log₁₀ margin")
    ax.tick_params(labelsize=8, length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.06, pad=0.03)
    bar.set_label(f"change of {measure}, %", size=9)
    bar.ax.tick_params(labelsize=8)


def _signed(value: float) -> str:
    text = f"{value:+.1f}".replace("-", "−")
    return "0.0" if text[1:] == "0.0" else text


def plot_f_measure(values: Mapping[str, NDArray[np.float64]], *, ax: Axes) -> None:
    """Draw the F-measure of several methods at each level as box plots, with runs as points.

    Parameters
    ----------
    values : mapping of str to array of shape (n_runs, n_levels)
        F-measures of the chains or runs of each method; methods may differ in the numbers of runs
        and levels.
    ax : Axes
        Where to draw; levels are at x = 1, 2, ….

    Examples
    --------
    >>> ax = Figure().add_subplot()
    >>> plot_f_measure({"BHMC": np.array([[0.7, 0.8], [0.6, 0.9]])}, ax=ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['BHMC']
    """
    n_levels = max(table.shape[1] for table in values.values())
    width = 0.8 / len(values)
    handles = []
    for number, (table, color) in enumerate(
        zip(values.values(), series_colors(len(values)), strict=True)
    ):
        x = np.arange(1, table.shape[1] + 1) - 0.4 + (number + 0.5) * width
        boxes = ax.boxplot(
            list(table.T),
            positions=x,
            widths=0.72 * width,
            patch_artist=True,
            showfliers=False,
            manage_ticks=False,
            boxprops={"facecolor": tint(color, 0.25), "edgecolor": color},
            medianprops={"color": color, "linewidth": 2.0},
            whiskerprops={"color": color},
            capprops={"color": color},
        )
        handles.append(boxes["boxes"][0])
        # Points are side by side in the order of the runs, so that none hides another.
        offsets = np.linspace(-0.22, 0.22, len(table)) if len(table) > 1 else np.zeros(1)
        points = x + width * offsets[:, None]
        ax.scatter(points, table, s=11, color=color, edgecolor="white", linewidth=0.4, zorder=3)
    ax.set_xticks(range(1, n_levels + 1), [f"level {n}" for n in range(1, n_levels + 1)])
    ax.set(xlim=(0.5, n_levels + 0.5), ylabel="F-measure")
    ax.grid(axis="y", color=GUIDE, linewidth=0.4)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="x", length=0)
    ax.legend(handles, list(values), frameon=False, ncols=min(3, len(values)), fontsize=8)


def plot_co_occurrence_grid(paths: NDArray[Any], tree: Tree) -> Figure:
    """Draw the co-occurrence of each chain (rows) at each level (columns).

    Parameters
    ----------
    paths : array of shape (n_chains, n_draws, n_items, n_levels)
        Draws of trees, as in ``draws.paths``.
    tree : Tree
        A tree of the same items, which gives their order.

    Examples
    --------
    >>> draws = np.array([[[[0, 0], [0, 1], [1, 2]], [[0, 0], [1, 1], [1, 2]]]])
    >>> len(plot_co_occurrence_grid(draws, Tree.from_labels(draws[0][0])).axes)
    3
    """
    n_chains, n_levels = paths.shape[0], paths.shape[3]
    order = tree.item_order
    figure = Figure(figsize=(2.2 * n_levels + 1.0, 2.2 * n_chains + 0.4), layout="constrained")
    axes = figure.subplots(n_chains, n_levels, squeeze=False)
    for (chain, column), ax in np.ndenumerate(axes):
        shares = co_occurrence(paths[chain], column + 1)[np.ix_(order, order)]
        image = ax.imshow(shares, cmap="Greys", vmin=0.0, vmax=1.0)
        ax.set(xticks=[], yticks=[])
        if column == 0:
            ax.set_ylabel(f"chain {chain + 1}", size=9)
        if chain == 0:
            ax.set_title(f"level {column + 1}", size=9)
    bar = figure.colorbar(image, ax=axes, shrink=min(1.0, 1.6 / n_chains), aspect=25)
    bar.set_label("share of draws together", size=8)
    bar.ax.tick_params(labelsize=8)
    return figure
