"""Agreement of a tree with known classes: F-measure and dendrogram purity."""

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc.metrics._trees import as_classes, as_trees, cells, columns, sizes


@overload
def f_measure(paths: ArrayLike, classes: ArrayLike, level: None = None) -> NDArray[np.float64]: ...
@overload
def f_measure(paths: ArrayLike, classes: ArrayLike, level: int) -> float: ...
def f_measure(
    paths: ArrayLike, classes: ArrayLike, level: int | None = None
) -> NDArray[np.float64] | float:
    """F-measure of each level: how well each class is met by its best node.

    With N items, n_c of class c, n_z in node z and n_zc in both,

        F(level) = Σ_c n_c/N · max over nodes z of the level of F1(z, c),
        F1(z, c) = 2 n_zc / (n_z + n_c).

    It is in (0, 1], and 1 exactly where the nodes of the level are the classes.

    Parameters
    ----------
    paths : array of integers of shape (n_items, n_levels)
        The node of each item at each level.
    classes : array of shape (n_items,)
        The class of each item: numbers or text.
    level : int, optional
        1 … n_levels, or -1 … -n_levels from the leaves. All levels where absent.

    Returns
    -------
    array of shape (n_levels,), or float
        The measure of each level, or of the one asked for.

    Examples
    --------
    >>> paths = [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]]
    >>> f_measure(paths, [0, 0, 1, 2, 2])
    array([0.82, 1.  ])
    >>> f_measure(paths, [0, 0, 1, 2, 2], level=-1)
    1.0
    """
    tree = as_trees(paths, dims=(2,))
    known = as_classes(classes, len(tree))
    n_class = np.bincount(known, minlength=len(tree))
    values = []
    for column in columns(level, tree.shape[1]):
        n_node = np.bincount(tree[:, column], minlength=len(tree))
        nodes, of_class, counts = cells(tree[:, column], known)
        best = np.zeros(len(tree))
        np.maximum.at(best, of_class, 2 * counts / (n_node[nodes] + n_class[of_class]))
        values.append(float(n_class @ best) / len(tree))
    return np.array(values) if level is None else values[0]


def dendrogram_purity(
    paths: ArrayLike, classes: ArrayLike, *, n_samples: int | None = None, seed: int = 0
) -> float:
    """Dendrogram purity: purity of the smallest node that holds two items of a class.

    Over all pairs of items i < j of equal class c, with z the lowest node that holds both (a leaf,
    an inner node or the root) and n_z, n_zc its items and those of class c,

        purity = mean over pairs of n_zc / n_z.

    It is in (0, 1], and 1 exactly where, for every class of two items or more, the smallest node
    that holds the whole class holds nothing else. Where no two items are of equal class there is
    no pair, and it is NaN.

    Exact in O(n_items · n_levels · log n_items), since all partners of an item that first meet it
    at the same level meet it in the same node. Sampling pairs costs no less unless they are few;
    it is there for comparison with libraries that sample.

    Parameters
    ----------
    paths : array of integers of shape (n_items, n_levels)
        The node of each item at each level.
    classes : array of shape (n_items,)
        The class of each item: numbers or text.
    n_samples : int, optional
        Mean over so many pairs, drawn with replacement, in place of all.
    seed : int
        Seed of the sampled pairs.

    Examples
    --------
    >>> dendrogram_purity([[0, 0], [0, 0], [0, 1], [1, 2]], ["a", "a", "a", "b"])
    1.0
    >>> dendrogram_purity([[0], [0], [0], [1]], ["a", "a", "b", "b"])
    0.5833333333333333
    """
    tree = as_trees(paths, dims=(2,))
    n_items, n_levels = tree.shape
    known = as_classes(classes, n_items)
    if n_samples is not None and n_samples < 1:
        raise InvalidInput(f"n_samples is {n_samples}, but should be at least 1, or None for all")
    # Row ℓ: for each item, how many of its node at level ℓ are of its class, and which share.
    like = np.empty((n_levels + 1, n_items))
    purity = np.empty((n_levels + 1, n_items))
    for level in range(n_levels + 1):
        nodes = tree[:, level - 1] if level else np.zeros(n_items, dtype=np.int32)
        _, of_cell, counts = np.unique(
            nodes.astype(np.int64) * n_items + known, return_inverse=True, return_counts=True
        )
        like[level] = counts[of_cell]
        purity[level] = like[level] / sizes(nodes)
    n_partners = like[0] - 1
    if not n_partners.any():
        return float("nan")
    if n_samples is not None:
        return _sampled_purity(tree, known, purity, n_samples, seed)
    # How many of an item's partners meet it first at each level.
    meet = like - np.vstack([like[1:], np.ones(n_items)])
    return min(1.0, float((meet * purity).sum() / n_partners.sum()))


def _sampled_purity(
    tree: NDArray[np.int32],
    known: NDArray[np.int32],
    purity: NDArray[np.float64],
    n_samples: int,
    seed: int,
) -> float:
    rng = np.random.default_rng(seed)
    by_class = np.argsort(known, kind="stable")
    place = np.empty_like(by_class)
    place[by_class] = np.arange(len(known))
    size = sizes(known)
    start = np.searchsorted(known[by_class], known)
    i = rng.choice(len(known), size=n_samples, p=(size - 1) / (size - 1).sum())
    # Another item of the class: 1 … size-1 places further on, round the end.
    further = place[i] - start[i] + rng.integers(1, size[i])
    j = by_class[start[i] + further % size[i]]
    level = (tree[i] == tree[j]).sum(axis=1)
    return float(purity[level, i].mean())
