"""How much a measure changes with the strength of regularisation and with the margin."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._checks import check_numbers
from rbhmc._core import InvalidInput
from rbhmc.plots.inputs import Array, axes_size, check_axes, new_figure
from rbhmc.plots.palette import BLACK, WHITE
from rbhmc.plots.text_style import SMALLEST_SIZE, TextStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = "PuOr_r"  # told apart by all readers, white in the middle
STYLES = [TextStyle(size) for size in (9.0, 8.0, SMALLEST_SIZE)]


def plot_sensitivity(
    C: ArrayLike,
    margin: ArrayLike,
    change: ArrayLike,
    *,
    measure: str = "AID",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the change of a measure, in percent, over the logarithms of C and margin.

    Parameters
    ----------
    C : array of shape (n_C,)
        Strengths of regularisation, above 0.
    margin : array of shape (n_margin,)
        Margins, above 0.
    change : array of shape (n_C, n_margin)
        The change in percent against the same model without regularisation.
    measure : str
        What changes.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of suitable size where absent.

    Returns
    -------
    matplotlib.axes.Axes
        C goes to the right and margin up, with a cell for each pair; white is no change. Numbers
        are left out where cells are too small for them.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> change = [[-1.0, 2.5], [-12.0, 0.0]]
    >>> ax = plot_sensitivity([0.1, 1.0], [1.0, 10.0], change, ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.texts]
    ['−1.0', '−12.0', '+2.5', '0.0']
    """
    strengths, margins = _logarithms(C, "C"), _logarithms(margin, "margin")
    values = check_numbers(change, "change", (len(strengths), len(margins)))
    table = values[np.ix_(np.argsort(strengths), np.argsort(margins))].T
    most = float(np.abs(table).max()) or 1.0
    if ax is None:
        across, up = max(4, len(strengths)), max(4, len(margins))
        ax = new_figure(0.65 * across + 1.8, 0.5 * up + 0.9).add_subplot()
        cell = (44.0, 34.0)  # no less, once the layout is done
    else:
        width, height = axes_size(check_axes(ax))
        cell = (width / len(strengths), height / len(margins))
    image = ax.imshow(table, origin="lower", cmap=COLORS, vmin=-most, vmax=most, aspect="auto")
    _write(ax, table, most, cell)
    ax.set_xticks(range(len(strengths)), _marks(strengths))
    ax.set_yticks(range(len(margins)), _marks(margins))
    ax.set(xlabel="log₁₀ C", ylabel="log₁₀ margin")
    ax.tick_params(labelsize=8, length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.06, pad=0.03)
    bar.set_label(f"change of {measure}, %", size=9)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    return ax


def _logarithms(values: ArrayLike, what: str) -> Array:
    numbers = check_numbers(values, what, (f"n_{what}",))
    if numbers.min() <= 0.0:
        raise InvalidInput(
            f"{what} holds {numbers.min():g}; it must be above 0, since its logarithm is drawn"
        )
    if len(np.unique(numbers)) < len(numbers):
        raise InvalidInput(f"{what} holds a value twice; each must be given once")
    return np.log10(numbers)


def _marks(logarithms: Array) -> list[str]:
    return [f"{value:.3g}".replace("-", "−") for value in np.sort(logarithms)]


def _write(ax: "Axes", table: Array, most: float, cell: tuple[float, float]) -> None:
    """Write the numbers as large and as precisely as cells allow."""
    for digits in (1, 0):
        words = [[_signed(value, digits) for value in row] for row in table]
        for type in STYLES:
            widest = max(type.width(word) for row in words for word in row)
            if widest <= 0.92 * cell[0] and 1.3 * type.size <= cell[1]:
                for (row, column), value in np.ndenumerate(table):
                    color = WHITE if abs(value) > 0.68 * most else BLACK
                    place = (float(column), float(row))
                    type.write(ax, *place, words[row][column], ha="center", color=color)
                return


def _signed(value: float, digits: int) -> str:
    text = f"{value:+.{digits}f}".replace("-", "−")
    return text[1:] if float(f"{value:.{digits}f}") == 0.0 else text
