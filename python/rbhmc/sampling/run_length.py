"""The number of chains: what the user gives, or "auto", which depends on the items."""

from typing import Literal

from rbhmc._checks import check_count
from rbhmc._core import InvalidInput

# With "auto", tables of up to FEW_ITEMS items get more chains, since their sweeps take no time.
FEW_ITEMS = 400
CHAINS_OF_FEW_ITEMS = 16
CHAINS = 8


def count_chains(n_chains: int | Literal["auto"], n_items: int) -> int:
    """Return the number of chains, which may be "auto".

    Examples
    --------
    >>> count_chains("auto", 33), count_chains("auto", 70_000), count_chains(3, 33)
    (16, 8, 3)
    """
    if isinstance(n_chains, str):
        if n_chains != "auto":
            raise InvalidInput(
                f'n_chains is {n_chains!r}; it must be "auto" or a whole number, 1 at least'
            )
        return CHAINS_OF_FEW_ITEMS if n_items <= FEW_ITEMS else CHAINS
    return check_count("n_chains", n_chains, 1)
