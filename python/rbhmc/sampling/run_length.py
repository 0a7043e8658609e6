"""The number of chains and of the items of each: given, or "auto", which depends on the table."""

from typing import Literal

from rbhmc._checks import check_count
from rbhmc._core import InvalidInput

# With "auto", tables of up to FEW_ITEMS items get more chains, since their sweeps take no time.
FEW_ITEMS = 400
CHAINS_OF_FEW_ITEMS = 16
CHAINS = 8
# With "auto", chains of more than MAX_ITEMS_PER_CHAIN items are fitted to ITEMS_PER_CHAIN of them.
MAX_ITEMS_PER_CHAIN = 2_000
ITEMS_PER_CHAIN = 1_000


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


def count_fitted(items_per_chain: int | Literal["auto"] | None, n_items: int) -> int:
    """Return the number of items that each chain is fitted to; None is all of them.

    Examples
    --------
    >>> count_fitted("auto", 33), count_fitted("auto", 5_000), count_fitted(None, 5_000)
    (33, 1000, 5000)
    """
    if items_per_chain is None:
        return n_items
    if isinstance(items_per_chain, str):
        if items_per_chain != "auto":
            raise InvalidInput(
                f'items_per_chain is {items_per_chain!r}; it must be "auto", None for all items, '
                "or a whole number, 2 at least"
            )
        return n_items if n_items <= MAX_ITEMS_PER_CHAIN else ITEMS_PER_CHAIN
    return min(n_items, check_count("items_per_chain", items_per_chain, 2))
