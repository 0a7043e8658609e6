"""From labels to nodes: which there are, how they hang together, what they are called."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


class Shape(NamedTuple):
    """The nodes of a tree, each before its descendants, siblings by size and first item."""

    ids: list[str]
    parents: list[str | None]
    levels: list[int]
    children: list[tuple[str, ...]]
    items: list[NDArray[np.intp]]


def shape_of(paths: NDArray[np.int32], *, raw: bool) -> Shape:
    """Read the nodes off canonical labels.

    Parameters
    ----------
    paths : array of shape (n_items, n_levels)
        Labels numbered by first appearance in each level.
    raw : bool
        Whether nodes without siblings are kept, and not merged with their parents.

    Examples
    --------
    >>> paths = np.array([[0, 0], [0, 1], [1, 2]], np.int32)
    >>> shape_of(paths, raw=False).ids
    ['root', '1', '1.1', '1.2', '2']
    >>> shape_of(paths, raw=True).ids
    ['root', '1', '1.1', '1.2', '2', '2.1']
    """
    parent, level, items = _by_level(paths, raw=raw)
    size = np.array([len(group) for group in items])
    first = np.array([group[0] for group in items])
    below: list[list[int]] = [[] for _ in items]
    for node in np.lexsort((first, -size, np.array(parent)))[1:].tolist():
        below[parent[node]].append(node)
    ids = ["root"] * len(items)
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(below[node]))
        stem = f"{ids[node]}." if node else ""
        for rank, child in enumerate(below[node], start=1):
            ids[child] = f"{stem}{rank}"
    return Shape(
        [ids[node] for node in order],
        [None, *(ids[parent[node]] for node in order[1:])],
        [level[node] for node in order],
        [tuple([ids[child] for child in below[node]]) for node in order],
        [items[node] for node in order],
    )


def _by_level(
    paths: NDArray[np.int32], *, raw: bool
) -> tuple[list[int], list[int], list[NDArray[np.intp]]]:
    """Parent, level and items of each node, the upper levels first."""
    n_items, n_levels = paths.shape
    root = np.arange(n_items)
    root.flags.writeable = False
    parent, level, items = [-1], [0], [root]
    labels_above = np.zeros(n_items, np.int32)
    nodes_above = np.zeros(1, np.intp)  # the node that presents each label of the level above
    n_above = 1
    for depth in range(1, n_levels + 1):
        labels = paths[:, depth - 1]
        size = np.bincount(labels)
        if not raw and len(size) == n_above:
            continue  # nothing splits, so that the labels are those of the level above
        order = np.argsort(labels, kind="stable")
        order.flags.writeable = False
        end = np.cumsum(size)
        label_above = labels_above[order[end - size]]
        nodes = nodes_above[label_above]
        has_siblings = np.bincount(label_above)[label_above] > 1
        kept = np.flatnonzero(has_siblings | raw)
        start_of_kept = (end - size)[kept].tolist()
        n_nodes = len(items)
        parent += nodes[kept].tolist()
        level += [depth] * len(kept)
        items += [order[a:b] for a, b in zip(start_of_kept, end[kept].tolist(), strict=True)]
        nodes[kept] = np.arange(n_nodes, len(items))
        labels_above, nodes_above, n_above = labels, nodes, len(size)
    return parent, level, items


def centroids_of(items: list[NDArray[np.intp]], X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average each group of rows.

    Examples
    --------
    >>> centroids_of([np.array([0, 1]), np.array([1])], np.array([[1.0], [3.0]]))
    array([[2.],
           [3.]])
    """
    size = np.array([len(group) for group in items])
    start = np.concatenate([[0], np.cumsum(size)])
    index = np.concatenate(items)
    shape = (len(items), len(X))
    means = csr_array((np.ones(len(index)), index, start), shape=shape) @ X / size[:, None]
    if not np.isfinite(means).all():  # a sum was too large, though every mean is in range
        means = csr_array((np.repeat(1.0 / size, size), index, start), shape=shape) @ X
        largest = np.finfo(np.float64).max
        means = np.clip(means, -largest, largest)
    result: NDArray[np.float64] = np.ascontiguousarray(means)
    return result
