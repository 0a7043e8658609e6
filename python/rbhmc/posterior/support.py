"""Support of nodes: how well the draws agree with a set of items.

The transfer support of a set A (Lemoine et al. 2018) is

    1 - mean over draws of min_B |A Δ B| / (|A| - 1),

with B over the nodes of the draw, its root and the single items: 1 if A is a node of every draw, 0
if no node of any draw is closer to A than one of its items. A single item has distance 0 to the
draws in which it is alone in a node and 1 to the others.

A set that is almost as large as its parent P in a tree is close to P in all draws that have P. Its
nested support takes the smaller of the distances to its items and to its parent instead:

    1 - mean over draws of min(1, min_B |A Δ B| / min(|A| - 1, |P| - |A|)).

Exact recurrence is the share of draws that have A as a node.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import count_clades, frequent_clades, transfer_distances
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.tree import Tree
from rbhmc.tree.labels import Labels

Items = NDArray[np.intp]
Floats = NDArray[np.float64]

# Sets of items as the core takes them: all items, and the position at which each set ends.
ItemSets = tuple[NDArray[np.uint32], NDArray[np.uint64]]


class Support(NamedTuple):
    """The support of a node, from 0 to 1.

    Attributes
    ----------
    transfer : float
        The transfer support: 1 less the mean share of its items that would have to move.
    exact : float
        The share of draws that have exactly its items as a node, at any level.
    """

    transfer: float
    exact: float


class Clade(NamedTuple):
    """A set of items in ascending order, and the number of draws that have it as a node."""

    items: Items
    n_draws: int


def support(tree: Tree, draws: Draws | ArrayLike) -> dict[str, Support]:
    """Compute the support of each node of a tree by the draws.

    With A the items of a node, and B the items of a node of a draw, its root or a single item,

        transfer = 1 - mean over draws of  min over B of |A Δ B| / (|A| - 1),
        exact    = share of draws with a node B = A.

    Always ``exact <= transfer``; they are equal for a single item, and 1 for the root.

    Parameters
    ----------
    tree : Tree
        The tree, such as ``model.tree_``, with any number of levels.
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws of the same items.

    Returns
    -------
    dict of str to Support
        By the id of the node.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [0], [1]], [[0], [1], [1]], [[0], [0], [0]]]
    >>> support(Tree.from_labels([[0], [0], [1]]), draws)
    {'root': Support(transfer=1.0, exact=1.0), '1': Support(transfer=0.5, exact=0.5), \
'2': Support(transfer=0.5, exact=0.5)}
    """
    blocks = TreeBlocks(draws)
    blocks.check_tree(tree, levels=False)
    parents, leaves = number_nodes(tree)
    sizes = np.array([node.size for node in tree.nodes])
    total, exact = np.zeros(len(tree), np.uint64), np.zeros(len(tree), np.uint64)
    for block in blocks.read():
        distances = node_distances(parents, leaves, block.trees)
        total += distances.sum(axis=0, dtype=np.uint64)
        exact += (distances == 0).sum(axis=0, dtype=np.uint64)
    transfer = 1.0 - total / blocks.n_all / np.maximum(sizes - 1, 1)
    rows = zip(tree.nodes, transfer.tolist(), (exact / blocks.n_all).tolist(), strict=True)
    return {node.id: Support(*values) for node, *values in rows}


def with_support_from(tree: Tree, draws: Draws | ArrayLike) -> Tree:
    """Return a copy of a tree whose nodes have the supports that the draws give them.

    Remainders have none.

    Parameters
    ----------
    tree, draws
        As for `support`.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [0], [1]], [[0], [1], [1]], [[0], [0], [0]]]
    >>> with_support_from(Tree.from_labels([[0], [0], [1]]), draws).node("1").support
    0.5
    """
    supports = {
        id: each for id, each in support(tree, draws).items() if not tree.node(id).is_remainder
    }
    return tree.with_support(
        {id: each.transfer for id, each in supports.items()},
        exact={id: each.exact for id, each in supports.items()},
    )


def number_nodes(tree: Tree) -> tuple[Items, Items]:
    """Return the parent of each node, -1 for the root, and the leaf of each item, by position.

    Examples
    --------
    >>> number_nodes(Tree.from_labels([[0, 0], [0, 1], [1, 2]]))
    (array([-1,  0,  1,  1,  0]), array([2, 3, 4]))
    """
    place = {node.id: number for number, node in enumerate(tree.nodes)}
    parents = np.array([-1 if node.parent is None else place[node.parent] for node in tree.nodes])
    return parents, np.array([place[leaf.id] for leaf in tree.leaves])[tree.leaf_labels]


def node_distances(
    parents: NDArray[np.intp], leaves: NDArray[np.intp], trees: Labels
) -> NDArray[np.uint32]:
    """Return the transfer distances of the nodes of a tree to draws, (n_draws, n_nodes).

    Parameters
    ----------
    parents : array of shape (n_nodes,)
        The parent of each node, which comes before it; node 0 is the root.
    leaves : array of shape (n_items,)
        The leaf of each item.
    trees : array of shape (n_draws, n_levels, n_items)
        The canonical labels of the draws.

    Examples
    --------
    >>> trees = np.array([[[0, 0, 0, 1, 1]], [[0, 0, 1, 1, 1]]], np.int32)
    >>> node_distances(np.array([-1, 0, 0]), np.array([1, 1, 1, 2, 2]), trees)
    array([[0, 0, 0],
           [0, 1, 1]], dtype=uint32)
    """
    # The core takes the items first, and children before their parents.
    last = len(leaves) + len(parents) - 1
    entries = np.concatenate([last - leaves, last - parents[:0:-1], [-1]]).astype(np.int32)
    distances = transfer_distances(entries, trees)[:, ::-1]
    # A leaf of a single item.
    single = np.flatnonzero(np.bincount(leaves, minlength=len(parents))[leaves] == 1)
    distances[:, leaves[single]] = ~find_alone(trees)[:, single]
    return distances


def find_alone(trees: Labels) -> NDArray[np.bool_]:
    """Return whether each item is alone in a node of each draw, (n_draws, n_items)."""
    return np.stack([np.bincount(labels)[labels] == 1 for labels in trees[:, -1]])


def transfer_support(distances: NDArray[np.uint32], sizes: NDArray[np.intp]) -> Floats:
    """Return the transfer support of nodes from their distances, (n_draws, n_nodes).

    Examples
    --------
    >>> transfer_support(np.array([[0, 2], [1, 4]], np.uint32), np.array([3, 7]))
    array([0.75, 0.5 ])
    """
    means: Floats = distances.mean(axis=0)
    return 1.0 - means / np.maximum(sizes - 1, 1)


def nested_support(
    distances: NDArray[np.uint32], sizes: NDArray[np.intp], parent_sizes: NDArray[np.intp]
) -> Floats:
    """Return the support of nodes relative to their parents, from distances (n_draws, n_nodes).

    Examples
    --------
    >>> distances = np.array([[0, 1], [1, 1]], np.uint32)
    >>> nested_support(distances, np.array([9, 99]), np.array([20, 100]))
    array([0.9375, 0.    ])
    """
    scale = np.maximum(np.minimum(sizes - 1, parent_sizes - sizes), 1)
    means: Floats = np.minimum(distances / scale, 1.0).mean(axis=0)
    return 1.0 - means


def find_clades(blocks: TreeBlocks, threshold: float) -> list[Clade]:
    """Find all clades in more than a share of the draws, the most frequent first.

    A clade in more than this share of all draws is so in at least one block. So each block proposes
    its own clades, and a second pass counts these over all draws: memory does not grow with the
    number of distinct clades. Ties are ordered by size, the largest first, and then by items.

    Examples
    --------
    >>> blocks = TreeBlocks([[[0], [0], [1]], [[0], [0], [1]], [[0], [1], [1]]])
    >>> [(clade.items.tolist(), clade.n_draws) for clade in find_clades(blocks, 0.5)]
    [([0, 1], 2), ([2], 2)]
    """
    proposed: dict[bytes, Items] = {}
    for block in blocks.read():
        least = least_above(threshold, len(block.trees))
        for draw, level, item in frequent_clades(block.trees, least):
            labels = block.trees[draw, level - 1]
            items = np.flatnonzero(labels == labels[item])
            proposed.setdefault(items.tobytes(), items)
    if not proposed:
        return []
    sets = list(proposed.values())
    counts = np.zeros(len(sets), np.uint64)
    for block in blocks.read():
        counts += count_clades(to_csr(sets), block.trees)
    least = least_above(threshold, blocks.n_all)
    clades = [Clade(*each) for each in zip(sets, counts.tolist(), strict=True) if each[1] >= least]
    return sorted(
        clades, key=lambda clade: (-clade.n_draws, -len(clade.items), clade.items.tolist())
    )


def least_above(share: float, n: int) -> int:
    """Return the smallest integer above a share of n, computed without rounding."""
    return int(Fraction(share) * n) + 1


def to_csr(sets: list[Items]) -> ItemSets:
    """Concatenate sets of items, with the position at which each set ends."""
    items = np.concatenate([np.empty(0, np.uint32), *sets]).astype(np.uint32)
    ends = np.cumsum([len(each) for each in sets]).astype(np.uint64)
    return items, ends
