"""Nodes of a tree, and how they are built from canonical labels."""

from dataclasses import astuple, dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rbhmc._checks import check_share
from rbhmc._core import InvalidInput

Items = NDArray[np.intp]

# The attributes of a node that the draws give it: numbers, or None if unknown. All but the last are
# from 0 to 1.
SUPPORT_FIELDS = (
    "support",
    "exact",
    "height",
    "chain_share",
    "probability",
    "support_error",
    "effective_chains",
)


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A group of items, and its position in a `Tree`.

    Examples
    --------
    >>> from rbhmc.tree import Tree
    >>> Tree.from_labels([[0, 0], [0, 1], [1, 2]]).node("1.2")
    Node('1.2', level=2, size=1)
    """

    # A mapping makes the documentation visible to help() and inspect.getdoc().
    __slots__ = {  # noqa: RUF023
        "id": '"root"; its children are "1", "2", …, and theirs "1.1", "1.2", ….',
        "parent": "The id of the parent; None for the root.",
        "level": "The level at which it starts; 0 for the root.",
        "children": "The ids of the children: the largest first, ties by first item.",
        "items": "The indices of its items in ascending order; read-only.",
        "centroid": "The mean of its items, in the units of the table; None without a table.",
        "support": "How much of it recurs in the draws: transfer support; None if unknown.",
        "exact": "The share of draws that have exactly its items as a node; None if unknown.",
        "height": "The dendrogram height (1 − similarity) where it was formed; None if unknown.",
        "chain_share": "The share of chains that found it, nearly at least; None if unknown.",
        "probability": "The calibrated probability that it is a true group; None if unknown.",
        "support_error": "The Monte Carlo standard error of the support; None if unknown.",
        "effective_chains": "The number of independent chains with this error; None if unknown.",
        "is_cluster": "Whether it is a cluster; the clusters of a tree partition the items.",
        "is_remainder": "Whether it holds the items of its parent that are in no sibling.",
    }

    id: str
    parent: str | None
    level: int
    children: tuple[str, ...]
    items: Items
    centroid: NDArray[np.float64] | None
    support: float | None
    exact: float | None
    height: float | None
    chain_share: float | None
    probability: float | None
    support_error: float | None
    effective_chains: float | None
    is_cluster: bool
    is_remainder: bool

    @property
    def size(self) -> int:
        """The number of its items."""
        return len(self.items)

    @property
    def is_leaf(self) -> bool:
        """Whether it has no children."""
        return not self.children

    def __repr__(self) -> str:
        support = "" if self.support is None else f", support={self.support:.3g}"
        return f"Node({self.id!r}, level={self.level}, size={self.size}{support})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )

    def __hash__(self) -> int:
        return hash((self.id, self.level, self.items.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Node, astuple(self)


class TreeShape(NamedTuple):
    """The nodes of a tree by attribute, parents before their descendants.

    Siblings are ordered by size, the largest first, ties by first item; a remainder is the last.
    """

    ids: list[str]
    parents: list[str | None]
    levels: list[int]
    children: list[tuple[str, ...]]
    items: list[Items]


def build_shape(
    paths: NDArray[np.int32], in_remainder: NDArray[np.bool_] | None = None
) -> TreeShape:
    """Find the nodes of a tree from its canonical labels, of shape (n_items, n_levels).

    A leaf whose items are all `in_remainder` comes after its siblings.

    Examples
    --------
    >>> build_shape(np.array([[0, 0], [0, 1], [1, 2]], np.int32)).ids
    ['root', '1', '1.1', '1.2', '2']
    """
    parent, level, items = _find_nodes(paths)
    size = np.array([len(group) for group in items])
    first = np.array([group[0] for group in items])
    children: list[list[int]] = [[] for _ in items]
    comes_last = np.zeros(len(items), bool)
    if in_remainder is not None:
        comes_last[:] = [in_remainder[group].all() for group in items]
        comes_last[parent[1:]] = False
    for node in np.lexsort((first, -size, comes_last, np.array(parent)))[1:].tolist():
        children[parent[node]].append(node)
    ids = ["root"] * len(items)
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(children[node]))
        stem = f"{ids[node]}." if node else ""
        for rank, child in enumerate(children[node], start=1):
            ids[child] = f"{stem}{rank}"
    return TreeShape(
        [ids[node] for node in order],
        [None, *(ids[parent[node]] for node in order[1:])],
        [level[node] for node in order],
        [tuple([ids[child] for child in children[node]]) for node in order],
        [items[node] for node in order],
    )


def _find_nodes(paths: NDArray[np.int32]) -> tuple[list[int], list[int], list[Items]]:
    """Return parent, level and items of each node with siblings, level by level from the root."""
    n_items, n_levels = paths.shape
    root = np.arange(n_items)
    root.flags.writeable = False
    parent, level, items = [-1], [0], [root]
    labels_above = np.zeros(n_items, np.int32)
    nodes_above = np.zeros(1, np.intp)  # the node of each label of the level above
    n_above = 1
    for depth in range(1, n_levels + 1):
        labels = paths[:, depth - 1]
        size = np.bincount(labels)
        if len(size) == n_above:
            continue  # no node splits, so both levels have equal labels
        order = np.argsort(labels, kind="stable")
        order.flags.writeable = False
        end = np.cumsum(size)
        label_above = labels_above[order[end - size]]
        nodes = nodes_above[label_above]
        kept = np.flatnonzero(np.bincount(label_above)[label_above] > 1)
        starts = (end - size)[kept].tolist()
        n_nodes = len(items)
        parent += nodes[kept].tolist()
        level += [depth] * len(kept)
        items += [order[a:b] for a, b in zip(starts, end[kept].tolist(), strict=True)]
        nodes[kept] = np.arange(n_nodes, len(items))
        labels_above, nodes_above, n_above = labels, nodes, len(size)
    return parent, level, items


def check_support_field(name: str, value: float, id: str) -> float:
    """Check the value of one of `SUPPORT_FIELDS`.

    Examples
    --------
    >>> check_support_field("support", 0.5, "1.2"), check_support_field("effective_chains", 8, "1")
    (0.5, 8.0)
    """
    what = f"the {name} of {id!r}"
    if name != "effective_chains":
        return check_share(value, what)
    if not 1.0 <= value < np.inf:
        raise InvalidInput(f"{what} is {value}; it must be 1 at least")
    return float(value)


def compute_centroids(items: list[Items], X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the mean row of each group of items."""
    size = np.array([len(group) for group in items])
    start = np.concatenate([[0], np.cumsum(size)])
    index = np.concatenate(items)
    shape = (len(items), len(X))
    means = csr_array((np.ones(len(index)), index, start), shape=shape) @ X / size[:, None]
    if not np.isfinite(means).all():  # a sum overflowed, though every mean is in range
        means = csr_array((np.repeat(1.0 / size, size), index, start), shape=shape) @ X
        largest = np.finfo(np.float64).max
        means = np.clip(means, -largest, largest)
    result: NDArray[np.float64] = np.ascontiguousarray(means)
    return result
