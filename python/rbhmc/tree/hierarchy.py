"""The nodes and items of a tree, and how they are looked up."""

import copy
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from rbhmc._checks import check_level
from rbhmc._core import InvalidInput
from rbhmc._text import pluralize
from rbhmc.tree.features import Features
from rbhmc.tree.labels import as_labels
from rbhmc.tree.marks import mark_clusters, mark_remainders
from rbhmc.tree.node import (
    SUPPORT_FIELDS,
    Node,
    build_shape,
    check_support_field,
    compute_centroids,
)


class Hierarchy:
    """The part of `Tree` that does not construct, export or draw it."""

    __slots__ = (
        "_by_id",
        "_centroids",
        "_clusters",
        "_clusters_are_leaves",
        "_features",
        "_has_names",
        "_in_remainder",
        "_labels",
        "_leaf_labels",
        "_leaves",
        "_names",
        "_nodes",
        "_paths",
    )

    def __init__(
        self,
        paths: NDArray[np.int32],
        names: tuple[str, ...],
        features: Features | None = None,
        centroids: NDArray[np.float64] | None = None,
        supports: Mapping[str, Mapping[str, float]] | None = None,
        clusters: NDArray[np.intp] | None = None,
        in_remainder: NDArray[np.bool_] | None = None,
        X: NDArray[np.float64] | None = None,
    ) -> None:
        # Values and shapes have been checked. Centroids come from X or with one row for each node;
        # supports are mappings from ids to numbers, by the name of the field.
        paths.flags.writeable = False
        shape = build_shape(paths, in_remainder)
        is_cluster = mark_clusters(shape, clusters)
        is_remainder = mark_remainders(shape, is_cluster, in_remainder)
        if X is not None:
            centroids = compute_centroids(shape.items, X)
        if centroids is not None:
            centroids.flags.writeable = False
        rows = repeat(None, len(shape.ids)) if centroids is None else iter(centroids)
        by_field = {name: (supports or {}).get(name, {}) for name in SUPPORT_FIELDS}
        fields: list[dict[str, Any]] = [
            {"is_cluster": cluster, "is_remainder": remainder}
            | {name: by_id.get(id) for name, by_id in by_field.items()}
            for id, cluster, remainder in zip(shape.ids, is_cluster, is_remainder, strict=True)
        ]
        self._nodes = tuple(
            Node(id, parent, level, children, items, row, **more)
            for id, parent, level, children, items, row, more in zip(
                *shape, rows, fields, strict=True
            )
        )
        self._index_nodes(len(paths))
        self._in_remainder = in_remainder
        self._paths, self._names = paths, names
        self._features, self._centroids = features, centroids
        self._has_names = not any(
            all(name == str(number) for number, name in enumerate(names, first)) for first in (0, 1)
        )

    def _index_nodes(self, n_items: int) -> None:
        """Set what is looked up by ids and by items."""
        self._by_id = {node.id: node for node in self._nodes}
        self._leaves = tuple(node for node in self._nodes if node.is_leaf)
        self._clusters = tuple(node for node in self._nodes if node.is_cluster)
        self._clusters_are_leaves = all(node.is_cluster == node.is_leaf for node in self._nodes)
        self._leaf_labels = _number_items(self._leaves, n_items)
        self._labels = _number_items(self._clusters, n_items)

    def with_support(
        self,
        support: Mapping[str, float],
        exact: Mapping[str, float] | None = None,
        height: Mapping[str, float] | None = None,
        chain_share: Mapping[str, float] | None = None,
        probability: Mapping[str, float] | None = None,
        support_error: Mapping[str, float] | None = None,
        effective_chains: Mapping[str, float] | None = None,
    ) -> Self:
        """Return a copy of the tree whose nodes have the given supports.

        Parameters
        ----------
        support : mapping of str to float
            Numbers from 0 to 1 by id. Nodes that are not named have None; a remainder has no
            support of its own, and is refused.
        exact, height, chain_share, probability, support_error, effective_chains : mapping of str \
to float, optional
            The values of these attributes by id.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> tree = Tree.from_labels([[0], [1]]).with_support({"1": 0.75})
        >>> tree.node("1").support
        0.75
        """
        given = (support, exact, height, chain_share, probability, support_error, effective_chains)
        supports: dict[str, dict[str, float]] = {name: {} for name in SUPPORT_FIELDS}
        for name, by_id in zip(SUPPORT_FIELDS, given, strict=True):
            for id, value in (by_id or {}).items():
                if self.node(id).is_remainder:
                    raise InvalidInput(
                        f"the {name} of {id!r} is given; a remainder has none, so leave it out"
                    )
                supports[name][id] = check_support_field(name, value, id)
        return type(self)(*self._parts(supports))

    def restrict(self, items: NDArray[np.intp]) -> Self:
        """Return the tree of some items, in ascending order, at least one of each leaf.

        Nodes keep their ids, supports and centroids.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> part = Tree.from_labels([[0], [0], [1]]).restrict(np.array([1, 2]))
        >>> part.names, [node.items.tolist() for node in part]
        (('1', '2'), [[0, 1], [0], [1]])
        """
        position = np.full(self.n_items, -1)
        position[items] = np.arange(len(items))
        part = copy.copy(self)
        kept = (position[node.items] for node in self._nodes)
        part._nodes = tuple(
            replace(node, items=found[found >= 0])
            for node, found in zip(self._nodes, kept, strict=True)
        )
        part._index_nodes(len(items))
        part._names = tuple(self._names[item] for item in items)
        part._paths = as_labels(self._paths[items]).T
        part._in_remainder = None if self._in_remainder is None else self._in_remainder[items]
        return part

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes in printing order, parents before their descendants."""
        return self._nodes

    @property
    def root(self) -> Node:
        """The node of all items."""
        return self._nodes[0]

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes without children, in printing order."""
        return self._leaves

    @property
    def clusters(self) -> tuple[Node, ...]:
        """The nodes that are clusters, in printing order; they partition the items."""
        return self._clusters

    @property
    def clusters_are_leaves(self) -> bool:
        """Whether every cluster is a leaf, and every leaf a cluster."""
        return self._clusters_are_leaves

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the items."""
        return self._names

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the features of the centroids; None without centroids."""
        return None if self._features is None else self._features.names

    @property
    def features(self) -> Features | None:
        """The columns of the table: names, standard deviations, and which are 0 or 1."""
        return self._features

    @property
    def has_names(self) -> bool:
        """Whether the items have names, and not only the numbers of their rows, from 0 or 1."""
        return self._has_names

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self._names)

    @property
    def n_levels(self) -> int:
        """The number of levels below the root."""
        return int(self._paths.shape[1])

    @property
    def paths(self) -> NDArray[np.int32]:
        """The canonical label of each item at each level; read-only."""
        return self._paths

    @property
    def labels(self) -> NDArray[np.intp]:
        """The cluster of each item, as its position in `clusters`."""
        return self._labels.copy()

    @property
    def leaf_labels(self) -> NDArray[np.intp]:
        """The leaf of each item, as its position in `leaves`."""
        return self._leaf_labels.copy()

    @property
    def item_order(self) -> NDArray[np.intp]:
        """The items in the order of the leaves, in which the items of every node are contiguous."""
        return np.concatenate([leaf.items for leaf in self._leaves])

    def labels_at(self, level: SupportsIndex) -> NDArray[np.intp]:
        """Return the node of each item at a level, numbered by first appearance.

        Parameters
        ----------
        level : int
            From 0, where all items are together, to `n_levels`, the leaves; -1 is the last level,
            -2 the level above it, and so on. A leaf stays at all levels below its own.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> Tree.from_labels([[5, 0], [5, 1], [3, 2]]).labels_at(1)
        array([0, 0, 1])
        """
        wanted = check_level(level, self.n_levels, root=True)
        if wanted == 0:
            return np.zeros(self.n_items, np.intp)
        return self._paths[:, wanted - 1].astype(np.intp)

    def nodes_at(self, level: SupportsIndex) -> tuple[Node, ...]:
        """Return the nodes that hold the items at a level, in the order of `nodes`.

        Parameters
        ----------
        level : int
            As for `labels_at`.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> [node.id for node in Tree.from_labels([[0, 0], [0, 1], [1, 2]]).nodes_at(2)]
        ['1.1', '1.2', '2']
        """
        wanted = check_level(level, self.n_levels, root=True)
        ranges = zip(self._nodes, map(self.level_range, self._nodes), strict=True)
        return tuple(node for node, (first, last) in ranges if first <= wanted <= last)

    def level_range(self, node: Node) -> tuple[int, int]:
        """Return the first and the last level at which a node holds its items.

        A node without siblings is merged with its parent, which then stands for both levels; a
        leaf extends to the last level.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> tree = Tree.from_labels([[0, 0, 0], [0, 0, 1], [1, 1, 2]])
        >>> [(node.id, *tree.level_range(node)) for node in tree]
        [('root', 0, 0), ('1', 1, 2), ('1.1', 3, 3), ('1.2', 3, 3), ('2', 1, 3)]
        """
        last = self._by_id[node.children[0]].level - 1 if node.children else self.n_levels
        return node.level, last

    def node(self, id: str) -> Node:
        """Return the node with an id.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> Tree.from_labels([[0], [1], [1]]).node("1").items
        array([1, 2])
        """
        try:
            return self._by_id[id]
        except KeyError:
            last = self._nodes[-1].id
            known = (
                "the root is the only one" if last == "root" else f"they go from 'root' to {last!r}"
            )
            raise KeyError(f"no node {id!r}; {known}") from None

    def siblings_of(self, id: str) -> tuple[Node, ...]:
        """Return the other children of a node's parent; none for the root.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> [node.id for node in Tree.from_labels([[0], [1], [2]]).siblings_of("2")]
        ['1', '3']
        """
        parent = self.node(id).parent
        others = () if parent is None else self._by_id[parent].children
        return tuple(self._by_id[other] for other in others if other != id)

    def path_of(self, item: str | SupportsIndex) -> tuple[str, ...]:
        """Return the ids of the nodes that hold an item, from the root to its leaf.

        Parameters
        ----------
        item : str or int
            Its name or its index.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> Tree.from_labels([[0, 0], [0, 1], [1, 2]], names=["a", "b", "c"]).path_of("b")
        ('root', '1', '1.2')
        """
        if isinstance(item, str):
            found = [i for i, name in enumerate(self._names) if name == item]
            if not found:
                raise KeyError(f"no item is called {item!r}")
            if len(found) > 1:
                raise InvalidInput(
                    f"{len(found)} items are called {item!r}; give an index of {found}"
                )
            item = found[0]
        index = operator.index(item)
        if not -self.n_items <= index < self.n_items:
            raise IndexError(f"item is {index}; it must be below {self.n_items}")
        node = self._leaves[self._leaf_labels[index]]
        ids = [node.id]
        while node.parent is not None:
            node = self._by_id[node.parent]
            ids.append(node.id)
        return tuple(reversed(ids))

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return (
            self._names == other._names
            and np.array_equal(self._paths, other._paths)
            and _equal_features(self._features, other._features)
            and (
                self._centroids is None  # and so is the other, since the features are equal
                or np.array_equal(self._centroids, other._centroids)  # type: ignore[arg-type]
            )
            and np.array_equal(self._labels, other._labels)
            and [node.is_remainder for node in self] == [node.is_remainder for node in other]
            and self._supports() == other._supports()
        )

    def __hash__(self) -> int:
        return hash((self._names, self._paths.shape, self._paths.tobytes()))

    def __repr__(self) -> str:
        counts = [
            pluralize(self.n_items, "item"),
            pluralize(self.n_levels, "level"),
            pluralize(len(self), "node"),
            pluralize(len(self._leaves), "leaf", "leaves"),
        ]
        if not self.clusters_are_leaves:
            counts.append(pluralize(len(self._clusters), "cluster"))
        return f"<{type(self).__name__}: {', '.join(counts)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._parts(self._supports())

    def _parts(self, supports: Mapping[str, Mapping[str, float]]) -> tuple[Any, ...]:
        """Return the arguments that construct this tree with the given supports."""
        return (
            self._paths,
            self._names,
            self._features,
            self._centroids,
            supports,
            self._labels,
            self._in_remainder,
        )

    def _supports(self) -> dict[str, dict[str, float]]:
        """Return the known shares of the nodes by field and id."""
        return {
            name: {node.id: share for node in self if (share := getattr(node, name)) is not None}
            for name in SUPPORT_FIELDS
        }


def _equal_features(one: Features | None, other: Features | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.names == other.names and all(map(np.array_equal, one[1:], other[1:]))


def _number_items(nodes: Sequence[Node], n_items: int) -> NDArray[np.intp]:
    """Return for each item the position of its node among nodes that partition the items."""
    labels = np.empty(n_items, np.intp)
    sizes = [node.size for node in nodes]
    items = np.concatenate([node.items for node in nodes])
    labels[items] = np.repeat(np.arange(len(sizes)), sizes)
    return labels
