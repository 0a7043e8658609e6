"""Attachment of items to the leaves of a tree over a sample of the items.

The mean similarity of item i to a node A is, with B the node of i in a draw and at a level, or its
component, the mean of |A ∩ B| / |A| over levels and draws. An item descends from the root to the
child of highest mean similarity; of equal ones to the first.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import add_shared_items
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.presented import PresentedTree
from rbhmc.posterior.similarity import read_items

Ints = NDArray[np.intp]

# Similarities that are in memory together: items times nodes.
BLOCK_SIMILARITIES = 2**26

# Sums of shared items must stay below.
MAX_SUM = 2**32


def attach_items(draws: Draws | ArrayLike, tree: PresentedTree, sample: Ints) -> Ints:
    """Return the leaf of every item, given a tree over a sample, whose items stay where they are.

    Examples
    --------
    >>> draws = [[[0], [0], [0], [1], [1], [1]]]
    >>> tree = PresentedTree(
    ...     np.array([-1, 0, 0]), np.array([1, 1, 2]), np.array([4, 3, 2]), np.zeros(3, np.bool_)
    ... )
    >>> attach_items(draws, tree, np.array([0, 1, 5]))
    array([1, 1, 1, 2, 2, 2])
    """
    blocks = TreeBlocks(draws)
    leaves = np.zeros(blocks.n_items, np.intp)
    leaves[sample] = tree.leaves
    others = np.setdiff1d(np.arange(blocks.n_items), sample, assume_unique=True)
    every = blocks.thinning(MAX_SUM // (len(sample) * (blocks.n_levels + 1)) - 1)
    size = max(1, BLOCK_SIMILARITIES // len(tree.parents))
    given = (sample, tree.leaves, np.maximum(tree.parents, 0))
    for start in range(0, len(others), size):
        targets = others[start : start + size]
        sums = np.zeros((len(targets), len(tree.parents)), np.uint32)
        for block in read_items(draws, every=every):
            add_shared_items(given, targets, block.trees, sums)
            if block.components is not None:
                add_shared_items(given, targets, block.components, sums)
        leaves[targets] = descend(tree, sums)
    return leaves


def descend(tree: PresentedTree, sums: NDArray[np.integer[Any]]) -> Ints:
    """Return the leaf that items reach, given |A ∩ B| summed over draws and levels."""
    sizes = count_items(tree)
    at = np.zeros(len(sums), np.intp)
    for node in range(len(tree.parents)):  # parents come before their children
        children = np.flatnonzero(tree.parents == node)
        if len(children):
            here = np.flatnonzero(at == node)
            means = sums[np.ix_(here, children)] / sizes[children]
            at[here] = children[means.argmax(axis=1)]
    return at


def count_items(tree: PresentedTree) -> Ints:
    """Return the number of items of each node."""
    sizes = np.bincount(tree.leaves, minlength=len(tree.parents))
    for node in range(len(sizes) - 1, 0, -1):
        sizes[tree.parents[node]] += sizes[node]
    return sizes
