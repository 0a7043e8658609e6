"""How many nodes the trees of a posterior have."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.draws import Draws
from rbhmc.plots.canvas import figure_for
from rbhmc.plots.checks import as_numbers, is_model
from rbhmc.plots.palette import NEUTRAL, series_colors, tint
from rbhmc.plots.words import SMALL, Type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from rbhmc.estimator import RBHMC

LABEL = Type(SMALL + 0.5)
MOST_BARS = 40
FEW = 8  # bars that each have their number


def plot_tree_size(
    source: "RBHMC | Draws | ArrayLike", *, figure: "Figure | SubFigure | None" = None
) -> NDArray[Any]:
    """Draw the posterior of the number of nodes at each level.

    Bars are the share of all draws; points, the share of the draws of each chain. Chains that
    agree have their points on top of each other.

    Parameters
    ----------
    source : RBHMC, BHMC, Draws, or array of shape (n_chains, n_draws, n_levels)
        A fitted model, its draws, or numbers of nodes.
    figure : matplotlib.figure.Figure or SubFigure, optional
        Where to draw; a figure of suitable size where absent.

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
    numbers = as_numbers(
        getattr(draws, "n_nodes", draws), "n_nodes", ("n_chains", "n_draws", "n_levels")
    )
    if (numbers < 1).any() or (numbers % 1 != 0).any():
        raise InvalidInput(
            "n_nodes holds what is no number of nodes; it must hold whole numbers from 1 on"
        )
    n_chains, _, n_levels = numbers.shape
    page = figure_for(figure, 2.5 * n_levels + 0.9, 2.6)
    axes: NDArray[Any] = page.subplots(1, n_levels, squeeze=False)[0]
    for level, ax in enumerate(axes, start=1):
        _panel(ax, numbers[:, :, level - 1].astype(int))
        ax.set_title(f"level {level}", size=9)
    axes[0].set_ylabel("share of draws")
    if n_chains > 1:
        legend = axes[-1].legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, handletextpad=0.1
        )
        for text in legend.get_texts():
            LABEL.dress(text)
    return axes


def _panel(ax: "Axes", numbers: NDArray[np.int_]) -> None:
    """Draw the bars of one level and the points of its chains."""
    low, high = int(numbers.min()), int(numbers.max())
    width = -(-(high - low + 1) // MOST_BARS)  # more numbers than bars share them
    edges = np.arange(low, high + width + 1, width)
    shares = np.array([np.histogram(chain, edges)[0] / len(chain) for chain in numbers])
    middles = edges[:-1] + (width - 1) / 2.0
    ax.bar(middles, shares.mean(axis=0), 0.8 * width, color=tint(NEUTRAL, 0.35), zorder=1)
    n_chains = len(shares)
    if n_chains > 1:
        beside = np.linspace(-0.25, 0.25, n_chains) * width
        for number, color in enumerate(series_colors(n_chains)):
            # Where a chain never was, a point would only hide others.
            was = shares[number] > 0.0
            ax.plot(
                middles[was] + beside[number],
                shares[number][was],
                "o",
                color=color,
                markersize=3.5,
                markeredgecolor="white",
                markeredgewidth=0.4,
                label=f"chain {number + 1}",
            )
    if high - low < FEW:
        ax.set_xticks(range(low, high + 1))
    else:
        whole = require("matplotlib.ticker", "plots").MaxNLocator(nbins=7, integer=True)
        ax.xaxis.set_major_locator(whole)
    ax.set(xlabel="nodes", xlim=(low - 0.8 * width, float(edges[-1]) - 0.2 * width))
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8)
