"""Figures of the chains: traces, and the posterior of the number of nodes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_numbers
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.draws import Draws
from rbhmc.plots.inputs import Array, axes_size, figure_or_new, is_model
from rbhmc.plots.palette import NEUTRAL, series_colors, shade_color, tint
from rbhmc.plots.text_style import SMALLEST_SIZE, TextStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from rbhmc.estimator import RBHMC

LABEL = TextStyle(SMALLEST_SIZE + 0.5)
LABEL_SPACING = 10.0  # points
AXIS_NAMES = {"cdll": "CDLL", "rcdll": "RCDLL", "n_components": "components"}
MAX_BARS = 40
MAX_LABELLED_BARS = 8


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
        The quantities to draw.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    array of matplotlib.axes.Axes, of shape (n_names,)
        The number of each chain is at the end of its line.

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
        ax.set_ylabel(AXIS_NAMES.get(name, name.replace("_", " ")))
    axes[-1].set_xlabel("draw")
    axes[-1].xaxis.set_major_locator(_integer_ticks())
    page.align_ylabels(list(axes))
    return axes


def _find_values(draws: Draws | Mapping[str, ArrayLike], name: str) -> Array:
    if isinstance(draws, Mapping):
        values, known = draws.get(name), [str(key) for key in draws]
    else:
        values = getattr(draws, name, draws.learned.get(name))
        known = ["cdll", "rcdll", "loss", *draws.learned]
    if values is None:
        raise InvalidInput(f"draws has no {name!r}; it has {', '.join(known)}")
    return check_numbers(values, name, ("n_chains", "n_draws"))


def _draw_traces(ax: "Axes", values: Array) -> None:
    n_chains, n_draws = values.shape
    colors = series_colors(n_chains)
    draw = np.arange(1, n_draws + 1)
    marker = "." if n_draws == 1 else ""
    for chain, color in zip(values, colors, strict=True):
        ax.plot(draw, chain, color=color, linewidth=0.9, alpha=0.9, marker=marker)
    _style_panel(ax)
    ax.margins(x=0.01)
    if (values % 1.0 == 0.0).all():
        ax.yaxis.set_major_locator(_integer_ticks())
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
            color=shade_color(color, -0.7),  # thin letters in a light colour are hard to read
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


def plot_tree_size(
    source: "RBHMC | Draws | ArrayLike", *, figure: "Figure | SubFigure | None" = None
) -> NDArray[Any]:
    """Draw the posterior of the number of nodes at each level.

    Bars are the shares of all draws, and points the shares of each chain's draws. The points of
    chains that agree are close together.

    Parameters
    ----------
    source : RBHMC, BHMC, Draws, or array of shape (n_chains, n_draws, n_levels)
        A fitted model, its draws, or numbers of nodes.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    array of matplotlib.axes.Axes, of shape (n_levels,)

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> n_nodes = [[[2, 3], [2, 4]], [[2, 3], [3, 3]]]
    >>> axes = plot_tree_size(n_nodes, figure=Figure())
    >>> [float(bar.get_height()) for bar in axes[1].patches]
    [0.75, 0.25]
    """
    draws = source.draws_ if is_model(source) else source
    n_nodes = check_numbers(
        getattr(draws, "n_nodes", draws), "n_nodes", ("n_chains", "n_draws", "n_levels")
    )
    bad = n_nodes[(n_nodes < 1) | (n_nodes % 1 != 0)]
    if bad.size:
        raise InvalidInput(f"n_nodes holds {bad[0]:g}; it must hold whole numbers, at least 1")
    n_chains, _, n_levels = n_nodes.shape
    page = figure_or_new(figure, 2.5 * n_levels + 0.9, 2.6)
    axes: NDArray[Any] = page.subplots(1, n_levels, squeeze=False)[0]
    for level, ax in enumerate(axes, start=1):
        _draw_sizes(ax, n_nodes[:, :, level - 1].astype(int))
        ax.set_title(f"level {level}", size=9)
    axes[0].set_ylabel("share of draws")
    if n_chains > 1:
        legend = axes[-1].legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, handletextpad=0.1
        )
        for text in legend.get_texts():
            LABEL.apply_to(text)
    return axes


def _draw_sizes(ax: "Axes", n_nodes: NDArray[np.int_]) -> None:
    """Draw the bars of one level and the points of its chains."""
    low, high = int(n_nodes.min()), int(n_nodes.max())
    width = -(-(high - low + 1) // MAX_BARS)  # the numbers that one bar covers
    edges = np.arange(low, high + width + 1, width)
    shares = np.array([np.histogram(chain, edges)[0] / len(chain) for chain in n_nodes])
    middles = edges[:-1] + (width - 1) / 2.0
    ax.bar(middles, shares.mean(axis=0), 0.8 * width, color=tint(NEUTRAL, 0.35), zorder=1)
    n_chains = len(shares)
    if n_chains > 1:
        offsets = np.linspace(-0.25, 0.25, n_chains) * width
        for number, color in enumerate(series_colors(n_chains)):
            # Points at share 0 would only hide others.
            visited = shares[number] > 0.0
            ax.plot(
                middles[visited] + offsets[number],
                shares[number][visited],
                "o",
                color=color,
                markersize=3.5,
                markeredgecolor="white",
                markeredgewidth=0.4,
                label=f"chain {number + 1}",
            )
    if high - low < MAX_LABELLED_BARS:
        ax.set_xticks(range(low, high + 1))
    else:
        ax.xaxis.set_major_locator(_integer_ticks())
    ax.set(xlabel="nodes", xlim=(low - 0.8 * width, float(edges[-1]) - 0.2 * width))
    _style_panel(ax)


def _style_panel(ax: "Axes") -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)


def _integer_ticks() -> Any:
    return require("matplotlib.ticker", "plots").MaxNLocator(nbins=7, integer=True)
