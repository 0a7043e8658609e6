"""The background of a figure, and colours that stand out from it."""

from typing import TYPE_CHECKING

from rbhmc._extras import require
from rbhmc.plots.palette import (
    BLACK,
    GUIDE,
    NEUTRAL,
    WHITE,
    lighten_for_dark,
    luminance,
    node_colors,
    shade_color,
    tint,
)
from rbhmc.plots.text_style import text_color
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Shades of heat maps from the lowest to the highest value, after the background.
SHADES_ON_LIGHT = ("#DDE3EA", "#8FA1B5", "#40566E", "#16273A")
SHADES_ON_DARK = ("#2A3642", "#566B80", "#9DB0C4", "#F0F4F8")
GUIDE_ON_DARK = "#4A515B"
TEXT_SHADE = 0.8  # how much darker a text is than a line of its colour, or lighter on dark
DARK = 0.18  # the largest luminance of a dark background


class Background:
    """The colour behind a figure, which counts as white unless it is dark.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> Background(Figure(facecolor="black").add_subplot(), axes=False).color
    '#000000'
    """

    def __init__(self, ax: "Axes", *, axes: bool = True) -> None:
        """Find the colour behind `ax`; with ``axes=False``, the axes will be turned off."""
        colors = require("matplotlib.colors", "plots")
        behind = [ax, ax.figure, ax.figure.figure] if axes else [ax.figure, ax.figure.figure]
        fills = [colors.to_rgba(each.get_facecolor()) for each in behind]
        opaque = [fill for fill in fills if fill[3] > 0.5]
        if opaque:
            found = colors.to_hex(opaque[0])
        else:  # the colour of the text tells which background the user has
            found = BLACK if luminance(text_color()) > DARK else WHITE
        self.is_dark = luminance(found) < DARK
        self.color = found if self.is_dark else WHITE

    @property
    def neutral(self) -> str:
        """The grey of what belongs to no branch."""
        return self.adapt(NEUTRAL)

    @property
    def guide(self) -> str:
        """The grey of lines that only guide the eye."""
        return GUIDE_ON_DARK if self.is_dark else GUIDE

    @property
    def shades(self) -> tuple[str, ...]:
        """The shades of a heat map, from the background to the highest value."""
        return (self.color, *(SHADES_ON_DARK if self.is_dark else SHADES_ON_LIGHT))

    def node_colors(self, tree: Hierarchy) -> dict[str, str]:
        """Return the colour of each node, by id."""
        return {id: self.adapt(color) for id, color in node_colors(tree).items()}

    def adapt(self, color: str) -> str:
        """Make a colour lighter if the background is dark."""
        return lighten_for_dark(color) if self.is_dark else color

    def text_shade(self, color: str) -> str:
        """Return a shade of a colour in which thin letters can be read."""
        return shade_color(color, TEXT_SHADE if self.is_dark else -TEXT_SHADE)

    def fade(self, color: str, share: float) -> str:
        """Mix a share of a colour with the background."""
        return tint(color, share, self.color)
