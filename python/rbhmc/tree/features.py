"""The columns of the table that a tree was made from: names, spread, and which hold yes or no."""

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc.columns import column_std

MAX_NUMBERED = 20  # more columns that have only numbers, such as pixels, mean nothing to a reader
FIRST_ROWS = 1000


class Features(NamedTuple):
    """The columns of a table.

    Attributes
    ----------
    names : tuple of str
    std : array of shape (n_features,)
        The standard deviation of each column over all items.
    is_binary : array of bool of shape (n_features,)
        Whether each column holds both 0 and 1, and nothing else.
    """

    names: tuple[str, ...]
    std: NDArray[np.float64]
    is_binary: NDArray[np.bool_]

    @property
    def are_readable(self) -> bool:
        """Whether the names say what the columns are: not if there are many that are numbered.

        Examples
        --------
        >>> import numpy as np
        >>> from rbhmc.tree.features import Features
        >>> pixels = tuple(f"pixel_{row}_{column}" for row in range(8) for column in range(8))
        >>> Features(pixels, np.ones(64), np.zeros(64, bool)).are_readable
        False
        >>> Features(("x0", "x1"), np.ones(2), np.zeros(2, bool)).are_readable
        True
        """
        if len(self.names) <= MAX_NUMBERED:
            return True
        stems = {re.sub(r"\d+", "#", name) for name in self.names}
        positions = [int(number) for name in self.names for number in re.findall(r"\d+", name)]
        return len(stems) > 1 or not positions or max(positions) > len(self.names)


def compute_features(X: NDArray[np.float64], names: tuple[str, ...]) -> Features:
    """Compute the spread of each column, and find the columns of 0 and 1.

    Examples
    --------
    >>> compute_features(np.array([[0.0, 2.0], [1.0, 4.0]]), ("legs", "mass"))
    Features(names=('legs', 'mass'), std=array([0.5, 1. ]), is_binary=array([ True, False]))
    """
    std = column_std(X)
    is_binary: NDArray[np.bool_] = std > 0.0
    for rows in (X[:FIRST_ROWS], X):  # few columns of a large table pass the first rows
        candidates = np.flatnonzero(is_binary)
        values = rows[:, candidates]
        is_binary[candidates] = ((values == 0.0) | (values == 1.0)).all(axis=0)
    return Features(names, std, is_binary)
