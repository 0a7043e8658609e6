"""Agreement of dendrograms and multiway trees with known classes, in one pass over their nodes.

A dendrogram is given by its merges: row t joins two clusters into cluster n_items + t, numbered as
in SciPy. Both measures need only the number of items of each class in each node.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

import rbhmc

Floats = NDArray[np.float64]


class Cut(NamedTuple):
    """A dendrogram cut into clusters: its F-measure, number of clusters, and labels."""

    f: float
    n_clusters: int
    labels: NDArray[np.intp]


def best_cut(merges: ArrayLike, classes: ArrayLike) -> Cut:
    """Return the cut with the best F-measure, chosen with the classes.

    All n_items cuts are compared: cut t has the clusters after t merges. F is that of
    `rbhmc.metrics.f_measure`,

        F(cut) = Σ_c n_c/N · max over clusters z of 2 n_zc / (n_z + n_c).

    A node is a cluster from the merge that creates it to the merge that consumes it, so its F1 is
    entered in that range of cuts.

    Examples
    --------
    >>> best_cut([[0, 1], [2, 3], [4, 5]], ["a", "a", "b", "b"])
    Cut(f=1.0, n_clusters=2, labels=array([4, 4, 5, 5]))
    """
    steps = np.asarray(merges)[:, :2].astype(np.intp)
    counts = count_classes(steps, classes)
    n_items = len(steps) + 1
    class_size = counts[-1]
    f1 = 2.0 * counts / (counts.sum(axis=1, keepdims=True) + class_size)
    created = np.maximum(np.arange(2 * n_items - 1) - n_items + 1, 0)
    consumed = np.full(2 * n_items - 1, n_items)
    consumed[steps] = np.arange(1, n_items)[:, None]
    best = np.zeros((n_items, len(class_size)))
    for node, (first, end) in enumerate(zip(created, consumed, strict=True)):
        np.maximum(best[first:end], f1[node], out=best[first:end])
    f = best @ (class_size / n_items)
    cut = int(f.argmax())
    return Cut(float(f[cut]), n_items - cut, cut_labels(steps, n_items - cut))


def cut_labels(merges: ArrayLike, n_clusters: int) -> NDArray[np.intp]:
    """Return the node that holds each item after all but `n_clusters` - 1 merges.

    Examples
    --------
    >>> cut_labels([[0, 1], [2, 3], [4, 5]], 3)
    array([4, 4, 2, 3])
    """
    steps = np.asarray(merges)[:, :2].astype(np.intp)
    n_items = len(steps) + 1
    top = np.arange(2 * n_items - 1)
    # From the last merge to the first, so that a node's own top is known before its children's.
    for step in range(n_items - n_clusters - 1, -1, -1):
        top[steps[step]] = top[n_items + step]
    return top[:n_items]


def dendrogram_purity(merges: ArrayLike, classes: ArrayLike) -> float:
    """Return the dendrogram purity of a binary tree, as `rbhmc.metrics.dendrogram_purity`.

    Examples
    --------
    >>> dendrogram_purity([[0, 1], [2, 3], [4, 5]], ["a", "b", "a", "b"])
    0.5
    """
    steps = np.asarray(merges)[:, :2].astype(np.intp)
    n_items = len(steps) + 1
    parents = np.full(2 * n_items - 1, -1)
    parents[steps] = n_items + np.arange(n_items - 1)[:, None]
    return _mean_purity(count_classes(steps, classes), parents)


def tree_purity(tree: rbhmc.Tree, classes: ArrayLike) -> float:
    """Return the dendrogram purity of a multiway tree, by the least common ancestors in it.

    Items may stay directly in a node with children: such a node is the least common ancestor of
    two of them.

    Examples
    --------
    >>> tree_purity(rbhmc.Tree.from_labels([[0], [0], [0], [1]]), ["a", "a", "b", "b"])
    0.5833333333333333
    """
    known = _number(classes)
    index = {node.id: i for i, node in enumerate(tree.nodes)}
    parents = np.array([-1 if node.parent is None else index[node.parent] for node in tree.nodes])
    n_classes = int(known.max()) + 1
    counts = [np.bincount(known[node.items], minlength=n_classes) for node in tree.nodes]
    return _mean_purity(np.array(counts, float), parents)


def count_classes(merges: NDArray[np.intp], classes: ArrayLike) -> Floats:
    """Return the number of items of each class in each node of a dendrogram, items first."""
    known = _number(classes)
    n_items = len(merges) + 1
    counts = np.zeros((2 * n_items - 1, int(known.max()) + 1))
    counts[np.arange(n_items), known] = 1.0
    for step, (left, right) in enumerate(merges):
        np.add(counts[left], counts[right], out=counts[n_items + step])
    return counts


def _number(classes: ArrayLike) -> NDArray[Any]:
    return np.unique(np.asarray(classes), return_inverse=True)[1]


def _mean_purity(counts: Floats, parents: NDArray[Any]) -> float:
    """Return the mean of n_zc / n_z over pairs of equal class c, z their least common ancestor.

    Node z is that of n_zc (n_zc − 1) / 2 pairs, less the pairs that are together in a child.
    """
    together = counts * (counts - 1.0) / 2.0
    meeting = together.copy()
    below = parents >= 0
    np.subtract.at(meeting, parents[below], together[below])
    share = counts / counts.sum(axis=1, keepdims=True)
    return float((meeting * share).sum() / meeting.sum())
