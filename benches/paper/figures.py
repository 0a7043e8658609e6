"""The figures of the page, drawn from the records."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from paper.chain import TRACE_STEP
from paper.evidence import Evidence
from paper.protocol import MARGINS, Cell
from paper.records import unpack
from rbhmc.plots.palette import GUIDE, series_colors, tint

# Colour-blind safe, white in the middle.
DIVERGING = "PuOr_r"


def plot_traces(evidence: Evidence, cells: Sequence[Cell]) -> Figure:
    """Draw CDLL and RCDLL of the traced chains, one panel for each cell."""
    figure = Figure(figsize=(2.2 * len(cells), 2.4), layout="constrained")
    axes = figure.subplots(1, len(cells), squeeze=False)[0]
    colors = series_colors(2)
    for cell, ax in zip(cells, axes, strict=True):
        for key, color in zip(("rcdll", "cdll"), colors, strict=True):
            for number, trace in enumerate(evidence.traces(cell, key)):
                sweeps = TRACE_STEP * np.arange(len(trace)) / 1000.0
                label = key.upper() if number == 0 else None
                # The start is far below everything else.
                ax.plot(sweeps[1:], trace[1:], color=color, linewidth=0.5, alpha=0.7, label=label)
        ax.axvline(evidence.lengths.n_burn_in / 1000.0, color=GUIDE, linewidth=0.8)
        ax.set_title(cell.name, size=9)
        ax.set_xlabel("1,000 sweeps", size=8)
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def plot_sensitivity(columns: Mapping[str, Evidence]) -> Figure:
    """Draw the changes of AID and AOD over the grid, one row for each column of the page."""
    figure = Figure(figsize=(8.6, 2.3 * len(columns)), layout="constrained")
    axes = figure.subplots(len(columns), 2, squeeze=False)
    for (title, evidence), row in zip(columns.items(), axes, strict=True):
        for measure, ax in zip(("AID", "AOD"), row, strict=True):
            plot_surface(evidence.design.strengths, MARGINS, evidence.surface(measure), ax=ax)
            ax.set_title(f"{measure}, {title.replace('`', '')}", size=9)
    return figure


def plot_surface(C: ArrayLike, margin: ArrayLike, change: ArrayLike, *, ax: Axes) -> None:
    """Draw the change of a measure against BHMC over the logarithms of C and margin.

    Parameters
    ----------
    C : array of shape (n_C,)
        Strengths in increasing order, above 0.
    margin : array of shape (n_margin,)
        Margins in increasing order, above 0.
    change : array of shape (n_C, n_margin)
        The change in percent.
    ax : Axes
        Where to draw; one cell for each pair, C to the right and margin upwards. Colours end at
        ±30 %, which the paper's changes do not exceed.

    Examples
    --------
    >>> ax = Figure().add_subplot()
    >>> plot_surface([0.1, 1.0], [1.0, 10.0], [[-1, 2.5], [-12, 0.0]], ax=ax)
    >>> [text.get_text() for text in ax.texts]
    ['−1.0', '−12.0', '+2.5', '0.0']
    """
    table = np.asarray(change, float).T
    largest = 30.0
    ax.imshow(table, origin="lower", cmap=DIVERGING, vmin=-largest, vmax=largest, aspect="auto")
    for (row, column), value in np.ndenumerate(table):
        color = "white" if abs(value) > 0.55 * largest else "black"
        ax.text(column, row, _signed(value), ha="center", va="center", size=8, color=color)
    for axis, values in ((ax.xaxis, C), (ax.yaxis, margin)):
        marks = [f"{value:g}" for value in np.asarray(values, float)]
        axis.set_ticks(range(len(marks)), marks)
    ax.set_xlabel("C", size=8)
    ax.set_ylabel("margin", size=8)
    ax.tick_params(labelsize=8, length=0)
    ax.spines[:].set_visible(False)


def _signed(value: float) -> str:
    text = f"{value:+.1f}".replace("-", "−")
    return "0.0" if text[1:] == "0.0" else text


def plot_f_measure(values: Mapping[str, NDArray[np.float64]]) -> Figure:
    """Draw the F-measure of several methods at each level as box plots, with chains as points.

    Parameters
    ----------
    values : mapping of str to array of shape (n_chains, n_levels)
        Methods may differ in the numbers of chains.

    Examples
    --------
    >>> figure = plot_f_measure({"BHMC": np.array([[0.7, 0.8], [0.6, 0.9]])})
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['BHMC']
    """
    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    ax = figure.add_subplot()
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
        # Points are side by side in the order of the chains, so that none hides another.
        offsets = np.linspace(-0.22, 0.22, len(table)) if len(table) > 1 else np.zeros(1)
        points = x + width * offsets[:, None]
        ax.scatter(points, table, s=11, color=color, edgecolor="white", linewidth=0.4, zorder=3)
    ax.set_xticks(range(1, n_levels + 1), [f"level {n}" for n in range(1, n_levels + 1)])
    ax.set(xlim=(0.5, n_levels + 0.5), ylabel="F-measure")
    ax.grid(axis="y", color=GUIDE, linewidth=0.4)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="x", length=0)
    figure.legend(
        handles, list(values), frameon=False, ncols=3, fontsize=8, loc="outside upper center"
    )
    return figure


def plot_co_occurrence(evidence: Evidence) -> Figure:
    """Draw the co-occurrence of two chains of each case (rows) at each level (columns)."""
    cases = [cell for cell in evidence.design.cases if evidence.chains(cell)]
    levels = range(1, evidence.design.settings["n_levels"] + 1)
    n_shown = evidence.lengths.n_shown
    n_columns = n_shown * len(levels)
    figure = Figure(figsize=(1.25 * n_columns + 1.0, 1.3 * len(cases)), layout="constrained")
    axes = figure.subplots(len(cases), n_columns, squeeze=False)
    image: Any = None
    for cell, row in zip(cases, axes, strict=True):
        row[0].set_ylabel(cell.name, size=10)
        for number, chain in enumerate(evidence.chains(cell, n_shown)):
            # Items in the order of the presented tree.
            order = np.lexsort(np.array(chain["tree"]).T[::-1])
            for level, shares in zip(levels, chain["maps"], strict=True):
                ax = row[number * len(levels) + level - 1]
                together = as_matrix(unpack(shares))[np.ix_(order, order)]
                image = ax.imshow(together, "Greys", vmin=0, vmax=1)
                if cell == cases[0]:
                    ax.set_title(f"chain {number + 1}, level {level}", size=9)
    for ax in axes.flat:
        ax.set(xticks=[], yticks=[])
    bar = figure.colorbar(image, ax=axes, shrink=0.6, aspect=25)
    bar.set_label("share of draws together", size=9)
    bar.ax.tick_params(labelsize=9)
    return figure


def as_matrix(pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the symmetric matrix of values above the diagonal, with ones on it.

    Examples
    --------
    >>> as_matrix(np.array([0.5, 0.0, 0.25]))
    array([[1.  , 0.5 , 0.  ],
           [0.5 , 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    n = round((1 + np.sqrt(1 + 8 * len(pairs))) / 2)
    matrix = np.eye(n)
    matrix[np.triu_indices(n, k=1)] = pairs
    return np.maximum(matrix, matrix.T)
