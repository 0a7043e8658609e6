"""Sums of n log2 n over the clusters of many partitions at once, which entropies are made of."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Numbers that are worked on at once, so that memory does not grow with the draws.
BLOCK = 2**20


def shared_n_log_n(partitions: NDArray[np.int32], other: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Σ n log2 n over the clusters of each partition, and over what they share with another.

    Parameters
    ----------
    partitions : array of integers of shape (n_draws, n_items)
        Equal numbers in a row mean the same cluster.
    other : array of integers of shape (n_items,)
        The other partition, numbered 0, 1, …

    Returns
    -------
    of_each, of_both : array of shape (n_draws,)

    Examples
    --------
    >>> shared_n_log_n(np.array([[0, 0, 1, 1], [5, 5, 5, 5]]), np.array([0, 0, 0, 1]))
    (array([4., 8.]), array([2.        , 4.7548875]))
    """
    n_draws, n_items = partitions.shape
    of_each, of_both = np.empty(n_draws), np.empty(n_draws)
    # One number for both: in its order, items of one cluster stand together, and within it those
    # of one cluster of the other.
    bits = int(other.max()).bit_length()
    step = max(1, BLOCK // n_items)
    for start in range(0, n_draws, step):
        rows = slice(start, start + step)
        both = (partitions[rows].astype(np.int64) << bits) | other
        both.sort(axis=1)
        of_both[rows] = n_log_n(both)
        of_each[rows] = n_log_n(both >> bits)
    return of_each, of_both


def n_log_n(in_order: Ints) -> Floats:
    """Σ n log2 n over the runs of equal numbers in each row.

    Examples
    --------
    >>> n_log_n(np.array([[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 3]]))
    array([8., 4., 0.])
    """
    starts = np.ones(in_order.shape, dtype=np.bool_)
    np.not_equal(in_order[:, 1:], in_order[:, :-1], out=starts[:, 1:])
    sizes = np.diff(np.flatnonzero(starts), append=starts.size)
    runs = starts.sum(axis=1)
    n = np.arange(1, in_order.shape[1] + 1)
    sums: Floats = np.add.reduceat((n * np.log2(n))[sizes - 1], np.cumsum(runs) - runs)
    return sums
