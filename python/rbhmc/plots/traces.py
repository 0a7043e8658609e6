"""Traces of the chains."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_numbers
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.draws import Draws
from rbhmc.plots.background import Background
from rbhmc.plots.inputs import Array, axes_size, figure_or_new, is_model
from rbhmc.plots.palette import series_colors
from rbhmc.plots.text_style import MUTED, SMALLEST_SIZE, TextStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from rbhmc.estimator import RBHMC

LABEL = TextStyle(SMALLEST_SIZE + 0.5)
AXIS = TextStyle(9.0)
LABEL_SPACING = 10.0  # points
MAX_LABELLED_CHAINS = 8  # of more chains, labels and colours cannot be told apart
AXIS_NAMES = {"cdll": "CDLL", "rcdll": "RCDLL", "n_components": "components"}


def plot_traces(
    source: "RBHMC | Draws | Mapping[str, ArrayLike]",
    names: Sequence[str] = ("cdll", "rcdll"),
    *,
    figure: "Figure | SubFigure | None" = None,
) -> NDArray[Any]:
    """Draw traces: a quantity of each chain against the draw, with a panel for each quantity.

    Parameters
    ----------
    source : RBHMC, BHMC, Draws, or mapping of str to array
        A fitted model, its draws, or arrays of shape (n_chains, n_draws) by name, such as
        ``model.diagnostics().values``.
    names : sequence of str
        The quantities to draw; in a mapping, upper and lower case are equal.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    array of matplotlib.axes.Axes, of shape (n_names,)
        Up to 8 chains have their number at the end of their line; of more, the panels show how
        many there are.

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
    series = {name: _find_values(draws, name) for name in names}
    page = figure_or_new(figure, 7.0, 1.9 * len(series) + 0.5)
    axes: NDArray[Any] = page.subplots(len(series), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (name, values) in zip(axes, series.items(), strict=True):
        _draw_traces(ax, values)
        label = AXIS_NAMES.get(name, name.replace("_", " "))
        ax.set_ylabel(_break_lines(label, axes_size(ax)[1]), size=AXIS.size)
    n_chains = max(len(values) for values in series.values())
    if n_chains > MAX_LABELLED_CHAINS:
        axes[0].set_title(f"{n_chains} chains", size=LABEL.size, alpha=MUTED, loc="left")
    axes[-1].set_xlabel("draw", size=AXIS.size)
    axes[-1].xaxis.set_major_locator(_integer_ticks())
    page.align_ylabels(list(axes))
    return axes


def _find_values(draws: Draws | Mapping[str, ArrayLike], name: str) -> Array:
    if isinstance(draws, Mapping):
        values = {str(key).casefold(): draws[key] for key in draws}.get(name.casefold())
        known = [str(key) for key in draws]
    else:
        values = getattr(draws, name, draws.learned.get(name))
        known = ["cdll", "rcdll", "loss", *draws.learned]
    if values is None:
        raise InvalidInput(f"draws has no {name!r}; it has {'; '.join(known)}")
    return check_numbers(values, name, ("n_chains", "n_draws"))


def _break_lines(name: str, length: float) -> str:
    """Break a name between words into lines of at most this length, that of its panel."""
    first, *words = name.split(" ")
    lines = [first]
    for word in words:
        longer = f"{lines[-1]} {word}"
        if AXIS.width(longer) <= length:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)


def _draw_traces(ax: "Axes", values: Array) -> None:
    n_chains, n_draws = values.shape
    background = Background(ax)
    colors = [background.adapt(color) for color in series_colors(n_chains)]
    draw = np.arange(1, n_draws + 1)
    marker = "." if n_draws == 1 else ""
    has_labels = n_chains <= MAX_LABELLED_CHAINS
    width = 0.9 if has_labels else 0.6
    for chain, color in zip(values, colors, strict=True):
        ax.plot(draw, chain, color=color, linewidth=width, alpha=0.9, marker=marker)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
    ax.margins(x=0.01)
    if (values % 1.0 == 0.0).all():
        ax.yaxis.set_major_locator(_integer_ticks())
    if has_labels:
        _label_chains(ax, values, colors, background)


def _label_chains(ax: "Axes", values: Array, colors: Sequence[str], background: Background) -> None:
    n_draws = values.shape[1]
    low, high = ax.get_ylim()
    min_distance = LABEL_SPACING * (high - low) / axes_size(ax)[1]
    last = values[:, -1].tolist()
    heights = spread_out(last, min_distance, low, high)
    for number, (end, height, color) in enumerate(zip(last, heights, colors, strict=True)):
        note = ax.annotate(
            f"chain {number + 1}",
            (n_draws, end),
            xytext=(1.03, height),
            textcoords=ax.get_yaxis_transform(),
            va="center",
            color=background.text_shade(color),
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.5, "shrinkB": 0},
        )
        LABEL.apply_to(note)


def spread_out(wanted: list[float], distance: float, low: float, high: float) -> list[float]:
    """Move heights as little as possible such that any two are at least a distance apart.

    Examples
    --------
    >>> spread_out([1.0, 1.0, 5.0], 1.0, 0.0, 9.0)
    [0.5, 1.5, 5.0]
    """
    order = np.argsort(wanted, kind="stable")
    groups: list[tuple[float, int]] = []  # middle and size of neighbours at the least distance
    for height in np.array(wanted)[order].tolist():
        middle, n = height, 1
        while groups and middle - groups[-1][0] < (n + groups[-1][1]) * distance / 2.0:
            lower, n_lower = groups.pop()
            middle, n = (middle * n + lower * n_lower) / (n + n_lower), n + n_lower
        groups.append((middle, n))
    placed = np.array(
        [
            middle + (number - (n - 1) / 2.0) * distance
            for middle, n in groups
            for number in range(n)
        ]
    )
    heights = np.empty(len(placed))
    heights[order] = placed + max(0.0, low - placed[0]) + min(0.0, high - placed[-1])
    return heights.tolist()


def _integer_ticks() -> Any:
    return require("matplotlib.ticker", "plots").MaxNLocator(nbins=7, integer=True)
