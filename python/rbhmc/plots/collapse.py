"""Choose the nodes of a tree to draw if there is no room for all: small ones share a row."""

import heapq
from itertools import islice
from typing import NamedTuple

import numpy as np

from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

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

    Each step removes a row, the one that hides the fewest items: the smallest children of a node
    move to a row for the rest of them, or a node of two rows becomes one row.

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
    state = _Collapse(tree)
    if max_rows is not None:
        while state.n_rows > max(max_rows, 1):
            state.step()
    return state.drawn_nodes()


class _Collapse:
    """The collapsed nodes, and a queue of the next step at each node."""

    def __init__(self, tree: Hierarchy) -> None:
        self.tree = tree
        self.n_rows = len(tree.leaves)
        self.collapsed: set[str] = set()
        # Children with a row or a subtree of their own, by size, and children in the row for the
        # rest; by the id of their parent.
        self.separate = {node.id: list(node.children) for node in tree.nodes}
        self.rest: dict[str, list[str]] = {}
        self.rest_size: dict[str, int] = {}
        self.n_subtrees = {
            node.id: sum(not tree.node(child).is_leaf for child in node.children)
            for node in tree.nodes
        }
        self.queue: list[tuple[int, int, str]] = []  # hidden items, level, id
        for node in tree.nodes:
            if not node.is_leaf:
                self.push_step(node)

    def find_step(self, node: Node) -> tuple[int, list[int]] | None:
        """Find the next step at a node: the items it hides, and the children to merge.

        Without children to merge, the step collapses the node. A node of two rows is collapsed,
        since merging its two rows would leave a node with a single row.
        """
        has_rest = node.id in self.rest
        if self.n_drawn(node.id) <= 2:
            return None if self.n_subtrees[node.id] else (node.size, [])
        merged = self.smallest_rows(node.id, 1 if has_rest else 2)
        if len(merged) + has_rest < 2:
            return None
        sizes = (self.tree.node(self.separate[node.id][at]).size for at in merged)
        return self.rest_size.get(node.id, 0) + sum(sizes), merged

    def smallest_rows(self, id: str, n: int) -> list[int]:
        """Find the smallest children that are rows, as indices into `separate`."""
        children = self.separate[id]
        rows = (at for at in range(len(children) - 1, -1, -1) if self.is_row(children[at]))
        return list(islice(rows, n))

    def is_row(self, id: str) -> bool:
        """Whether a node is drawn without children."""
        return id in self.collapsed or self.tree.node(id).is_leaf

    def n_drawn(self, id: str) -> int:
        """Count the children that are drawn."""
        return len(self.separate[id]) + (id in self.rest)

    def push_step(self, node: Node) -> None:
        """Queue the next step at a node."""
        step = self.find_step(node)
        if step is not None:
            heapq.heappush(self.queue, (step[0], node.level, node.id))

    def step(self) -> None:
        """Make the step that hides the fewest items."""
        n_hidden, _, id = heapq.heappop(self.queue)
        node = self.tree.node(id)
        step = self.find_step(node)
        if id in self.collapsed or step is None or step[0] != n_hidden:
            return  # outdated: the node has changed since, and was queued again
        if step[1]:
            self.n_rows -= 1
            self.rest_size[id] = n_hidden
            for at in step[1]:  # in descending order, so that the other indices stay valid
                self.rest.setdefault(id, []).append(self.separate[id].pop(at))
            self.push_step(node)
        else:
            self.n_rows -= self.n_drawn(id) - 1
            self.collapsed.add(id)
            if node.parent is not None:
                self.n_subtrees[node.parent] -= 1
                self.push_step(self.tree.node(node.parent))

    def drawn_nodes(self) -> list[DrawnNode]:
        """List the nodes that are drawn, each before its descendants."""
        n_leaves = {node.id: int(node.is_leaf) for node in self.tree.nodes}
        for node in reversed(self.tree.nodes):
            if node.parent is not None:
                n_leaves[node.parent] += n_leaves[node.id]
        drawn: list[DrawnNode] = []
        stack = [self.tree.root]
        while stack:
            node = stack.pop()
            children: list[Node] = []
            if node.id not in n_leaves:  # a row for the rest of the children of its parent
                n_leaves[node.id] = sum(n_leaves[child] for child in self.rest[str(node.parent)])
            elif node.id not in self.collapsed:
                children = [self.tree.node(child) for child in self.separate[node.id]]
                if node.id in self.rest:
                    children.append(self.rest_node(node))
            ids = tuple(child.id for child in children)
            drawn.append(DrawnNode(node, ids, n_leaves[node.id]))
            stack.extend(reversed(children))
        return drawn

    def rest_node(self, parent: Node) -> Node:
        """Make a node of the children that share a row."""
        hidden = [self.tree.node(child) for child in self.rest[parent.id]]
        items = np.sort(np.concatenate([child.items for child in hidden]))
        id = REST if parent.parent is None else f"{parent.id}.{REST}"
        return Node(id, parent.id, hidden[0].level, (), items, None, None, None, None)
