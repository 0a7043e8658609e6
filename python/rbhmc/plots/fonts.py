"""Which fonts names are written in: the user's, and for letters that it lacks any that has them."""

from collections.abc import Iterable
from functools import lru_cache

from rbhmc._extras import require

# Their letters are pictures of missing ones, or other signs in the places of letters.
NO_LETTERS = ("Last Resort", "STIXNonUnicode", "STIXSize", "cm")


def families(texts: Iterable[str]) -> list[str]:
    """List font families that together have the letters of all texts, as far as any has.

    matplotlib looks for a letter in the families it is told, not in all that are installed.

    Parameters
    ----------
    texts : iterable of str
        What is to be written.

    Returns
    -------
    list of str
        The user's families first.

    Examples
    --------
    >>> families(["ant", "bee"]) == list(require("matplotlib", "plots").rcParams["font.family"])
    True
    """
    chosen = list(require("matplotlib", "plots").rcParams["font.family"])
    missing = {ord(letter) for text in texts for letter in text if letter.isprintable()}
    for family in chosen:
        missing -= _letters(family)
    while missing:
        best = max(_installed(), key=lambda family: len(missing & _letters(family)))
        if not missing & _letters(best):
            break
        chosen.append(best)
        missing -= _letters(best)
    return chosen


@lru_cache(maxsize=1)
def _installed() -> list[str]:
    """All families that have upright letters of normal weight, those without serifs first."""
    fonts = require("matplotlib.font_manager", "plots").fontManager.ttflist
    upright = [font.name for font in fonts if (font.style, font.weight) == ("normal", 400)]
    names = {name for name in upright if not name.startswith(NO_LETTERS)}
    return sorted(names, key=lambda name: ("Sans" not in name, name))


@lru_cache(maxsize=1024)
def _letters(family: str) -> frozenset[int]:
    manager = require("matplotlib.font_manager", "plots")
    try:
        font = manager.get_font(manager.findfont(manager.FontProperties(family=[family])))
        return frozenset(font.get_charmap())
    except (OSError, RuntimeError):
        return frozenset()  # a font that cannot be read has no letters for us
