"""Partitions of the items at a level: their distances, and how often two items are together."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array, check_level
from rbhmc._core import InvalidInput, compare_partitions, count_coclustered
from rbhmc._warnings import warn
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.metrics.classes import check_classes
from rbhmc.tree.labels import Labels, as_labels

Floats = NDArray[np.float64]
Loss = Literal["binder", "vi"]

# The co-occurrence of more items than this takes over 3.2 GB.
WARN_FROM_ITEMS = 20_000


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
    return _compare_levels(paths_a, paths_b, "ari")


def variation_of_information(paths_a: ArrayLike, paths_b: ArrayLike) -> Floats:
    """Return the variation of information between two trees at each level, in bits.

    With n_zw the number of items that node z of a and node w of b share, and n_z and n_w their
    numbers of items,

        VI = H(a|b) + H(b|a) = Σ_zw n_zw/N · log2( n_z n_w / n_zw² ).

    It is a metric on partitions: 0 if and only if they are equal, and at most log2 N. Parameters
    and result are those of `ari`.

    Examples
    --------
    >>> variation_of_information([[0, 0], [0, 0], [1, 1], [1, 2]], [0, 0, 1, 1])
    array([0. , 0.5])
    """
    return _compare_levels(paths_a, paths_b, "vi")


def binder_loss(paths_a: ArrayLike, paths_b: ArrayLike) -> Floats:
    """Return Binder's loss between two trees at each level: the share of pairs that disagree.

    With S, A, B and T as for `ari`: pairs together in both, in a, in b, and all pairs,

        loss = (A + B - 2S) / T.

    It is a metric with values in [0, 1], and 1 - loss is the Rand index. It is 0 for a single item.
    Parameters and result are those of `ari`.

    Examples
    --------
    >>> binder_loss([[0, 0], [0, 0], [1, 1], [1, 2]], [0, 0, 1, 2])
    array([0.16666667, 0.        ])
    """
    return _compare_levels(paths_a, paths_b, "binder")


def co_occurrence(draws: Draws | ArrayLike, level: int) -> NDArray[np.float64]:
    """Return the share of draws in which two items share a node at a level.

        P_ij = 1/S · Σ_s [ path_i and path_j share the node at `level` in draw s ],

    which estimates the posterior probability that i and j belong together. The draws of several
    chains are pooled. The matrix is symmetric with a unit diagonal.

    The draws are read in blocks: memory is 8 · n_items² bytes for the result plus some megabytes.
    More than 20,000 items (3.2 GB) give a UserWarning with the size.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        Draws of trees of at most 65,535 items.
    level : int
        1 … n_levels, or -1 … -n_levels from the leaves.

    Returns
    -------
    array of float64 of shape (n_items, n_items)

    Examples
    --------
    >>> co_occurrence([[[0], [0], [1]], [[0], [1], [1]]], level=1)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    blocks = TreeBlocks(draws)
    at = check_level(level, blocks.n_levels) - 1
    if blocks.n_items > WARN_FROM_ITEMS:
        size = 8e-9 * blocks.n_items**2
        warn(f"the co-occurrence of {blocks.n_items:,} items takes {size:.1f} GB of memory")
    together = np.zeros((blocks.n_items, blocks.n_items))
    for block in blocks.read():
        count_coclustered(block.trees[:, at], together)
    together /= blocks.n_all
    return together


def check_loss(loss: str) -> None:
    """Raise InvalidInput unless the loss is known."""
    if loss not in ("binder", "vi"):
        raise InvalidInput(f'loss is {loss!r}; it must be "binder" or "vi"')


def _compare_levels(paths_a: ArrayLike, paths_b: ArrayLike, measure: str) -> Floats:
    pairs = zip(*_check_pair(paths_a, paths_b), strict=True)
    return np.array([compare_partitions(a[None], b[None], measure)[0, 0] for a, b in pairs])


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
