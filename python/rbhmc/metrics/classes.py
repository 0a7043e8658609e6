"""Agreement of a tree with known classes: F-measure and dendrogram purity."""

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_level
from rbhmc._core import InvalidInput, tree_agreement
from rbhmc.metrics._trees import as_classes
from rbhmc.tree.labels import Labels, as_labels


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
    tree = as_labels(paths, dims=(2,))
    known = as_classes(classes, tree.shape[1])
    values = tree_agreement(known, tree[None])[0][0]
    return values if level is None else float(values[check_level(level, len(tree)) - 1])


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

    Exact in O(n_items · n_levels), since all partners of an item that first meet it
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
    tree = as_labels(paths, dims=(2,))
    known = as_classes(classes, tree.shape[1])
    if n_samples is None:
        return float(tree_agreement(known, tree[None])[1][0])
    if n_samples < 1:
        raise InvalidInput(f"n_samples is {n_samples}; it must be at least 1, or None for all")
    return _sampled_purity(tree, known, n_samples, seed)


def _sampled_purity(tree: Labels, known: Labels, n_samples: int, seed: int) -> float:
    n_items = len(known)
    size = np.bincount(known)[known]
    if not (size > 1).any():
        return float("nan")
    rng = np.random.default_rng(seed)
    by_class = np.argsort(known, kind="stable")
    place = np.empty_like(by_class)
    place[by_class] = np.arange(n_items)
    start = np.searchsorted(known[by_class], known)
    i = rng.choice(n_items, size=n_samples, p=(size - 1) / (size - 1).sum())
    # Another item of the class: 1 … size-1 places further on, round the end.
    further = place[i] - start[i] + rng.integers(1, size[i])
    j = by_class[start[i] + further % size[i]]
    # The lowest level at which both share the node; 0 is the root.
    level = (tree[:, i] == tree[:, j]).sum(axis=0)
    nodes = np.vstack([np.zeros(n_items, np.int64), tree])
    purity = np.empty(nodes.shape)
    for row, of_level in zip(purity, nodes, strict=True):
        _, cell, n_alike = np.unique(
            of_level * n_items + known, return_inverse=True, return_counts=True
        )
        row[:] = n_alike[cell] / np.bincount(of_level)[of_level]
    return float(purity[level, i].mean())
