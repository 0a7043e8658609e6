"""How long chains run where nothing is said: small tables for many sweeps, large ones for few."""

from typing import Literal

from rbhmc._core import InvalidInput
from rbhmc.sampling.provenance import checked_count

Length = int | Literal["auto"]

# A draw of "auto" moves so many items, in at most so many sweeps; so many draws' time warm up.
ITEM_MOVES = 10_000
MOST_SWEEPS = 40
WARMUP_DRAWS = 500


def auto_thin(n_items: int) -> int:
    """Return the sweeps a draw of "auto".

    Examples
    --------
    >>> [auto_thin(n_items) for n_items in (33, 250, 1_000, 70_000)]
    [40, 40, 10, 1]
    """
    return max(1, min(MOST_SWEEPS, ITEM_MOVES // max(1, n_items)))


def sweeps_of(n_warmup: Length, thin: Length, n_items: int) -> tuple[int, int]:
    """Return the sweeps before the first draw and a draw, where they may be "auto".

    Examples
    --------
    >>> sweeps_of("auto", "auto", 33), sweeps_of("auto", 5, 1_000), sweeps_of(0, "auto", 1_000)
    ((20000, 40), (5000, 5), (0, 10))
    """
    auto = auto_thin(n_items)
    return (
        _checked("n_warmup", n_warmup, 0, WARMUP_DRAWS * auto),
        _checked("thin", thin, 1, auto),
    )


def _checked(name: str, given: Length, least: int, auto: int) -> int:
    if isinstance(given, str):
        if given != "auto":
            raise InvalidInput(
                f'{name} is {given!r}; it must be "auto" or a whole number, {least} at least'
            )
        return auto
    return checked_count(name, given, least)
