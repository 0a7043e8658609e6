"""Where the nodes of a tree stand: a level is a column, a leaf is a row or several."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rbhmc.plots.fold import Shown
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node


def middles(shown: Sequence[Shown], rows: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Height of each node: a row's middle, or half way between the first and the last child.

    Parameters
    ----------
    shown : sequence of Shown
        The nodes, parents first.
    rows : mapping of str to (float, float)
        Where each row starts and ends, by id.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> from rbhmc.plots.fold import unfolded
    >>> shown = unfolded(Tree.from_labels([[0], [0], [1]]))
    >>> middles(shown, {"1": (0.0, 2.0), "2": (2.0, 3.0)})
    {'2': 2.5, '1': 1.0, 'root': 1.75}
    """
    middle: dict[str, float] = {}
    for node, children, _ in reversed(shown):
        ends = [middle[children[0]], middle[children[-1]]] if children else rows[node.id]
        middle[node.id] = (ends[0] + ends[1]) / 2.0
    return middle


def item_order(tree: Hierarchy) -> NDArray[np.intp]:
    """Items in the order of the leaves.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> item_order(Tree.from_labels([[0], [1], [1]]))
    array([1, 2, 0])
    """
    return np.concatenate([leaf.items for leaf in tree.leaves])


def item_rows(tree: Hierarchy) -> dict[str, tuple[float, float]]:
    """Where each leaf starts and ends if every item has a row of height 1.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> item_rows(Tree.from_labels([[0], [1], [1]]))
    {'1': (0.0, 2.0), '2': (2.0, 3.0)}
    """
    ends = np.cumsum([leaf.size for leaf in tree.leaves]).astype(float).tolist()
    starts = [0.0, *ends[:-1]]
    return {
        leaf.id: (start, end) for leaf, start, end in zip(tree.leaves, starts, ends, strict=True)
    }


def nodes_at(tree: Hierarchy, level: int) -> list[Node]:
    """Nodes that hold the items at a level: those that start there, or earlier and go on.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]])
    >>> [node.id for node in nodes_at(tree, 2)]
    ['1.1', '1.2', '2']
    """
    found = []
    for node in tree.nodes:
        ends = [tree.node(child).level for child in node.children[:1]]
        if node.level <= level and all(level < end for end in ends):
            found.append(node)
    return found
