"""Words that fit: how wide they are on paper, shortened, broken into lines, and written."""

import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rbhmc._extras import require
from rbhmc.tree.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

SMALL = 7.0  # points: the smallest that is read without effort
QUIET = 0.7  # opacity of words that are not the data, in the user's colour of text
# Screens round letters to whole pixels, which makes words a little wider than they are drawn.
ROUNDING = 1.08


class Type:
    """A size and the families that hold every letter to be written in it.

    Examples
    --------
    >>> small = Type(7.0)
    >>> small.width("mm") > small.width("m") > 0.0
    True
    >>> small.shortened("a rather long name", small.width("a rather long"))
    'a rathe…me'
    """

    def __init__(self, size: float, families: tuple[str, ...] = ()) -> None:
        self.size = size
        self.families = families

    def width(self, text: str) -> float:
        """Width of a text, in points."""
        return ROUNDING * self.size * _extent(text, self.families)[0]

    def height(self, text: str) -> float:
        """Height of a line, in points: of usual letters, or of the text where it is taller."""
        return self.size * max(1.2, _extent(text, self.families)[1])

    def shortened(self, text: str, width: float) -> str:
        """Take letters out of the middle until the text is no wider than `width`.

        Both ends stay, since names differ at their ends as often as at their starts.
        """
        text = printable(text)
        if self.width(text) <= width:
            return text
        fewest, most = 1, len(text)
        while most - fewest > 1:
            tried = (fewest + most) // 2
            fits = self.width(_cut(text, tried)) <= width
            fewest, most = (tried, most) if fits else (fewest, tried)
        return _cut(text, fewest)

    def wrapped(self, parts: list[str], width: float) -> list[str]:
        """Join parts by commas in lines no wider than `width`; a wider part has its own line."""
        lines: list[str] = []
        used = width
        for number, part in enumerate(parts, start=1):
            piece = part if number == len(parts) else f"{part},"
            wide = self.width(piece) + self.width("i ")
            if used + wide > width or not lines:
                lines.append(piece)
                used = self.width(piece)
            else:
                lines[-1] += f" {piece}"
                used += wide
        return lines

    def write(self, ax: "Axes", x: float, y: float, text: str, **settings: Any) -> "Text":
        """Write a text as it is, in data coordinates: a dollar sign starts no formula."""
        usual: dict[str, Any] = {"ha": "left", "va": "center", "clip_on": False}
        written = ax.text(x, y, text, **(usual | settings))
        self.dress(written)
        return written

    def dress(self, text: "Text") -> None:
        """Give a text that is already there this type."""
        text.set_fontsize(self.size)
        text.set_parse_math(False)
        text.set_usetex(False)
        if self.families:
            text.set_fontfamily(list(self.families))


def _cut(text: str, n: int) -> str:
    """Keep `n` letters, two of three at the start, and say where some are missing."""
    tail = (n - 1) // 3
    return f"{text[: n - tail].rstrip()}…{text[len(text) - tail :].lstrip()}"


def _extent(text: str, families: tuple[str, ...]) -> tuple[float, float]:
    """Width and height of a text of size 1."""
    if not text.isascii():
        return _measured(text, families)
    # Letters that stand beside each other unchanged, as these do, need not be measured each time.
    return sum(_advance(letter, families) for letter in text), _measured("Ag|(", families)[1]


@lru_cache(maxsize=1024)
def _advance(letter: str, families: tuple[str, ...]) -> float:
    among, without = f"x{letter * 10}x", "xx"
    return (_measured(among, families)[0] - _measured(without, families)[0]) / 10.0


@lru_cache(maxsize=8192)
def _measured(text: str, families: tuple[str, ...]) -> tuple[float, float]:
    to_path = require("matplotlib.textpath", "plots").text_to_path
    properties = require("matplotlib.font_manager", "plots").FontProperties(
        family=list(families) or None, size=1.0
    )
    with warnings.catch_warnings():
        # matplotlib will say which letters no font has when the figure is drawn.
        warnings.simplefilter("ignore")
        width, height, _ = to_path.get_text_width_height_descent(text, properties, ismath=False)
    return width, height
