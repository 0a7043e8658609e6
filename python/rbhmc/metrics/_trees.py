"""Levels, classes and tables of partitions, as the measures want them."""

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._checks import check_array
from rbhmc._core import InvalidInput
from rbhmc.tree.labels import Labels, number


def as_classes(classes: ArrayLike, n_items: int, name: str = "classes") -> Labels:
    """Any labels of the items, checked, and numbered from 0 by first appearance."""
    array = check_array(classes, name)
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
