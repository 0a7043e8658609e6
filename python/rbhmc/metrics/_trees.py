"""Levels, classes and tables of partitions, as the measures want them."""

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._core import InvalidInput
from rbhmc.tree.labels import Labels, as_array, number


def column(level: int, n_levels: int) -> int:
    """Column of level 1 … n_levels, or -1 … -n_levels counted from the leaves."""
    if isinstance(level, bool) or not isinstance(level, int | np.integer):
        raise InvalidInput(f"level is {level!r}; it must be a whole number")
    if 1 <= level <= n_levels:
        return int(level) - 1
    if -n_levels <= level <= -1:
        return n_levels + int(level)
    raise InvalidInput(
        f"level is {level}; it must be from 1 to {n_levels}, or from -1, the leaves, to "
        f"{-n_levels} (0 is the root)"
    )


def as_classes(classes: ArrayLike, n_items: int, name: str = "classes") -> Labels:
    """Any labels of the items, checked, and numbered from 0 by first appearance."""
    array = as_array(classes, name)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise InvalidInput(f"{name} holds NaN; it must give every item a class")
    if array.shape != (n_items,):
        raise InvalidInput(
            f"{name} has shape {array.shape}; it must have shape ({n_items},): one for each item"
        )
    try:
        numbers = np.unique(array, return_inverse=True)[1]
    except TypeError as error:
        raise InvalidInput(
            f"{name} cannot be sorted ({error}); give numbers only, or text only"
        ) from error
    return number(numbers.reshape(1, -1, 1)).reshape(-1)
