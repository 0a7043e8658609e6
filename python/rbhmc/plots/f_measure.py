"""The agreement with known classes by level and method: box plots with all runs as points."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._checks import check_numbers
from rbhmc._core import InvalidInput
from rbhmc.plots.inputs import axes_or_new, axes_size
from rbhmc.plots.palette import GUIDE, series_colors, tint
from rbhmc.plots.text_style import TextStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILLED = 0.8  # share of a level's width that its boxes fill
HANDLE_WIDTH, LINE_HEIGHT = 34.0, 13.0  # points in the legend


def plot_f_measure(values: Mapping[str, ArrayLike], *, ax: "Axes | None" = None) -> "Axes":
    """Draw the F-measure of several methods at each level as box plots, with runs as points.

    Parameters
    ----------
    values : mapping of str to array of shape (n_runs, n_levels)
        F-measures from 0 to 1 of the chains or runs of each method; methods may differ in the
        numbers of runs and levels.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    matplotlib.axes.Axes
        Levels are at x = 1, 2, …. A box holds the middle half of the runs, its line is their
        median, and whiskers end at the last run within 1.5 box heights.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> values = {"BHMC": [[0.7, 0.8], [0.6, 0.9]], "Ward": [[0.8, 0.85]]}
    >>> ax = plot_f_measure(values, ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['BHMC', 'Ward']
    """
    if not isinstance(values, Mapping) or not values:
        raise InvalidInput(
            "values must map the name of each method to an array of shape (n_runs, n_levels)"
        )
    tables = {
        str(name): check_numbers(table, f"values[{name!r}]", ("n_runs", "n_levels"))
        for name, table in values.items()
    }
    for name, table in tables.items():
        if table.min() < 0.0 or table.max() > 1.0:
            raise InvalidInput(
                f"values[{name!r}] goes from {table.min():.4g} to {table.max():.4g}; F-measures "
                "are from 0 to 1"
            )
    n_levels = max(table.shape[1] for table in tables.values())
    ax = axes_or_new(ax, max(4.0, 0.5 * n_levels * len(tables) + 1.5), 3.4)
    step = FILLED / len(tables)
    colors = series_colors(len(tables))
    handles = []
    for number, (table, color) in enumerate(zip(tables.values(), colors, strict=True)):
        middle = np.arange(1, table.shape[1] + 1) - FILLED / 2.0 + (number + 0.5) * step
        boxes = ax.boxplot(
            list(table.T),
            positions=middle,
            widths=0.72 * step,
            patch_artist=True,
            showfliers=False,
            manage_ticks=False,
            boxprops={"facecolor": tint(color, 0.25), "edgecolor": color},
            medianprops={"color": color, "linewidth": 2.0},
            whiskerprops={"color": color},
            capprops={"color": color},
            zorder=2,
        )
        handles.append(boxes["boxes"][0])
        # Points are side by side in the order of the runs, so that none hides another.
        offsets = np.linspace(-0.22, 0.22, len(table)) if len(table) > 1 else np.zeros(1)
        x = middle[None, :] + step * offsets[:, None]
        ax.scatter(x, table, s=11, color=color, edgecolor="white", linewidth=0.4, zorder=3)
    ax.set_xticks(range(1, n_levels + 1), [f"level {n}" for n in range(1, n_levels + 1)])
    ax.set(xlim=(0.5, n_levels + 0.5), ylabel="F-measure")
    # Lines between levels end below the legend.
    low, high = ax.get_ylim()
    for edge in range(1, n_levels):
        ax.plot([edge + 0.5, edge + 0.5], [low, high], color=GUIDE, linewidth=0.6, zorder=0)
    ax.set_ylim(low, high)
    ax.grid(axis="y", color=GUIDE, linewidth=0.4)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="x", length=0)
    _draw_legend(ax, handles, list(tables))
    return ax


def _draw_legend(ax: "Axes", handles: list[Any], methods: list[str]) -> None:
    """Draw the legend inside the axes, above the data."""
    style = TextStyle(8.0, methods)
    width, height = axes_size(ax)
    names = [style.shorten(name, min(150.0, width - HANDLE_WIDTH)) for name in methods]
    widths = np.array([style.width(name) + HANDLE_WIDTH for name in names])
    fits = (
        n
        for n in range(len(names), 1, -1)
        if sum(column.max() for column in np.array_split(widths, n)) <= width
    )
    n_columns = next(fits, 1)
    low, high = ax.get_ylim()
    share = (LINE_HEIGHT * -(-len(names) // n_columns) + 4.0) / height
    ticks = [tick for tick in ax.get_yticks() if low <= tick <= min(high, 1.0)]
    ax.set(ylim=(low, low + (high - low) / max(0.3, 1.0 - share)), yticks=ticks)
    ax.spines["left"].set_bounds(low, high)
    legend = ax.legend(
        handles,
        names,
        loc="upper left",
        ncols=n_columns,
        frameon=False,
        borderpad=0.0,
        borderaxespad=0.0,
        handlelength=1.4,
        columnspacing=1.2,
        labelspacing=0.4,
    )
    for text in legend.get_texts():
        style.apply_to(text)
