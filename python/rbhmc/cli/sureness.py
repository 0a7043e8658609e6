"""How sure the place of each item is: how often, over all draws, it is with those beside it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]

# Numbers that are worked on at once; a draw of more items is one such piece.
BLOCK = 2**18


def sureness(nodes: Ints, draws: Ints) -> Floats:
    """Return for each item how sure its node is at one level.

    For an item with others in its node: the mean over these of the share of draws in which the two
    are together. For one that is alone: the share of draws in which it is alone. A few draws are
    taken at a time, so that memory grows with the items, and not with their pairs.

    Parameters
    ----------
    nodes : array of integers of shape (n_items,)
        The node of each item in the tree that is presented.
    draws : array of integers of shape (n_draws, n_items)
        The same in each draw. All numbers start at 0.

    Examples
    --------
    >>> draws = np.array([[0, 0, 0, 1], [0, 0, 1, 2], [0, 1, 1, 1], [0, 0, 0, 1]])
    >>> sureness(np.array([0, 0, 0, 1]), draws)
    array([0.625, 0.75 , 0.625, 0.75 ])
    """
    n_draws, n_items = draws.shape
    size = np.bincount(nodes)[nodes]
    met = np.zeros(n_items, np.int64)
    step = max(1, BLOCK // n_items)
    for start in range(0, n_draws, step):
        drawn = draws[start : start + step]
        # An item alone in its node can only be met by itself, which counts if nobody else is.
        together = np.where(size > 1, _sharing(drawn, nodes) - 1, _sharing(drawn) == 1)
        met += together.sum(axis=0)
    shares: Floats = met / (n_draws * np.maximum(size - 1, 1))
    return shares


def _sharing(drawn: Ints, nodes: Ints | int = 0) -> Ints:
    """Return how many items share the node of each item in a draw and in the tree."""
    n_draws, n_items = drawn.shape
    # One number for draw, node of the tree and node of the draw: each is below n_items.
    one = (np.arange(n_draws)[:, None] * n_items + nodes) * n_items + drawn
    _, place, count = np.unique(one, return_inverse=True, return_counts=True)
    return np.asarray(count[place].reshape(drawn.shape))
