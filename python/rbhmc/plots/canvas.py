"""Where a figure is drawn: on the axes that are given, or on new ones."""

from typing import TYPE_CHECKING, Any

from rbhmc._core import InvalidInput
from rbhmc._extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

INCH = 72.0  # points


def axes_for(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the axes that are given, or those of a new figure of some inches."""
    return new_figure(width, height).add_subplot() if ax is None else checked_axes(ax)


def figure_for(figure: Any, width: float, height: float) -> "Figure | SubFigure":
    """Return the figure that is given, or a new one of some inches."""
    if figure is None:
        return new_figure(width, height)
    base = require("matplotlib.figure", "plots").FigureBase
    if not isinstance(figure, base):
        raise InvalidInput(
            f"figure is a {type(figure).__name__}; it must be a matplotlib figure, or None for a "
            "new one"
        )
    given: Figure | SubFigure = figure
    return given


def new_figure(width: float, height: float, layout: str = "constrained") -> "Figure":
    """Open a figure by pyplot, so that notebooks and ``pyplot.show()`` know of it."""
    figure: Figure = require("matplotlib.pyplot", "plots").figure(
        figsize=(width, height), layout=layout
    )
    return figure


def checked_axes(ax: Any) -> "Axes":
    """Check that these are axes."""
    if not isinstance(ax, require("matplotlib.axes", "plots").Axes):
        raise InvalidInput(
            f"ax is a {type(ax).__name__}; it must be matplotlib axes, or None for new ones"
        )
    given: Axes = ax
    return given


def size_of(ax: "Axes") -> tuple[float, float]:
    """Width and height of axes as they are now, in points."""
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes that are drawn on belong to a figure
    box = ax.get_window_extent()
    return box.width * INCH / figure.dpi, box.height * INCH / figure.dpi
