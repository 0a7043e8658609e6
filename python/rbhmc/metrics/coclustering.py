"""Co-clustering of pairs of items: how often two items share a node."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_level
from rbhmc._core import count_coclustered
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks

# The matrix of more items than this takes over 3.2 GB.
WARN_FROM_ITEMS = 20_000


def co_occurrence(draws: Draws | ArrayLike, level: int) -> NDArray[np.float64]:
    """Return the share of draws in which two items share a node at a level.

        P_ij = 1/S · Σ_s [ path_i and path_j share the node at `level` in draw s ],

    which estimates the posterior probability that i and j belong together. The draws of several
    chains are pooled. The matrix is symmetric with a unit diagonal.

    The draws are read in blocks: memory is 8 · n_items² bytes for the result plus some megabytes.
    More than 20,000 items (3.2 GB) give a UserWarning with the size.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        Draws of trees of at most 65,535 items.
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
    blocks = TreeBlocks(draws)
    at = check_level(level, blocks.n_levels) - 1
    if blocks.n_items > WARN_FROM_ITEMS:
        size = 8e-9 * blocks.n_items**2
        warnings.warn(
            f"the co-occurrence of {blocks.n_items:,} items takes {size:.1f} GB of memory",
            stacklevel=2,
        )
    together = np.zeros((blocks.n_items, blocks.n_items))
    for block in blocks.read():
        count_coclustered(block.trees[:, at], together)
    together /= blocks.n_all
    return together


def coclustering_counts(blocks: TreeBlocks, levels: Sequence[int]) -> NDArray[np.uint32]:
    """Count the draws in which two items share a node: (level, item, item).

    Parameters
    ----------
    blocks : TreeBlocks
        The draws.
    levels : sequence of int
        The levels, counted from 0 for the first below the root.

    Examples
    --------
    >>> coclustering_counts(TreeBlocks([[[0], [0], [1]], [[0], [1], [1]]]), [0])
    array([[[2, 1, 0],
            [1, 2, 1],
            [0, 1, 2]]], dtype=uint32)
    """
    counts = np.zeros((len(levels), blocks.n_items, blocks.n_items), np.uint32)
    for block in blocks.read():
        for count, level in zip(counts, levels, strict=True):
            count_coclustered(block.trees[:, level], count)
    return counts
