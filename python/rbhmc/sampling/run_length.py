"""The length of chains: counts that the user gives, and "auto", which depends on the items."""

from typing import Literal

from rbhmc._checks import check_count
from rbhmc._core import InvalidInput

Length = int | Literal["auto"]

# With "auto", one draw moves about ITEM_MOVES items and takes at most MAX_THIN sweeps; the warm-up
# takes as many sweeps as WARMUP_DRAWS draws.
ITEM_MOVES = 10_000
MAX_THIN = 40
WARMUP_DRAWS = 500


def auto_thin(n_items: int) -> int:
    """Return the sweeps per draw for "auto".

    Examples
    --------
    >>> [auto_thin(n_items) for n_items in (33, 250, 1_000, 70_000)]
    [40, 40, 10, 1]
    """
    return max(1, min(MAX_THIN, ITEM_MOVES // max(1, n_items)))


def count_sweeps(n_warmup: Length, thin: Length, n_items: int) -> tuple[int, int]:
    """Return the sweeps of the warm-up and the sweeps per draw, either of which may be "auto".

    Examples
    --------
    >>> count_sweeps("auto", "auto", 33), count_sweeps("auto", 5, 1_000)
    ((20000, 40), (5000, 5))
    """
    auto = auto_thin(n_items)
    return (
        _check_length("n_warmup", n_warmup, 0, WARMUP_DRAWS * auto),
        _check_length("thin", thin, 1, auto),
    )


def _check_length(name: str, given: Length, least: int, auto: int) -> int:
    if isinstance(given, str):
        if given != "auto":
            raise InvalidInput(
                f'{name} is {given!r}; it must be "auto" or a whole number, {least} at least'
            )
        return auto
    return check_count(name, given, least)
