"""Likeness of two trees, level by level: adjusted Rand index, variation of information, Binder."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array
from rbhmc._core import InvalidInput
from rbhmc.metrics._trees import as_classes
from rbhmc.tree.labels import as_labels

Ints = NDArray[np.intp]


def ari(paths_a: ArrayLike, paths_b: ArrayLike) -> NDArray[np.float64]:
    """Compare two trees by the adjusted Rand index, at each level.

    With n_zw the items that node z of a and node w of b share, n_z and n_w their items, and
    T = N(N-1)/2 pairs of items,

        S = Σ_zw n_zw(n_zw-1)/2,  A = Σ_z n_z(n_z-1)/2,  B = Σ_w n_w(n_w-1)/2,
        ARI = (S - AB/T) / ((A + B)/2 - AB/T).

    It is 1 for equal partitions (also where the fraction is 0/0) and 0 on average for random ones.

    Parameters
    ----------
    paths_a : array of integers of shape (n_items, n_levels)
        A tree.
    paths_b : array of integers of shape (n_items, n_levels), or array of shape (n_items,)
        Another tree; or one label for each item, with which every level is compared.

    Returns
    -------
    array of shape (n_levels,)

    Examples
    --------
    >>> ari([[0, 0], [0, 0], [1, 1], [1, 2]], [[7, 0], [7, 1], [5, 2], [5, 2]])
    array([ 1. , -0.2])
    """
    values = []
    for table in _tables(paths_a, paths_b):
        both, in_a, in_b, pairs = table.pairs()
        if in_a == in_b and in_a in (0.0, pairs):
            values.append(1.0)
        else:
            expected = in_a * in_b / pairs
            values.append((both - expected) / ((in_a + in_b) / 2 - expected))
    return np.array(values)


def variation_of_information(
    paths_a: ArrayLike, paths_b: ArrayLike, *, base: float = 2.0
) -> NDArray[np.float64]:
    """Variation of information between two trees at each level.

    With n_zw the items that node z of a and node w of b share, and n_z and n_w their items,

        VI = H(a|b) + H(b|a) = Σ_zw n_zw/N · log( n_z n_w / n_zw² ).

    A metric on partitions: 0 exactly for equal ones, at most log N.

    Parameters
    ----------
    paths_a : array of integers of shape (n_items, n_levels)
        A tree.
    paths_b : array of integers of shape (n_items, n_levels), or array of shape (n_items,)
        Another tree; or one label for each item, with which every level is compared.
    base : float
        Base of the logarithm: 2 for bits, ``math.e`` for nats.

    Returns
    -------
    array of shape (n_levels,)

    Examples
    --------
    >>> variation_of_information([[0, 0], [0, 0], [1, 1], [1, 2]], [0, 0, 1, 1])
    array([0. , 0.5])
    """
    if not 1.0 < base < np.inf:
        raise InvalidInput(f"base is {base}; it must be a number above 1")
    values = []
    for table in _tables(paths_a, paths_b):
        n, n_items = table.n_both, table.n_both.sum()
        ratio = (table.n_a[table.a] / n) * (table.n_b[table.b] / n)
        values.append(float(n @ np.log(ratio)) / (n_items * np.log(base)))
    return np.array(values)


def binder_loss(paths_a: ArrayLike, paths_b: ArrayLike) -> NDArray[np.float64]:
    """Binder's loss between two trees at each level: the share of pairs on which they disagree.

    With S, A, B and T as for `ari`: pairs together in both, in a, in b, and all pairs,

        loss = (A + B - 2S) / T.

    It is a metric with values in [0, 1], and 1 - loss is the Rand index. One item alone has no
    pairs and loss 0.

    Parameters
    ----------
    paths_a : array of integers of shape (n_items, n_levels)
        A tree.
    paths_b : array of integers of shape (n_items, n_levels), or array of shape (n_items,)
        Another tree; or one label for each item, with which every level is compared.

    Returns
    -------
    array of shape (n_levels,)

    Examples
    --------
    >>> binder_loss([[0, 0], [0, 0], [1, 1], [1, 2]], [0, 0, 1, 2])
    array([0.16666667, 0.        ])
    """
    values = []
    for table in _tables(paths_a, paths_b):
        both, in_a, in_b, pairs = table.pairs()
        values.append((in_a + in_b - 2 * both) / max(1.0, pairs))
    return np.array(values)


class _Table(NamedTuple):
    """Items of each node z of a, of each node w of b, and of both for each (z, w) that has some."""

    n_a: Ints
    n_b: Ints
    a: Ints
    b: Ints
    n_both: Ints

    def pairs(self) -> tuple[float, float, float, float]:
        """S, A, B and T of `ari`."""
        counts = (self.n_both, self.n_a, self.n_b, self.n_both.sum())
        both, in_a, in_b, all_ = (float((n * (n - 1)).sum()) / 2 for n in counts)
        return both, in_a, in_b, all_


def _tables(paths_a: ArrayLike, paths_b: ArrayLike) -> Iterator[_Table]:
    tree = as_labels(paths_a, "paths_a", dims=(2,))
    other = check_array(paths_b, "paths_b")
    if other.ndim == 1:
        known = as_classes(other, tree.shape[1], "paths_b")
        others = np.broadcast_to(known, tree.shape)
    elif other.shape != tree.shape[::-1]:
        raise InvalidInput(
            f"paths_b has shape {other.shape}; it must have the shape of paths_a, "
            f"{tree.shape[::-1]}, or ({tree.shape[1]},)"
        )
    else:
        others = as_labels(other, "paths_b", dims=(2,))
    for a, b in zip(tree, others, strict=True):
        n_b = np.bincount(b)
        both, n_both = np.unique(a.astype(np.int64) * len(n_b) + b, return_counts=True)
        yield _Table(np.bincount(a), n_b, *np.divmod(both, len(n_b)), n_both)
