"""The levels that a presented node stands for."""

import numpy as np
from numpy.typing import NDArray

from rbhmc.tree import Node, Tree


def span(tree: Tree, node: Node) -> tuple[int, int]:
    """Find the first and the last raw level at which a node is the node of its items.

    A node without siblings is merged with its parent, which takes its place at the levels down to
    where the children begin; a leaf goes down to the last level.

    Examples
    --------
    >>> tree = Tree.from_labels([[0, 0, 0], [0, 0, 1], [1, 1, 2]])
    >>> [(node.id, *span(tree, node)) for node in tree]
    [('root', 0, 0), ('1', 1, 2), ('1.1', 3, 3), ('1.2', 3, 3), ('2', 1, 3)]
    """
    last = tree.node(node.children[0]).level - 1 if node.children else tree.n_levels
    return node.level, last


def nodes_at(tree: Tree, level: int) -> tuple[NDArray[np.int32], list[str]]:
    """Find the nodes at a raw level: the place of each item's node among them, and their ids.

    Examples
    --------
    >>> nodes_at(Tree.from_labels([[0, 0], [1, 1], [1, 2]]), 1)
    (array([1, 0, 0], dtype=int32), ['1', '2'])
    """
    place = np.zeros(tree.n_items, np.int32)
    ids: list[str] = []
    for node in tree.nodes:
        first, last = span(tree, node)
        if first <= level <= last:
            place[node.items] = len(ids)
            ids.append(node.id)
    return place, ids


def packed(sets: list[NDArray[np.intp]]) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """Lay sets of items in a row, with the place where each ends.

    Examples
    --------
    >>> packed([np.array([0, 2]), np.array([1])])
    (array([0, 2, 1], dtype=uint32), array([2, 3], dtype=uint64))
    """
    items = np.concatenate([np.empty(0, np.uint32), *sets]).astype(np.uint32)
    ends = np.cumsum([len(each) for each in sets]).astype(np.uint64)
    return items, ends
