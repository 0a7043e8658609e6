"""The complete draws of chains that were stopped: as many as make chains of one length."""

import warnings
from collections.abc import Sequence

from rbhmc.sampling.store import Piece


def complete_draws(pieces: Sequence[Piece], n_draws: int) -> dict[int, Piece]:
    """Cut chains to one length, and say so; chains that are whole are returned as they are.

    Chains of unequal length are compared and stored badly. Of all ways to take some chains and
    cut them to the shortest of these, the one that keeps most draws is taken.

    Returns
    -------
    dict of int to dict of arrays
        The chains that are kept, by number.

    Raises
    ------
    KeyboardInterrupt
        If no chain has a draw: there is nothing to present.

    Examples
    --------
    >>> import numpy as np
    >>> complete_draws([{"cdll": np.zeros(3)}, {"cdll": np.zeros(3)}], 3)[0]["cdll"].shape
    (3,)
    """
    lengths = [len(piece["cdll"]) for piece in pieces]
    if min(lengths) == n_draws:
        return dict(enumerate(pieces))
    longest_first = sorted(lengths, reverse=True)
    kept = max(longest_first, key=lambda length: length * sum(n >= length for n in lengths))
    if kept == 0:
        raise KeyboardInterrupt("interrupted before the first draw of any chain")
    chosen = [number for number, length in enumerate(lengths) if length >= kept]
    warnings.warn(
        f"interrupted: chains {_listed(range(len(lengths)))} had {_listed(lengths)} of {n_draws} "
        f"draws; the model is fitted on {kept} draws of each of "
        f"{len(chosen)} chains ({_listed(chosen)})",
        RuntimeWarning,
        stacklevel=3,
    )
    return {n: {key: values[:kept] for key, values in pieces[n].items()} for n in chosen}


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)
