"""Similarity of items: the share of draws and levels in which two items are together.

With the draws of all chains, L levels, and c the mixture component of an item,

    s_ij = mean over draws of ([levels at which i and j share a node] + [c_i = c_j]) / (L + 1).

Draws that are plain arrays of paths have no components; then s is the mean over levels only.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import count_coclustered
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.tree.labels import Labels, canonicalize

Items = NDArray[np.intp]
Counts = NDArray[np.uint32]

# All pairs of at most this number of items are counted; of more items a sample is taken.
MAX_PAIRWISE_ITEMS = 5_000


class ItemBlock(NamedTuple):
    """Some draws of one chain: the canonical labels of the trees, and of the components if known.

    Both have shape (n_draws, n_levels, n_items); components have one level.
    """

    trees: Labels
    components: Labels | None


class Similarity(NamedTuple):
    """Whole numbers for each pair of items.

    Attributes
    ----------
    levels : array of shape (n_items, n_items)
        The number of levels, over all draws, at which two items share a node.
    n_levels : int
        The largest possible number: levels times draws.
    all : array of shape (n_items, n_items)
        The same, and in how many draws they share a component.
    n_all : int
        The largest possible number; ``s = all / n_all``.
    """

    levels: Counts
    n_levels: int
    all: Counts
    n_all: int


def sample_items(n_items: int, max_items: int | None = None) -> Items:
    """Return all items, or a random sample of `max_items`, in ascending order.

    The sample depends on the two numbers only. None is `MAX_PAIRWISE_ITEMS`.

    Examples
    --------
    >>> sample_items(4)
    array([0, 1, 2, 3])
    >>> len(sample_items(12_000))
    5000
    """
    max_items = MAX_PAIRWISE_ITEMS if max_items is None else max_items
    if n_items <= max_items:
        return np.arange(n_items)
    chosen = np.random.default_rng(n_items).permutation(n_items)[:max_items]
    return np.sort(chosen)


def read_items(
    draws: Draws | ArrayLike, items: Items | None = None, *, every: int = 1
) -> Iterator[ItemBlock]:
    """Read the draws in blocks, of all items or of some.

    Examples
    --------
    >>> block = next(read_items([[[0], [1], [1]]], np.array([1, 2])))
    >>> block.trees, block.components
    (array([[[0, 0]]], dtype=int32), None)
    """
    for block in TreeBlocks(draws).read(every):
        trees = block.trees
        if items is not None and len(items) < trees.shape[2]:
            trees = canonicalize(trees[:, :, items].transpose(0, 2, 1))
        components = None
        if isinstance(draws, Draws):
            places = slice(int(block.draws[0]), int(block.draws[-1]) + 1, every)
            found = draws.read("components", block.chain, places)
            found = found if items is None else found[:, items]
            components = canonicalize(found[:, :, None])
        yield ItemBlock(trees, components)


def similarity(draws: Draws | ArrayLike, items: Items) -> Similarity:
    """Count, for each pair of the given items, the levels and components that they share.

    Examples
    --------
    >>> found = similarity([[[0, 0], [0, 1], [1, 2]], [[0, 0], [0, 0], [1, 1]]], np.arange(3))
    >>> found.all / found.n_all
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.  ],
           [0.  , 0.  , 1.  ]])
    """
    levels = np.zeros((len(items), len(items)), np.uint32)
    components = None
    n_draws = n_levels = 0
    for block in read_items(draws, items):
        n_draws += len(block.trees)
        n_levels = block.trees.shape[1]
        count_coclustered(block.trees.reshape(-1, len(items)), levels)
        if block.components is not None:
            if components is None:
                components = np.zeros_like(levels)
            count_coclustered(block.components[:, 0], components)
    if components is None:
        return Similarity(levels, n_levels * n_draws, levels, n_levels * n_draws)
    components += levels
    return Similarity(levels, n_levels * n_draws, components, (n_levels + 1) * n_draws)
