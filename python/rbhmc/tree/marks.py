"""The marks of a tree's nodes: which are clusters, and which hold the remainder of their parent."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array
from rbhmc._core import InvalidInput
from rbhmc._text import pluralize
from rbhmc.tree.node import TreeShape


def check_clusters(clusters: ArrayLike, n_items: int) -> NDArray[np.intp]:
    """Check one label for each item, of any type, and number the labels from 0.

    Examples
    --------
    >>> check_clusters(["fish", "bird", "fish"], 3)
    array([1, 0, 1])
    """
    labels = check_array(clusters, "clusters")
    if labels.shape != (n_items,):
        raise InvalidInput(
            f"clusters has shape {labels.shape}; it must have shape ({n_items},), with one label "
            "for each item"
        )
    try:
        return np.unique(labels, return_inverse=True)[1].astype(np.intp)
    except TypeError as error:
        raise InvalidInput(
            f"clusters holds labels that cannot be compared ({error}); give numbers or texts"
        ) from error


def check_in_remainder(in_remainder: ArrayLike, n_items: int) -> NDArray[np.bool_]:
    """Check one bool for each item.

    Examples
    --------
    >>> check_in_remainder([True, False], 2)
    array([ True, False])
    """
    flags = check_array(in_remainder, "in_remainder")
    if flags.shape != (n_items,) or flags.dtype.kind != "b":
        raise InvalidInput(
            f"in_remainder has shape {flags.shape} and dtype {flags.dtype}; it must have shape "
            f"({n_items},), with True or False for each item"
        )
    return flags.copy()


def mark_clusters(shape: TreeShape, clusters: NDArray[np.intp] | None) -> list[bool]:
    """Return for each node whether it is a cluster; without labels, the leaves are the clusters.

    Raises
    ------
    InvalidInput
        If the items with a label are not exactly the items of a node.

    Examples
    --------
    >>> from rbhmc.tree.node import build_shape
    >>> shape = build_shape(np.array([[0, 0], [0, 1], [1, 2]], np.int32))
    >>> shape.ids, mark_clusters(shape, np.array([0, 0, 1]))
    (['root', '1', '1.1', '1.2', '2'], [False, True, False, False, True])
    """
    if clusters is None:
        return [not children for children in shape.children]
    firsts = np.array([items[0] for items in shape.items])
    sizes = np.bincount(clusters)[clusters[firsts]].tolist()
    is_cluster = [
        len(items) == size and bool((clusters[items] == clusters[items[0]]).all())
        for items, size in zip(shape.items, sizes, strict=True)
    ]
    without_node = np.setdiff1d(clusters, clusters[firsts[is_cluster]])
    if len(without_node):
        items = np.flatnonzero(clusters == without_node[0])
        raise InvalidInput(
            f"clusters puts {pluralize(len(items), 'item')}, the first at {items[0]}, in a group "
            "that is no node of the tree; the items of each cluster must be exactly those of a node"
        )
    return is_cluster


def mark_remainders(
    shape: TreeShape, is_cluster: list[bool], in_remainder: NDArray[np.bool_] | None
) -> list[bool]:
    """Return for each node whether it is a remainder: the items of its parent in no sibling.

    A cluster is a group of its own and no remainder, unless it is a single item: that is a cluster
    wherever it stays.

    Raises
    ------
    InvalidInput
        If `in_remainder` differs within a leaf, or marks the root, two siblings, or a cluster of
        several items.

    Examples
    --------
    >>> from rbhmc.tree.node import build_shape
    >>> shape = build_shape(np.array([[0], [0], [1]], np.int32))
    >>> is_cluster = mark_clusters(shape, np.zeros(3, np.intp))
    >>> mark_remainders(shape, is_cluster, np.array([False, False, True]))
    [False, False, True]
    """
    if in_remainder is None:
        return [False] * len(shape.ids)
    marks: list[bool] = []
    parents: set[str | None] = set()
    for id, parent, _, children, items in zip(*shape, strict=True):
        flags = in_remainder[items]
        if children or not flags.any():
            marks.append(False)
            continue
        wrong = None
        if not flags.all():
            wrong = "only some items of this leaf; it must mark all or none"
        elif parent is None:
            wrong = "the root; only nodes with siblings can be remainders"
        elif parent in parents:
            wrong = f"this node and a sibling; {parent!r} can have only one remainder"
        elif is_cluster[len(marks)] and len(items) > 1:
            wrong = "a cluster of several items; give clusters that lie above the remainders"
        if wrong is not None:
            raise InvalidInput(f"in_remainder at node {id!r} marks {wrong}")
        parents.add(parent)
        marks.append(True)
    return marks
