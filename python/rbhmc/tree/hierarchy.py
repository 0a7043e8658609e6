"""What a tree holds, and how it is asked."""

import operator
from collections.abc import Iterator, Mapping
from itertools import chain, repeat
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from rbhmc._checks import check_level, check_share
from rbhmc._core import InvalidInput
from rbhmc.tree.node import SHARES, Node
from rbhmc.tree.shape import centroids_of, shape_of


class Hierarchy:
    """The nodes of a tree and its items: all of `Tree` but making it and writing it."""

    __slots__ = (
        "_by_id",
        "_centroids",
        "_feature_names",
        "_labels",
        "_leaves",
        "_names",
        "_nodes",
        "_paths",
        "_positions",
        "_raw",
    )

    def __init__(
        self,
        paths: NDArray[np.int32],
        names: tuple[str, ...],
        *,
        raw: bool = False,
        feature_names: tuple[str, ...] | None = None,
        X: NDArray[np.float64] | None = None,
        centroids: NDArray[np.float64] | None = None,
        shares: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        # All are checked; centroids has a row for each node, shares are by their name, then by id.
        paths.flags.writeable = False
        shape = shape_of(paths, raw=raw)
        if X is not None:
            centroids = centroids_of(shape.items, X)
        if centroids is not None:
            centroids.flags.writeable = False
        known = [(shares or {}).get(name, {}) for name in SHARES]
        rows = repeat(None, len(shape.ids)) if centroids is None else iter(centroids)
        self._nodes = tuple(
            Node(id, parent, level, children, items, row, *(share.get(id) for share in known))
            for id, parent, level, children, items, row in zip(*shape, rows, strict=True)
        )
        self._by_id = {node.id: node for node in self._nodes}
        self._leaves = tuple(node for node in self._nodes if node.is_leaf)
        self._labels = np.empty(len(paths), np.intp)
        order = np.concatenate([leaf.items for leaf in self._leaves])
        sizes = [leaf.size for leaf in self._leaves]
        self._labels[order] = np.repeat(np.arange(len(sizes)), sizes)
        self._paths, self._names, self._raw = paths, names, raw
        self._feature_names, self._centroids = feature_names, centroids
        self._positions: dict[str, list[int]] | None = None

    def with_support(
        self,
        support: Mapping[str, float],
        overlap: Mapping[str, float] | None = None,
        at_level: Mapping[str, float] | None = None,
    ) -> Self:
        """Copy the tree with a support for each node that the mapping names by id.

        Parameters
        ----------
        support : mapping of str to float
            From 0 to 1. Nodes that are not named have None.
        overlap, at_level : mapping of str to float, optional
            The softer support of nodes, and that at their own level, likewise.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> tree = Tree.from_labels([[0], [1]]).with_support({"1": 0.75})
        >>> tree.node("1").support
        0.75
        """
        given = {"support": support, "at_level": at_level or {}, "overlap": overlap or {}}
        for id in chain.from_iterable(given.values()):
            self.node(id)
        return type(self)(
            self._paths,
            self._names,
            raw=self._raw,
            feature_names=self._feature_names,
            centroids=self._centroids,
            shares={
                name: {
                    id: check_share(value, f"the {name} of {id!r}") for id, value in by_id.items()
                }
                for name, by_id in given.items()
            },
        )

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, each before its descendants, in the order in which they are printed."""
        return self._nodes

    @property
    def root(self) -> Node:
        """The node of all items."""
        return self._nodes[0]

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes without children, in the order in which they are printed."""
        return self._leaves

    @property
    def names(self) -> tuple[str, ...]:
        """The items' names."""
        return self._names

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the centroids' entries; None without centroids."""
        return self._feature_names

    @property
    def raw(self) -> bool:
        """Whether nodes without siblings are kept."""
        return self._raw

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self._names)

    @property
    def n_levels(self) -> int:
        """The number of levels below the root in the raw tree."""
        return int(self._paths.shape[1])

    @property
    def paths(self) -> NDArray[np.int32]:
        """The label of each item at each raw level, numbered by first appearance; read-only."""
        return self._paths

    @property
    def labels(self) -> NDArray[np.intp]:
        """The leaf of each item, as its place in `leaves`."""
        return self._labels.copy()

    def labels_at(self, level: SupportsIndex) -> NDArray[np.intp]:
        """Clusters of the items at a level of the raw tree, numbered by first appearance.

        Parameters
        ----------
        level : int
            From 0, where all items are together, to `n_levels`, where they are as in the leaves;
            -1 is the last level, and so on upwards.

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

    @property
    def item_order(self) -> NDArray[np.intp]:
        """The items in the order of the leaves, in which the items of every node are contiguous."""
        return np.concatenate([leaf.items for leaf in self._leaves])

    def level_range(self, node: Node) -> tuple[int, int]:
        """Return the first and the last raw level at which a node holds its items.

        A node without siblings is merged with its parent, which then stands for both levels; a
        leaf extends to the last level.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> tree = Tree.from_labels([[0, 0, 0], [0, 0, 1], [1, 1, 2]])
        >>> [(node.id, *tree.level_range(node)) for node in tree]
        [('root', 0, 0), ('1', 1, 2), ('1.1', 3, 3), ('1.2', 3, 3), ('2', 1, 3)]
        """
        last = self.node(node.children[0]).level - 1 if node.children else self.n_levels
        return node.level, last

    def nodes_at(self, level: SupportsIndex) -> tuple[Node, ...]:
        """Return the nodes that hold the items at a raw level, in the order of `nodes`.

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

    def node(self, id: str) -> Node:
        """Look up a node by its id.

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
            raise KeyError(f"no node {id!r}; they go from 'root' to {last!r}") from None

    def path_of(self, item: str | SupportsIndex) -> tuple[str, ...]:
        """Ids of the nodes that hold an item, from the root to its leaf.

        Parameters
        ----------
        item : str or int
            Its name or its index.

        Raises
        ------
        KeyError
            Where no item has the name.
        InvalidInput
            Where several have it.
        IndexError
            Where there is no such index.

        Examples
        --------
        >>> from rbhmc.tree import Tree
        >>> Tree.from_labels([[0, 0], [0, 1], [1, 2]], names=["a", "b", "c"]).path_of("b")
        ('root', '1', '1.2')
        """
        index = self._index_of(item) if isinstance(item, str) else operator.index(item)
        if not -self.n_items <= index < self.n_items:
            raise IndexError(f"item is {index}; it must be below {self.n_items}")
        node = self._leaves[self._labels[index]]
        ids = [node.id]
        while node.parent is not None:
            node = self._by_id[node.parent]
            ids.append(node.id)
        return tuple(reversed(ids))

    def _index_of(self, name: str) -> int:
        if self._positions is None:
            self._positions = {}
            for i, each in enumerate(self._names):
                self._positions.setdefault(each, []).append(i)
        found = self._positions.get(name, [])
        if not found:
            raise KeyError(f"no item is called {name!r}")
        if len(found) > 1:
            raise InvalidInput(f"{len(found)} items are called {name!r}; give an index of {found}")
        return found[0]

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return (
            self._raw == other._raw
            and self._names == other._names
            and self._feature_names == other._feature_names
            and np.array_equal(self._paths, other._paths)
            and (
                self._centroids is None  # as in the other, since the feature names are the same
                or np.array_equal(self._centroids, other._centroids)  # type: ignore[arg-type]
            )
            and self._shares() == other._shares()
        )

    def __hash__(self) -> int:
        return hash((self._raw, self._names, self._paths.shape, self._paths.tobytes()))

    def __repr__(self) -> str:
        counts = ((self.n_items, "item"), (self.n_levels, "level"), (len(self), "node"))
        words = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts]
        leaves = f"{len(self._leaves)} {'leaf' if len(self._leaves) == 1 else 'leaves'}"
        return f"<{type(self).__name__}: {', '.join([*words, leaves])}{', raw' * self._raw}>"

    def __reduce__(self) -> tuple[Any, ...]:
        paths, centroids = self._paths, self._centroids
        parts = (paths, self._names, self._raw, self._feature_names, centroids, self._shares())
        return _restore, (type(self), *parts)

    def _shares(self) -> dict[str, dict[str, float]]:
        """Find what is known of how sure nodes are, by name and id."""
        known = {name: [(node.id, getattr(node, name)) for node in self] for name in SHARES}
        return {
            name: {id: value for id, value in each if value is not None}
            for name, each in known.items()
        }


def _restore(
    kind: type[Hierarchy],
    paths: NDArray[np.int32],
    names: tuple[str, ...],
    raw: bool,
    feature_names: tuple[str, ...] | None,
    centroids: NDArray[np.float64] | None,
    shares: dict[str, dict[str, float]],
) -> Hierarchy:
    return kind(
        paths,
        names,
        raw=raw,
        feature_names=feature_names,
        centroids=centroids,
        shares=shares,
    )
