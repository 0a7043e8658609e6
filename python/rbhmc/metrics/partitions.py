"""Distances of partitions: adjusted Rand index, variation of information, Binder's loss.

With n_z, n_w and n_zw the numbers of items in cluster z of one partition, in cluster w of another,
and in both, both losses come from the same three sums over clusters:

    N · VI          = Σ_z f(n_z) + Σ_w f(n_w) - 2 Σ_zw f(n_zw)  with  f(n) = n log2 n,
    N (N-1) · Binder = the same                                  with  f(n) = n².
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array
from rbhmc._core import InvalidInput, overlaps
from rbhmc.metrics.classes import check_classes
from rbhmc.tree.labels import Labels, as_labels

Floats = NDArray[np.float64]
Loss = Literal["binder", "vi"]


def ari(paths_a: ArrayLike, paths_b: ArrayLike) -> Floats:
    """Return the adjusted Rand index of two trees at each level.

    With n_zw the number of items that node z of a and node w of b share, n_z and n_w their numbers
    of items, and T = N(N-1)/2 pairs of items,

        S = Σ_zw n_zw(n_zw-1)/2,  A = Σ_z n_z(n_z-1)/2,  B = Σ_w n_w(n_w-1)/2,
        ARI = (S - AB/T) / ((A + B)/2 - AB/T).

    It is 1 for equal partitions (also if the fraction is 0/0) and 0 on average for random ones.

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
    a, b = _check_pair(paths_a, paths_b)
    n_items = a.shape[1]
    pairs = n_items * (n_items - 1) / 2
    values = []
    for one, other in zip(a, b, strict=True):
        in_a, in_b, both = ((n - n_items) / 2 for n in _three_sums(one, other, "binder"))
        if in_a == in_b and in_a in (0.0, pairs):
            values.append(1.0)
        else:
            expected = in_a * in_b / pairs
            values.append((both - expected) / ((in_a + in_b) / 2 - expected))
    return np.array(values)


def variation_of_information(
    paths_a: ArrayLike, paths_b: ArrayLike, *, base: float = 2.0
) -> Floats:
    """Return the variation of information between two trees at each level.

    With n_zw the number of items that node z of a and node w of b share, and n_z and n_w their
    numbers of items,

        VI = H(a|b) + H(b|a) = Σ_zw n_zw/N · log( n_z n_w / n_zw² ).

    It is a metric on partitions: 0 if and only if they are equal, and at most log N.

    Parameters
    ----------
    paths_a : array of integers of shape (n_items, n_levels)
        A tree.
    paths_b : array of integers of shape (n_items, n_levels), or array of shape (n_items,)
        Another tree; or one label for each item, with which every level is compared.
    base : float
        The base of the logarithm: 2 for bits, ``math.e`` for nats.

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
    return np.asarray(_losses(paths_a, paths_b, "vi") / np.log2(base))


def binder_loss(paths_a: ArrayLike, paths_b: ArrayLike) -> Floats:
    """Return Binder's loss between two trees at each level: the share of pairs that disagree.

    With S, A, B and T as for `ari`: pairs together in both, in a, in b, and all pairs,

        loss = (A + B - 2S) / T.

    It is a metric with values in [0, 1], and 1 - loss is the Rand index. It is 0 for a single item.

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
    return _losses(paths_a, paths_b, "binder")


def check_loss(loss: str) -> None:
    """Raise InvalidInput unless the loss is known.

    Examples
    --------
    >>> check_loss("vi")
    """
    if loss not in ("binder", "vi"):
        raise InvalidInput(f'loss is {loss!r}; it must be "binder" or "vi"')


def loss_scale(n_items: int, loss: Loss) -> int:
    """Return what the sums are divided by: N for VI in bits, N (N-1) for Binder's loss.

    Examples
    --------
    >>> loss_scale(10, "vi"), loss_scale(10, "binder")
    (10, 90)
    """
    return n_items if loss == "vi" else max(1, n_items * (n_items - 1))


def cluster_sums(partitions: Labels, loss: Loss) -> Floats:
    """Return Σ_z f(n_z) over the clusters of each partition.

    Parameters
    ----------
    partitions : array of shape (n_partitions, n_items)
        Canonical labels.
    loss : {"vi", "binder"}
        The loss that determines f.

    Examples
    --------
    >>> cluster_sums(np.array([[0, 0, 1, 1], [0, 0, 0, 0]], np.int32), "vi")
    array([4., 8.])
    """
    one_cluster = np.zeros((1, partitions.shape[1]), np.int32)
    return np.asarray(shared_sums(one_cluster, partitions, loss)[0])


def shared_sums(partitions: Labels, others: Labels, loss: Loss) -> Floats:
    """Return Σ_zw f(n_zw) for each two partitions, of shape (n_partitions, n_others).

    Examples
    --------
    >>> a, b = np.array([[0, 0, 0, 1]], np.int32), np.array([[0, 0, 1, 1]], np.int32)
    >>> shared_sums(a, b, "binder")
    array([[6.]])
    """
    return overlaps(partitions, others)[0 if loss == "vi" else 1]


def _three_sums(partition: Labels, other: Labels, loss: Loss) -> tuple[float, float, float]:
    own, others = cluster_sums(np.stack([partition, other]), loss).tolist()
    return own, others, float(shared_sums(partition[None], other[None], loss)[0, 0])


def _losses(paths_a: ArrayLike, paths_b: ArrayLike, loss: Loss) -> Floats:
    a, b = _check_pair(paths_a, paths_b)
    sums = [_three_sums(one, other, loss) for one, other in zip(a, b, strict=True)]
    scale = loss_scale(a.shape[1], loss)
    return np.array([(own + others - 2.0 * both) / scale for own, others, both in sums])


def _check_pair(paths_a: ArrayLike, paths_b: ArrayLike) -> tuple[Labels, Labels]:
    """Return the canonical labels of two trees, of shape (n_levels, n_items)."""
    tree = as_labels(paths_a, "paths_a", dims=(2,))
    other = check_array(paths_b, "paths_b")
    if other.ndim == 1:
        return tree, np.broadcast_to(check_classes(other, tree.shape[1], "paths_b"), tree.shape)
    if other.shape != tree.shape[::-1]:
        raise InvalidInput(
            f"paths_b has shape {other.shape}; it must have the shape of paths_a, "
            f"{tree.shape[::-1]}, or ({tree.shape[1]},)"
        )
    return tree, as_labels(other, "paths_b", dims=(2,))
