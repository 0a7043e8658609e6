"""How sure each node of a tree is."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import clade_counts, nearest_nodes
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.tree import Tree

# Sets of items in compressed rows: all items, and the position where each set ends.
ItemSets = tuple[NDArray[np.uint32], NDArray[np.uint64]]


class Support(NamedTuple):
    """How sure a node is: shares of draws, and a mean over draws.

    Attributes
    ----------
    exact : float
        Share of draws in which its items, exactly, are a node at any level.
    at_level : float
        Share of draws in which they are one at its own level; see `support`.
    jaccard : float
        Mean over draws of the largest Jaccard overlap of its items with any node.
    """

    exact: float
    at_level: float
    jaccard: float


def support(tree: Tree, draws: Draws | ArrayLike) -> dict[str, Support]:
    """Find how often each node of a tree is a node of a draw, and how much of it.

    With A the items of a node and B those of a node of a draw (its root included),

        exact    = share of draws with a node B = A,
        at_level = share of draws with a node B = A at one of A's own levels,
        jaccard  = mean over draws of  max over B of  |A ∩ B| / |A ∪ B|.

    A node's own levels are the raw ones that it stands for: from its `level` down to just above
    its children, or to the last one for a leaf, since a node without siblings is merged with its
    parent. In a tree with ``raw=True`` that is one level. Always
    ``at_level <= exact <= jaccard``, and all are 1 for the root.

    Parameters
    ----------
    tree : Tree
        The tree, such as ``model.tree_``; of any number of levels.
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws of the same items.

    Returns
    -------
    dict of str to Support
        By the id of the node. `at_level` is NaN where the tree has not as many levels as the
        draws, so that its levels are not theirs.

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
    spans = np.array([tree.level_range(node) for node in tree.nodes], np.uint64)
    exact = np.zeros(len(tree), np.uint64)
    at_level = np.zeros(len(tree), np.uint64)
    overlap = np.zeros(len(tree))
    for block in blocks.read():
        anywhere, there = clade_counts(sets, spans, block.trees)
        exact += anywhere
        at_level += there
        overlap += nearest_nodes(sets, block.trees)[2].sum(axis=0)
    own = at_level / blocks.n_all
    if tree.n_levels != blocks.n_levels:
        own[:] = np.nan
    columns = (exact / blocks.n_all, own, overlap / blocks.n_all)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {node.id: Support(*row) for node, row in zip(tree.nodes, rows, strict=True)}


def with_support_from(tree: Tree, draws: Draws | ArrayLike) -> Tree:
    """Return a tree with the supports and overlaps of its nodes, as `support` finds them.

    Parameters
    ----------
    tree, draws
        As of `support`.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [0], [1]], [[0], [1], [1]], [[0], [0], [0]]]
    >>> with_support_from(Tree.from_labels([[0], [0], [1]]), draws).node("1").support
    0.5
    """
    supports = support(tree, draws)
    return tree.with_support(
        {id: found.exact for id, found in supports.items()},
        overlap={id: found.jaccard for id, found in supports.items()},
        at_level={id: found.at_level for id, found in supports.items()},
    )


def to_csr(sets: list[NDArray[np.intp]]) -> ItemSets:
    """Concatenate sets of items, with the position where each set ends.

    Examples
    --------
    >>> to_csr([np.array([0, 2]), np.array([1])])
    (array([0, 2, 1], dtype=uint32), array([2, 3], dtype=uint64))
    """
    items = np.concatenate([np.empty(0, np.uint32), *sets]).astype(np.uint32)
    ends = np.cumsum([len(each) for each in sets]).astype(np.uint64)
    return items, ends
