"""The results of tuning, as heat maps over C and margin."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.plots.background import Background
from rbhmc.plots.co_occurrence import make_color_map
from rbhmc.plots.inputs import Array, figure_or_new
from rbhmc.plots.palette import text_color_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rbhmc.tuning import Tuning

ACCENT = "#D55E00"
TITLES = ("log density of held-out items, below the best", "disagreement, 0 to 1")


def plot_tuning(tuning: "Tuning", *, figure: Any = None) -> "np.ndarray[Any, Any]":
    """Draw density and disagreement of every pair of C and margin.

    Better values are closer to the colour of the background.

    Parameters
    ----------
    tuning : Tuning
        The result of `rbhmc.tune`.
    figure : matplotlib figure, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    array of matplotlib.axes.Axes
        Two maps: the mean log density of held-out items below the best one, with a dot if it is
        within one standard error, and the disagreement. A frame marks the recommended pair.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from rbhmc.tuning import Trial, Tuning
    >>> found = {"disagreement": 0.5, "aid": 1.0, "aod": 1.0, "n_nodes": (2.0,)}
    >>> plain = Trial(0.0, None, np.zeros(2), **found)
    >>> pairs = [(C, margin) for C in (1.0, 2.0) for margin in (1.0, 3.0)]
    >>> trials = [Trial(*pair, np.array(pair), **found) for pair in pairs]
    >>> axes = plot_tuning(Tuning((plain, *trials)), figure=Figure())
    >>> [text.get_text() for text in axes[1].texts]
    ['0.50', '0.50', '0.50', '0.50']
    """
    pairs = [trial for trial in tuning.trials if trial.margin is not None]
    if not pairs:
        raise InvalidInput("the tuning has no pair of C and margin to draw")
    strengths = sorted({trial.C for trial in pairs})
    margins = sorted({trial.margin for trial in pairs if trial.margin is not None})
    best_density = float(tuning.best_density.ln_density.mean())
    below_best, disagreement = np.full((2, len(margins), len(strengths)), np.nan)
    marks: dict[tuple[int, int], str] = {}
    for trial in pairs:
        assert trial.margin is not None  # as selected above
        cell = margins.index(trial.margin), strengths.index(trial.C)
        below_best[cell] = best_density - trial.ln_density.mean()
        disagreement[cell] = trial.disagreement
        marks[cell] = "● " if trial in tuning.within_one_se else ""
    width = 2.0 * (0.75 * len(strengths) + 1.6)
    page = figure_or_new(figure, max(width, 8.0), 0.5 * len(margins) + 1.6)
    axes = np.asarray(page.subplots(1, 2, sharey=True))
    for ax, values, title in zip(axes, (below_best, disagreement), TITLES, strict=True):
        _draw_map(ax, values, marks if ax is axes[0] else {})
        ax.set_title(title, size=9)
        ax.set_xticks(range(len(strengths)), [f"{value:g}" for value in strengths])
        ax.set_yticks(range(len(margins)), [f"{value:g}" for value in margins])
        ax.set_xlabel("C")
        ax.tick_params(labelsize=8, length=0)
        ax.spines[:].set_visible(False)
        best = tuning.recommended
        if best.margin is not None:
            _draw_frame(ax, strengths.index(best.C), margins.index(best.margin))
    axes[0].set_ylabel("margin")
    return axes


def _draw_map(ax: "Axes", values: Array, marks: dict[tuple[int, int], str]) -> None:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    shades = make_color_map(Background(ax).shades[:4])
    image = ax.imshow(values, origin="lower", cmap=shades, vmin=low, vmax=high, aspect="auto")
    to_hex = require("matplotlib.colors", "plots").to_hex
    for (row, column), value in np.ndenumerate(values):
        ax.text(
            column,
            row,
            f"{marks.get((row, column), '')}{value:.2f}",
            ha="center",
            va="center",
            size=8,
            color=text_color_on(to_hex(image.to_rgba(np.array(value)))),
        )


def _draw_frame(ax: "Axes", column: int, row: int) -> None:
    ax.add_patch(
        require("matplotlib.patches", "plots").Rectangle(
            (column - 0.48, row - 0.48), 0.96, 0.96, fill=False, edgecolor=ACCENT, linewidth=2.0
        )
    )
