"""Choose the nodes of a tree to draw if there is no room for all: small ones share a row."""

from typing import NamedTuple

import numpy as np

from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import SUPPORT_FIELDS, Node

REST = "…"


class DrawnNode(NamedTuple):
    """A node to draw: as in the tree, collapsed into a row, or a row for several siblings.

    Attributes
    ----------
    node : Node
        The node; a row for several siblings has a node of its own, whose id ends with "…".
    children : tuple of str
        The ids of the children that are drawn; empty for a row.
    n_leaves : int
        The number of leaves of the tree below it.
    """

    node: Node
    children: tuple[str, ...]
    n_leaves: int


def collapse(tree: Hierarchy, max_rows: int | None = None) -> list[DrawnNode]:
    """Choose nodes to draw in at most `max_rows` rows, or in a row for each leaf.

    The largest nodes are drawn, those of upper levels first. The other children of a node share a
    row; a node without drawn children is a row itself.

    Returns
    -------
    list of DrawnNode
        Parents before children, rows from the top down.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2], [1, 2], [1, 2]])
    >>> [drawn.node.id for drawn in collapse(tree)]
    ['root', '1', '2', '2.1', '2.2']
    >>> [(drawn.node.id, drawn.n_leaves) for drawn in collapse(tree, 2)]
    [('root', 3), ('1', 1), ('2', 2)]
    >>> singles = Tree.from_labels([[0], [1], [2], [3]])
    >>> [drawn.node.id for drawn in collapse(singles, 3)]
    ['root', '1', '2', '…']
    """
    n_drawn = _count_drawn_children(tree, len(tree.leaves) if max_rows is None else max_rows)
    n_leaves = {node.id: int(node.is_leaf) for node in tree.nodes}
    for node in reversed(tree.nodes):
        if node.parent is not None:
            n_leaves[node.parent] += n_leaves[node.id]
    drawn: list[DrawnNode] = []
    stack = [tree.root]
    while stack:
        node = stack.pop()
        n = n_drawn.get(node.id, 0)
        children = [tree.node(child) for child in node.children[:n]]
        rest = [tree.node(child) for child in node.children[n:]]
        if len(rest) == 1:
            children += rest
        elif children and rest:
            children.append(_merge_siblings(node, rest))
            n_leaves[children[-1].id] = sum(n_leaves[child.id] for child in rest)
        drawn.append(DrawnNode(node, tuple(child.id for child in children), n_leaves[node.id]))
        stack.extend(reversed(children))
    return drawn


def _count_drawn_children(tree: Hierarchy, max_rows: int) -> dict[str, int]:
    """Count the drawn children of each node: its first, since children are sorted by size.

    A child takes a row from its parent or from the rest of its siblings. If the rest are more
    siblings than this one, they need another row.
    """
    n_drawn = {node.id: 0 for node in tree.nodes}
    n_rows = 1
    # Upper levels come first unless a lower node is much larger.
    for node in sorted(tree.nodes[1:], key=lambda node: -node.size / node.level):
        parent = tree.node(str(node.parent))
        n_rows += n_drawn[parent.id] + 1 < len(parent.children)
        if n_rows > max_rows:
            break
        n_drawn[parent.id] += 1
    return n_drawn


def _merge_siblings(parent: Node, siblings: list[Node]) -> Node:
    """Make a node of the children that share a row."""
    items = np.sort(np.concatenate([node.items for node in siblings]))
    id = REST if parent.parent is None else f"{parent.id}.{REST}"
    level = siblings[0].level
    unknown = dict.fromkeys(SUPPORT_FIELDS)
    return Node(
        id, parent.id, level, (), items, None, **unknown, is_cluster=False, is_remainder=False
    )
