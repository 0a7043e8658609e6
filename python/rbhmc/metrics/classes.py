"""Agreement of a tree with known classes: F-measure and dendrogram purity."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array
from rbhmc._core import InvalidInput, class_agreement
from rbhmc.tree.labels import Labels, as_labels, canonicalize


def f_measure(paths: ArrayLike, classes: ArrayLike) -> NDArray[np.float64]:
    """Return the F-measure of each level: how well the best node of each class matches it.

    With N items, n_c of class c, n_z in node z and n_zc in both,

        F(level) = Σ_c n_c/N · max over nodes z of the level of F1(z, c),
        F1(z, c) = 2 n_zc / (n_z + n_c).

    It is in (0, 1], and 1 if and only if the nodes of the level are the classes.

    Parameters
    ----------
    paths : array of integers of shape (n_items, n_levels)
        The node of each item at each level.
    classes : array of shape (n_items,)
        The class of each item: numbers or text.

    Returns
    -------
    array of shape (n_levels,)

    Examples
    --------
    >>> f_measure([[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]], [0, 0, 1, 2, 2])
    array([0.82, 1.  ])
    """
    tree = as_labels(paths, dims=(2,))
    values = class_agreement(check_classes(classes, tree.shape[1]), tree[None])[0]
    return np.asarray(values[0])


def dendrogram_purity(paths: ArrayLike, classes: ArrayLike) -> float:
    """Return the dendrogram purity: the mean purity of the lowest node that joins two items.

    Over all pairs of items i < j of equal class c, with z the lowest node that contains both (a
    leaf, an inner node or the root) and n_z, n_zc its number of items in total and of class c,

        purity = mean over pairs of n_zc / n_z.

    It is in (0, 1], and 1 if and only if, for every class of two items or more, the smallest node
    that contains the whole class contains nothing else. It is NaN if all classes differ.

    The result is exact and takes O(n_items · n_levels) time, because all partners of an item that
    meet it at the same level meet it in the same node.

    Parameters
    ----------
    paths, classes
        As for `f_measure`.

    Examples
    --------
    >>> dendrogram_purity([[0, 0], [0, 0], [0, 1], [1, 2]], ["a", "a", "a", "b"])
    1.0
    >>> dendrogram_purity([[0], [0], [0], [1]], ["a", "a", "b", "b"])
    0.5833333333333333
    """
    tree = as_labels(paths, dims=(2,))
    return float(class_agreement(check_classes(classes, tree.shape[1]), tree[None])[1][0])


def check_classes(classes: ArrayLike, n_items: int, name: str = "classes") -> Labels:
    """Convert one label for each item to canonical labels: 0, 1, … by first appearance.

    Examples
    --------
    >>> check_classes(["b", "a", "b"], 3)
    array([0, 1, 0], dtype=int32)
    """
    array = check_array(classes, name)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise InvalidInput(f"{name} holds NaN; every item must have a class")
    if array.shape != (n_items,):
        raise InvalidInput(
            f"{name} has shape {array.shape}; it must have shape ({n_items},): one for each item"
        )
    try:
        numbers = np.unique(array, return_inverse=True)[1]
    except TypeError as error:
        raise InvalidInput(
            f"{name} cannot be sorted ({error}); give numbers only, or text only"
        ) from error
    return canonicalize(numbers.reshape(1, -1, 1)).reshape(-1)
