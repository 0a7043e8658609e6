"""Sets of items that many draws have as a node, and trees made of such sets."""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import clade_counts, frequent_clades
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.support import to_csr

Items = NDArray[np.intp]


class Clade(NamedTuple):
    """A set of items, ascending, and the number of draws that have it as a node."""

    items: Items
    n_draws: int


def frequent(blocks: TreeBlocks, share: float) -> list[Clade]:
    """Find all clades that more than a share of the draws have, the most frequent first.

    Whatever is in more than a share of all draws is so in at least one block of them. So each
    block gives its own, and a second pass counts these over all: memory does not grow with the
    number of different clades. Equal counts are ordered by size, the largest first, and items.

    Examples
    --------
    >>> blocks = TreeBlocks([[[0], [0], [1]], [[0], [0], [1]], [[0], [1], [1]]])
    >>> [(clade.items.tolist(), clade.n_draws) for clade in frequent(blocks, 0.5)]
    [([0, 1], 2), ([2], 2)]
    """
    found: dict[bytes, Items] = {}
    for block in blocks.read():
        for draw, level, item in frequent_clades(block.trees, above(share, len(block.trees))):
            labels = block.trees[draw, level - 1]
            items = np.flatnonzero(labels == labels[item])
            found.setdefault(items.tobytes(), items)
    sets = list(found.values())
    if not sets:
        return []
    counts = np.zeros(len(sets), np.uint64)
    spans = np.zeros((len(sets), 2), np.uint64)
    for block in blocks.read():
        counts += clade_counts(to_csr(sets), spans, block.trees)[0]
    least = above(share, blocks.n_all)
    kept = [Clade(*each) for each in zip(sets, counts.tolist(), strict=True) if each[1] >= least]
    return sorted(kept, key=lambda clade: (-clade.n_draws, -len(clade.items), clade.items.tolist()))


def above(share: float, n: int) -> int:
    """Find the least whole number that is more than a share of n, without rounding.

    Examples
    --------
    >>> above(0.5, 10), above(0.5, 11)
    (6, 6)
    """
    return int(Fraction(share) * n) + 1


def compatible(clades: Iterable[Clade], n_items: int) -> list[Clade]:
    """Take clades in their order, but for those that overlap one that was taken.

    Two clades fit into one tree where they share no item, or one holds the other.

    Examples
    --------
    >>> clades = [Clade(np.array(items), 1) for items in ([0, 1], [1, 2], [0, 1, 2])]
    >>> [clade.items.tolist() for clade in compatible(clades, 4)]
    [[0, 1], [0, 1, 2]]
    """
    taken: list[Clade] = []
    masks: list[int] = []
    for clade in clades:
        bits = np.zeros(n_items, np.bool_)
        bits[clade.items] = True
        mask = int.from_bytes(np.packbits(bits).tobytes())
        if all(mask & other in (0, mask, other) for other in masks):
            taken.append(clade)
            masks.append(mask)
    return taken


def nested_paths(clades: Iterable[Items], n_items: int) -> NDArray[np.int32]:
    """Label the items of a tree that consists of clades, of which no two overlap partly.

    The levels are the depths. Items of a clade that are in none of the clades within it, where
    there are such, are leaves of their own; a clade without others in it is a leaf.

    Returns
    -------
    array of shape (n_items, n_levels)

    Examples
    --------
    >>> nested_paths([np.array([0, 1]), np.array([0, 1, 2])], 5)
    array([[1, 2],
           [1, 2],
           [1, 3],
           [4, 4],
           [5, 5]], dtype=int32)
    """
    nodes = sorted(clades, key=lambda items: (-len(items), items.tolist()))
    lowest = np.zeros(n_items, np.intp)  # of the clades so far, that of each item; 0 is the root
    depth = [0]
    inner = set()
    for number, items in enumerate(nodes, start=1):
        parent = int(lowest[items[0]])
        inner.add(parent)
        depth.append(depth[parent] + 1)
        lowest[items] = number
    for item in range(n_items):
        if int(lowest[item]) in inner:
            nodes.append(np.array([item]))
            depth.append(depth[lowest[item]] + 1)
    paths = np.zeros((n_items, max(1, *depth) if len(depth) > 1 else 1), np.int32)
    for number, items in enumerate(nodes, start=1):
        paths[items, depth[number] - 1 :] = number
    return paths
