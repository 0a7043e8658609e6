"""Text in figures: measured, shortened and wrapped before it is drawn, in fonts that have it."""

import warnings
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rbhmc._extras import require
from rbhmc._text import escape_unprintable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

SMALLEST_SIZE = 7.0  # points: the smallest size that is easy to read
MUTED = 0.7  # opacity of text that is not data, in the user's text colour
# On a screen letters are rounded to whole pixels, which makes text a little wider.
PIXEL_ROUNDING = 1.08
# Fonts whose glyphs are pictures of missing letters, or symbols in place of letters.
SYMBOL_FONTS = ("Last Resort", "STIXNonUnicode", "STIXSize", "cm")


class TextStyle:
    """A font size, and the font families that together have all letters of the text.

    Examples
    --------
    >>> small = TextStyle(7.0)
    >>> small.width("mm") > small.width("m") > 0.0
    True
    >>> small.shorten("a rather long name", small.width("a rather long"))
    'a rathe…me'
    """

    def __init__(self, size: float, texts: Iterable[str] = ()) -> None:
        """Choose families for `texts`; without texts, use the user's families."""
        self.size = size
        texts = tuple(texts)
        self.families = tuple(font_families(texts)) if texts else ()

    def width(self, text: str) -> float:
        """Return the width of a text, in points."""
        return PIXEL_ROUNDING * self.size * _extent(text, self.families)[0]

    def height(self, text: str) -> float:
        """Return the height of a line, in points: of usual letters, or of taller text."""
        return self.size * max(1.2, _extent(text, self.families)[1])

    def shorten(self, text: str, width: float) -> str:
        """Cut letters from the middle until the text is at most `width` wide.

        Both ends stay, since names differ at their ends as often as at their starts.
        """
        text = escape_unprintable(text)
        if self.width(text) <= width:
            return text
        n_letters = bisect_right(
            range(1, len(text)), width, key=lambda n: self.width(_cut(text, n))
        )
        return _cut(text, max(n_letters, 1))

    def wrap(self, parts: list[str], width: float) -> list[str]:
        """Join parts with commas into lines of at most `width`; a wider part has its own line."""
        lines: list[str] = []
        used = width
        for number, part in enumerate(parts, start=1):
            text = part if number == len(parts) else f"{part},"
            needed = self.width(text) + self.width("i ")
            if used + needed > width or not lines:
                lines.append(text)
                used = self.width(text)
            else:
                lines[-1] += f" {text}"
                used += needed
        return lines

    def write(self, ax: "Axes", x: float, y: float, text: str, **settings: Any) -> "Text":
        """Write a text in data coordinates, verbatim: a dollar sign does not start a formula."""
        defaults: dict[str, Any] = {"ha": "left", "va": "center", "clip_on": False}
        written = ax.text(x, y, text, **(defaults | settings))
        self.apply_to(written)
        return written

    def apply_to(self, text: "Text") -> None:
        """Set an existing text in this style."""
        text.set_fontsize(self.size)
        text.set_parse_math(False)
        text.set_usetex(False)
        if self.families:
            text.set_fontfamily(list(self.families))


def text_color() -> str:
    """Return the user's text colour, in which lines can be seen on light and dark figures."""
    color: str = require("matplotlib.colors", "plots").to_hex(
        require("matplotlib", "plots").rcParams["text.color"]
    )
    return color


def font_families(texts: Iterable[str]) -> list[str]:
    """List the user's font families, and others for letters that these lack.

    matplotlib looks for a letter only in the families that a text names.

    Examples
    --------
    >>> font_families(["ant"]) == list(require("matplotlib", "plots").rcParams["font.family"])
    True
    """
    families = list(require("matplotlib", "plots").rcParams["font.family"])
    missing = {ord(letter) for text in texts for letter in text if letter.isprintable()}
    for family in families:
        missing -= _letters(family)
    while missing:
        best = max(_installed_families(), key=lambda family: len(missing & _letters(family)))
        if not missing & _letters(best):
            break
        families.append(best)
        missing -= _letters(best)
    return families


@lru_cache(maxsize=1)
def _installed_families() -> list[str]:
    """List the families with upright letters of normal weight, sans-serif ones first."""
    fonts = require("matplotlib.font_manager", "plots").fontManager.ttflist
    upright = [font.name for font in fonts if (font.style, font.weight) == ("normal", 400)]
    names = {name for name in upright if not name.startswith(SYMBOL_FONTS)}
    return sorted(names, key=lambda name: ("Sans" not in name, name))


@lru_cache(maxsize=1024)
def _letters(family: str) -> frozenset[int]:
    """Return the code points that a family has; none if its file cannot be read."""
    manager = require("matplotlib.font_manager", "plots")
    try:
        font = manager.get_font(manager.findfont(manager.FontProperties(family=[family])))
        return frozenset(font.get_charmap())
    except (OSError, RuntimeError):
        return frozenset()


def _cut(text: str, n_letters: int) -> str:
    """Keep two thirds of the letters at the start and a third at the end, with "…" between."""
    tail = (n_letters - 1) // 3
    return f"{text[: n_letters - tail].rstrip()}…{text[len(text) - tail :].lstrip()}"


def _extent(text: str, families: tuple[str, ...]) -> tuple[float, float]:
    """Return width and height of a text of size 1."""
    if not text.isascii():
        return _measure(text, families)
    # ASCII letters do not change beside each other, so that their widths add up.
    return sum(_advance(letter, families) for letter in text), _measure("Ag|(", families)[1]


@lru_cache(maxsize=1024)
def _advance(letter: str, families: tuple[str, ...]) -> float:
    """Return the width of a letter between other letters."""
    with_letters, without = f"x{letter * 10}x", "xx"
    return (_measure(with_letters, families)[0] - _measure(without, families)[0]) / 10.0


@lru_cache(maxsize=8192)
def _measure(text: str, families: tuple[str, ...]) -> tuple[float, float]:
    to_path = require("matplotlib.textpath", "plots").text_to_path
    properties = require("matplotlib.font_manager", "plots").FontProperties(
        family=list(families) or None, size=1.0
    )
    with warnings.catch_warnings():
        # matplotlib warns of letters that no font has when the figure is drawn.
        warnings.simplefilter("ignore")
        width, height, _ = to_path.get_text_width_height_descent(text, properties, ismath=False)
    return width, height
