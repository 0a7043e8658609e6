"""Which nodes of a tree are drawn where there is no room for all: small ones share a row."""

import heapq
from itertools import islice
from typing import NamedTuple

import numpy as np

from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

REST = "…"


class Shown(NamedTuple):
    """A node as it is drawn: without its children where it is folded, or the rest of them."""

    node: Node
    children: tuple[str, ...]
    n_leaves: int  # of the tree that it stands for


def unfolded(tree: Hierarchy, most: int | None = None) -> list[Shown]:
    """Choose the nodes to draw such that there are no more than `most` rows.

    One row goes at a time, whichever hides the fewest items: the smallest children of a node go
    into a row for the rest of them, or a node with two rows becomes one row itself.

    Parameters
    ----------
    tree : Tree
        The tree.
    most : int, optional
        Rows there is room for, 1 at least; all leaves where absent.

    Returns
    -------
    list of Shown
        Parents before children, rows from the top down. The rest of the children of a node is a
        node of its own, whose id ends with "…".

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2], [1, 2], [1, 2]])
    >>> [shown.node.id for shown in unfolded(tree)]
    ['root', '1', '2', '2.1', '2.2']
    >>> [(shown.node.id, shown.n_leaves) for shown in unfolded(tree, 2)]
    [('root', 3), ('1', 1), ('2', 2)]
    >>> singles = Tree.from_labels([[0], [1], [2], [3]])
    >>> [shown.node.id for shown in unfolded(singles, 3)]
    ['root', '1', '2', '…']
    """
    folding = _Folding(tree)
    if most is not None:
        while folding.n_rows > max(most, 1):
            folding.step()
    return folding.shown()


class _Folding:
    """What is folded so far."""

    def __init__(self, tree: Hierarchy) -> None:
        self.tree = tree
        self.n_rows = len(tree.leaves)
        self.folded: set[str] = set()
        self.rest: dict[str, list[str]] = {}  # children that share the row for the rest, by parent
        self.rest_size: dict[str, int] = {}
        self.n_open = {
            node.id: sum(not tree.node(child).is_leaf for child in node.children)
            for node in tree.nodes
        }
        # Children by size, the smallest last, from which those that are rows are taken.
        self.left = {node.id: list(node.children) for node in tree.nodes}
        self.moves: list[tuple[int, int, str]] = []
        for node in tree.nodes:
            if not node.is_leaf:
                self.offer(node)

    def is_row(self, id: str) -> bool:
        """Whether a node is drawn without its children."""
        return id in self.folded or self.tree.node(id).is_leaf

    def smallest(self, id: str, n: int) -> list[int]:
        """Find the smallest children that still have their own row, as places in `left`."""
        places = range(len(self.left[id]) - 1, -1, -1)
        return list(islice((at for at in places if self.is_row(self.left[id][at])), n))

    def move(self, node: Node) -> tuple[int, list[int]] | None:
        """Find the next move at a node: items that it hides, and children to merge (none: fold).

        A node of two rows is folded, since a row for the rest of one would hide nothing else.
        """
        has_rest = node.id in self.rest
        if self.n_visible(node.id) <= 2:
            return None if self.n_open[node.id] else (node.size, [])
        merged = self.smallest(node.id, 1 if has_rest else 2)
        if len(merged) + has_rest < 2:
            return None
        sizes = (self.tree.node(self.left[node.id][at]).size for at in merged)
        return self.rest_size.get(node.id, 0) + sum(sizes), merged

    def n_visible(self, id: str) -> int:
        """Count the children that are drawn."""
        return len(self.left[id]) + (id in self.rest)

    def offer(self, node: Node) -> None:
        """Put the next move at a node among the possible ones."""
        move = self.move(node)
        if move is not None:
            heapq.heappush(self.moves, (move[0], node.level, node.id))

    def step(self) -> None:
        """Make the move that hides the fewest items."""
        cost, _, id = heapq.heappop(self.moves)
        node = self.tree.node(id)
        move = self.move(node)
        if id in self.folded or move is None or move[0] != cost:
            return  # things have changed since this was offered, and it was offered again
        if move[1]:
            self.n_rows -= 1
            self.rest_size[id] = cost
            for at in move[1]:  # from the end on, so that the other places stay
                self.rest.setdefault(id, []).append(self.left[id].pop(at))
            self.offer(node)
        else:
            self.n_rows -= self.n_visible(id) - 1
            self.folded.add(id)
            if node.parent is not None:
                self.n_open[node.parent] -= 1
                self.offer(self.tree.node(node.parent))

    def shown(self) -> list[Shown]:
        """List the nodes that are left, each before its descendants."""
        n_leaves = {node.id: int(node.is_leaf) for node in self.tree.nodes}
        for node in reversed(self.tree.nodes):
            if node.parent is not None:
                n_leaves[node.parent] += n_leaves[node.id]
        found: list[Shown] = []
        stack = [self.tree.root]
        while stack:
            node = stack.pop()
            if node.id not in n_leaves:  # the rest of the children of another
                hidden = self.rest[str(node.parent)]
                found.append(Shown(node, (), sum(n_leaves[child] for child in hidden)))
                continue
            below = (
                [] if node.id in self.folded else [self.tree.node(c) for c in self.left[node.id]]
            )
            if below and node.id in self.rest:
                below.append(self.rest_of(node))
            found.append(Shown(node, tuple(child.id for child in below), n_leaves[node.id]))
            stack.extend(reversed(below))
        return found

    def rest_of(self, node: Node) -> Node:
        """Make a node of the children that share a row."""
        hidden = [self.tree.node(child) for child in self.rest[node.id]]
        items = np.sort(np.concatenate([child.items for child in hidden]))
        id = REST if node.parent is None else f"{node.id}.{REST}"
        return Node(id, node.id, hidden[0].level, (), items, None, None, None, None)
