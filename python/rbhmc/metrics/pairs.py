"""How often pairs of items share a node."""

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc.metrics._trees import Labels, as_trees, column, shared

LARGE = 20_000


def co_occurrence(draws: ArrayLike, level: int) -> NDArray[np.float64]:
    """Share of draws in which two items share the node at a level.

        P_ij = 1/S · Σ_s [ path_i and path_j share the node at `level` in draw s ],

    the posterior probability, as far as the draws tell, that i and j belong together. Draws of
    several chains are pooled. The matrix is symmetric, with ones on its diagonal.

    The draws are read one after the other: memory is that of the answer, 8 · n_items² bytes, and
    a few megabytes. More than 20,000 items (3.2 GB) give a UserWarning with the size.

    Parameters
    ----------
    draws : array of integers of shape (n_draws, n_items, n_levels)
        Draws of trees; or (n_chains, n_draws, n_items, n_levels).
    level : int
        1 … n_levels, or -1 … -n_levels from the leaves.

    Returns
    -------
    array of float64 of shape (n_items, n_items)

    Examples
    --------
    >>> co_occurrence([[[0], [0], [1]], [[0], [1], [1]]], level=1)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    trees = as_trees(draws, "draws", dims=(3, 4))
    trees = trees.reshape(-1, *trees.shape[-2:])
    together = counts(trees[:, :, column(level, trees.shape[2])])
    together /= len(trees)
    return together


def counts(numbers: Labels) -> NDArray[np.float64]:
    """How many draws have two items in one node: whole numbers, of shape (n_items, n_items).

    Parameters
    ----------
    numbers : array of shape (n_draws, n_items)
        The nodes at one level.
    """
    n_items = numbers.shape[1]
    if n_items > LARGE:
        size = 8e-9 * n_items**2
        warnings.warn(
            f"the co-occurrence of {n_items:,} items takes {size:.1f} GB of memory", stacklevel=3
        )
    together = np.zeros((n_items, n_items))
    # At most 255 draws at a time, so that their count fits a byte.
    for _, rows, same in shared(numbers, most=255):
        together[rows] += np.add.reduce(same.view(np.uint8), axis=0, dtype=np.uint8)
    return together
