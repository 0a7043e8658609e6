"""What each chain went through, draw after draw."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.draws import Draws
from rbhmc.plots.canvas import figure_for, size_of
from rbhmc.plots.checks import Array, as_numbers, is_model
from rbhmc.plots.palette import series_colors, shaded
from rbhmc.plots.words import SMALL, Type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from rbhmc.estimator import RBHMC

LABEL = Type(SMALL + 0.5)
LINE = 10.0  # points from label to label
WORDS = {"cdll": "CDLL", "rcdll": "RCDLL", "n_components": "components"}


def plot_traces(
    source: "RBHMC | Draws | Mapping[str, ArrayLike]",
    names: Sequence[str] = ("cdll", "rcdll"),
    *,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Draw numbers of all chains against the draw, a panel for each kind of number.

    Parameters
    ----------
    source : RBHMC, BHMC, Draws, or mapping of str to array
        A fitted model, its draws, or arrays of shape (n_chains, n_draws) by name, such as
        ``model.diagnostics().values``.
    names : sequence of str
        Which of them.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a figure of suitable size where absent.

    Returns
    -------
    array of matplotlib.axes.Axes, of shape (n_names,)
        The number of each chain stands at the end of its line.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = plot_traces({"cdll": [[1.0, 2.0], [3.0, 2.5]]}, ["cdll"], figure=Figure())
    >>> [text.get_text() for text in axes[0].texts]
    ['chain 1', 'chain 2']
    """
    if isinstance(names, str) or not names:
        raise InvalidInput(f'names is {names!r}; it must list names, such as ("cdll", "rcdll")')
    draws = source.draws_ if is_model(source) else source
    series = {name: _numbers(draws, name) for name in names}
    page = figure_for(figure, 7.0, 1.9 * len(series) + 0.5)
    axes: NDArray[Any] = page.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (name, lines) in zip(axes, series.items(), strict=True):
        _panel(ax, lines)
        ax.set_ylabel(WORDS.get(name, name.replace("_", " ")))
    axes[-1].set_xlabel("draw")
    axes[-1].xaxis.set_major_locator(_whole())
    page.align_ylabels(list(axes))
    return axes


def _numbers(draws: Draws | Mapping[str, ArrayLike], name: str) -> Array:
    values = (
        draws.get(name)
        if isinstance(draws, Mapping)
        else getattr(draws, name, draws.learned.get(name))
    )
    if values is None:
        known = list(draws) if isinstance(draws, Mapping) else ["cdll", "rcdll", "loss"]
        raise InvalidInput(f"draws has no {name!r}; it has {', '.join(map(str, known))}")
    return as_numbers(values, name, ("n_chains", "n_draws"))


def _panel(ax: "Axes", lines: Array) -> None:
    n_chains, n_draws = lines.shape
    colors = series_colors(n_chains)
    at = np.arange(1, n_draws + 1)
    for line, color in zip(lines, colors, strict=True):
        ax.plot(at, line, color=color, linewidth=0.9, alpha=0.9, marker="." if n_draws == 1 else "")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    ax.margins(x=0.01)
    if (lines % 1.0 == 0.0).all():
        ax.yaxis.set_major_locator(_whole())
    low, high = ax.get_ylim()
    # Labels keep their distance, even where lines end at the same height.
    apart = LINE * (high - low) / size_of(ax)[1]
    heights = spread_out(lines[:, -1].tolist(), apart, low, high)
    for number, (end, height, color) in enumerate(zip(lines[:, -1], heights, colors, strict=True)):
        note = ax.annotate(
            f"chain {number + 1}",
            (n_draws, float(end)),
            xytext=(1.03, height),
            textcoords=ax.get_yaxis_transform(),
            va="center",
            color=shaded(color, -0.7),  # letters are thin, so that light ones are lost on white
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.5, "shrinkB": 0},
        )
        LABEL.dress(note)


def _whole() -> Any:
    return require("matplotlib.ticker", "plots").MaxNLocator(nbins=7, integer=True)


def spread_out(wanted: list[float], apart: float, low: float, high: float) -> list[float]:
    """Move heights as little as is needed for them to be so far apart.

    Examples
    --------
    >>> spread_out([1.0, 1.0, 5.0], 1.0, 0.0, 9.0)
    [0.5, 1.5, 5.0]
    """
    order = np.argsort(wanted, kind="stable")
    groups: list[list[float]] = []  # middle and number of those that stand close together
    for height in np.array(wanted)[order].tolist():
        groups.append([height, 1.0])
        while len(groups) > 1 and _top(groups[-2], apart) > _bottom(groups[-1], apart):
            (upper, n_upper), (lower, n_lower) = groups.pop(), groups.pop()
            n = n_upper + n_lower
            groups.append([(upper * n_upper + lower * n_lower) / n, n])
    placed: list[float] = []
    for middle, n in groups:
        placed += [middle + (number - (n - 1.0) / 2.0) * apart for number in range(int(n))]
    shift = max(0.0, low - placed[0]) + min(0.0, high - placed[-1])
    heights = np.empty(len(placed))
    heights[order] = np.array(placed) + shift
    return heights.tolist()


def _top(group: list[float], apart: float) -> float:
    return group[0] + group[1] * apart / 2.0


def _bottom(group: list[float], apart: float) -> float:
    return group[0] - group[1] * apart / 2.0
