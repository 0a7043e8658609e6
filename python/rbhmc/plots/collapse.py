"""Choose the nodes of a tree to draw: those with enough support, as many as there is room for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def hide_unsupported(tree: Hierarchy, min_support: float) -> list[Node]:
    """Leave out nodes with a known support below a limit, except for the root and the clusters.

    A hidden node passes its children and its items on to the node above it. Items that are in no
    child that is left are its remainder.

    Returns
    -------
    list of Node
        Parents before children, with the parents and children that are left.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [0, 1], [1, 2]], clusters=[0, 0, 0, 1])
    >>> tree = tree.with_support({"1": 0.9, "1.1": 0.8, "1.2": 0.1})
    >>> [(node.id, node.children) for node in hide_unsupported(tree, 0.5)]
    [('root', ('1', '2')), ('1', ('1.1', '1.rest')), ('1.1', ()), ('2', ()), ('1.rest', ())]
    """
    nodes = [
        node
        for node in tree.nodes
        if node.parent is None
        or node.is_cluster
        or not (node.is_remainder or (node.support is not None and node.support < min_support))
    ]
    if len(nodes) == sum(not node.is_remainder or node.is_cluster for node in tree):
        return list(tree.nodes)
    ids = {node.id for node in nodes}
    above: dict[str, str] = {}  # the node that is left above each node
    children: dict[str, list[Node]] = {id: [] for id in ids}
    for node in tree.nodes[1:]:
        parent = str(node.parent)
        above[node.id] = parent if parent in ids else above[parent]
        if node.id in ids:
            children[above[node.id]].append(node)
    rests: list[Node] = []
    for node in nodes:
        below = children[node.id]
        direct = np.setdiff1d(
            node.items, np.concatenate([node.items[:0], *(c.items for c in below)])
        )
        if below and len(direct):
            level = min(child.level for child in below)
            rests.append(_make_row(f"{node.id}.rest", node.id, level, direct, is_remainder=True))
            below.append(rests[-1])
    return [
        replace(
            node,
            parent=above.get(node.id),
            children=tuple(child.id for child in children[node.id]),
        )
        for node in nodes
    ] + rests


def collapse(nodes: Sequence[Node], max_rows: int | None = None) -> list[DrawnNode]:
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
    >>> [drawn.node.id for drawn in collapse(tree.nodes)]
    ['root', '1', '2', '2.1', '2.2']
    >>> [(drawn.node.id, drawn.n_leaves) for drawn in collapse(tree.nodes, 2)]
    [('root', 3), ('1', 1), ('2', 2)]
    >>> singles = Tree.from_labels([[0], [1], [2], [3]])
    >>> [drawn.node.id for drawn in collapse(singles.nodes, 3)]
    ['root', '1', '2', '…']
    """
    by_id = {node.id: node for node in nodes}
    chosen = _choose_largest(by_id, len(nodes) if max_rows is None else max_rows)
    n_leaves = {node.id: int(node.is_leaf) for node in nodes}
    for node in reversed(nodes):
        if node.parent is not None:
            n_leaves[node.parent] += n_leaves[node.id]
    drawn: list[DrawnNode] = []
    stack = [nodes[0]]
    while stack:
        node = stack.pop()
        children = [by_id[child] for child in node.children if child in chosen]
        rest = [by_id[child] for child in node.children if child not in chosen]
        if len(rest) == 1:
            children = [by_id[child] for child in node.children]
        elif children and rest:
            children.append(_merge_siblings(node, rest))
            n_leaves[children[-1].id] = sum(n_leaves[child.id] for child in rest)
        drawn.append(DrawnNode(node, tuple(child.id for child in children), n_leaves[node.id]))
        stack.extend(reversed(children))
    return drawn


def _choose_largest(by_id: Mapping[str, Node], max_rows: int) -> set[str]:
    """Choose the largest nodes, a parent before its children.

    A child takes a row from its parent or from the rest of its siblings. If the rest are more
    siblings than this one, they need another row.
    """
    n_drawn = dict.fromkeys(by_id, 0)  # the number of children that are drawn
    chosen: set[str] = set()
    n_rows = 1
    # Upper levels come first unless a lower node is much larger.
    below = [node for node in by_id.values() if node.parent is not None]
    for node in sorted(below, key=lambda node: -node.size / node.level):
        parent = by_id[str(node.parent)]
        n_rows += n_drawn[parent.id] + 1 < len(parent.children)
        if n_rows > max_rows:
            break
        n_drawn[parent.id] += 1
        chosen.add(node.id)
    return chosen


def _merge_siblings(parent: Node, siblings: list[Node]) -> Node:
    """Make a node of the children that share a row."""
    items = np.sort(np.concatenate([node.items for node in siblings]))
    id = REST if parent.parent is None else f"{parent.id}.{REST}"
    return _make_row(id, parent.id, siblings[0].level, items, is_remainder=False)


def _make_row(
    id: str, parent: str, level: int, items: NDArray[np.intp], *, is_remainder: bool
) -> Node:
    """Make a node that is not in the tree."""
    unknown = dict.fromkeys(SUPPORT_FIELDS)
    return Node(
        id, parent, level, (), items, None, **unknown, is_cluster=False, is_remainder=is_remainder
    )
