"""Support of nodes: how often a set of items is a node of a draw (a clade)."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import best_jaccard, count_clades, frequent_clades
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.tree import Tree

Items = NDArray[np.intp]

# Sets of items as the core takes them: all items, and the position at which each set ends.
ItemSets = tuple[NDArray[np.uint32], NDArray[np.uint64]]


class Support(NamedTuple):
    """The support of a node: two shares of draws, and a mean over draws.

    Attributes
    ----------
    exact : float
        The share of draws that have exactly its items as a node, at any level.
    at_level : float
        The share of draws that have exactly its items as a node at its own level; see `support`.
    jaccard : float
        The mean over draws of the largest Jaccard overlap of its items with any node.
    """

    exact: float
    at_level: float
    jaccard: float


class Clade(NamedTuple):
    """A set of items in ascending order, and the number of draws that have it as a node."""

    items: Items
    n_draws: int


def support(tree: Tree, draws: Draws | ArrayLike) -> dict[str, Support]:
    """Compute the support of each node of a tree by the draws.

    With A the items of a node and B the items of a node of a draw (its root included),

        exact    = share of draws with a node B = A,
        at_level = share of draws with a node B = A at one of A's own levels,
        jaccard  = mean over draws of  max over B of  |A ∩ B| / |A ∪ B|.

    A node without siblings is merged with its parent, so a node may stand for several levels: from
    its `level` down to just above its children, or to the last level for a leaf. Always
    ``at_level <= exact <= jaccard``, and all are 1 for the root.

    Parameters
    ----------
    tree : Tree
        The tree, such as ``model.tree_``, with any number of levels.
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws of the same items.

    Returns
    -------
    dict of str to Support
        By the id of the node. `at_level` is NaN if the tree and the draws differ in their numbers
        of levels.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [0], [1]], [[0], [1], [1]], [[0], [0], [0]]]
    >>> tree = Tree.from_labels([[0], [0], [1]])
    >>> support(tree, draws)["1"]  # exactly in two draws, 2 of 3 with the root in two
    Support(exact=0.5, at_level=0.5, jaccard=0.83333...)
    """
    blocks = TreeBlocks(draws)
    blocks.check_tree(tree, levels=False)
    sets = to_csr([node.items for node in tree.nodes])
    levels = np.array([tree.level_range(node) for node in tree.nodes], np.uint64)
    exact = np.zeros(len(tree), np.uint64)
    at_level = np.zeros(len(tree), np.uint64)
    jaccard = np.zeros(len(tree))
    for block in blocks.read():
        n_exact, n_at_level = count_clades(sets, levels, block.trees)
        exact += n_exact
        at_level += n_at_level
        jaccard += best_jaccard(sets, block.trees)[2].sum(axis=0)
    same_levels = tree.n_levels == blocks.n_levels
    columns = (exact, at_level if same_levels else np.full(len(tree), np.nan), jaccard)
    rows = np.stack([column / blocks.n_all for column in columns], axis=1).tolist()
    return {node.id: Support(*row) for node, row in zip(tree.nodes, rows, strict=True)}


def with_support_from(tree: Tree, draws: Draws | ArrayLike) -> Tree:
    """Return a copy of a tree whose nodes have the `support` that the draws give them.

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
    supports = support(tree, draws)
    return tree.with_support(
        {id: each.exact for id, each in supports.items()},
        overlap={id: each.jaccard for id, each in supports.items()},
        at_level={id: each.at_level for id, each in supports.items()},
    )


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
    any_level = np.zeros((len(sets), 2), np.uint64)
    for block in blocks.read():
        counts += count_clades(to_csr(sets), any_level, block.trees)[0]
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
