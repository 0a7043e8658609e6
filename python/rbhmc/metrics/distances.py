"""Squared distances within and between nodes: AID and AOD."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_level, check_table
from rbhmc._core import InvalidInput, tree_distances
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.tree.labels import as_paths

Floats = NDArray[np.float64]
Singletons = Literal["zero", "skip"]


def aid(
    X: ArrayLike,
    paths: ArrayLike,
    *,
    singletons: Singletons = "zero",
    level: int | None = None,
) -> float | Floats:
    """Average inner distance: how far apart the items of a node are. Lower is tighter.

    With M the nodes below the root that hold items (of all levels together, or of one level),

        AID = 1/|M| · Σ_{z ∈ M} d(z),
        d(z) = mean of ‖x_i − x_j‖² over all pairs i < j of items of z,

    which is twice the node's sample variance, summed over dimensions. Every node counts once,
    large or small, and so does each node of a chain without branches, though the items are the
    same. A node of one item has no pair: with ``singletons="zero"`` it counts with d(z) = 0, with
    ``"skip"`` it is left out of M. NaN where M is empty.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
        The items.
    paths : array of integers of shape (n_items, n_levels)
        One tree, or draws: (n_draws, n_items, n_levels), (n_chains, n_draws, n_items, n_levels).
    singletons : {"zero", "skip"}
        What nodes of one item count.
    level : int, optional
        1 … n_levels, or -1 … -n_levels from the leaves. All levels where absent.

    Returns
    -------
    float, or array of shape (n_draws,) or (n_chains, n_draws)
        The measure of each tree.

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [14.0], [30.0]]
    >>> paths = [[0], [0], [1], [1], [2]]
    >>> aid(X, paths)  # (1 + 16 + 0) / 3
    5.666666666666667
    >>> aid(X, paths, singletons="skip")  # (1 + 16) / 2
    8.5
    """
    return _of_trees(0, X, paths, singletons, level)


def aod(
    X: ArrayLike,
    paths: ArrayLike,
    *,
    singletons: Singletons = "zero",
    level: int | None = None,
) -> float | Floats:
    """Average outer distance: how far apart sibling nodes are. Higher is better separated.

    With M the pairs of nodes that have the same parent (of all levels together, or of one level)
    and c_z the mean of the items of z,

        AOD = 1/|M| · Σ_{(z, w) ∈ M} ‖c_z − c_w‖².

    Every pair of siblings counts once, large or small. With ``singletons="zero"`` all pairs are in
    M (the distance from a node of one item is well defined, and none counts 0); ``"skip"`` leaves
    out pairs in which a node has one item only. NaN where M is empty, as it is for a tree that is
    one single path.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
        The items.
    paths : array of integers of shape (n_items, n_levels)
        One tree, or draws: (n_draws, n_items, n_levels), (n_chains, n_draws, n_items, n_levels).
    singletons : {"zero", "skip"}
        Whether pairs with a node of one item are in M ("zero") or not ("skip").
    level : int, optional
        1 … n_levels, or -1 … -n_levels from the leaves. All levels where absent.

    Returns
    -------
    float, or array of shape (n_draws,) or (n_chains, n_draws)
        The measure of each tree.

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [14.0], [30.0]]
    >>> paths = [[0], [0], [1], [1], [2]]
    >>> aod(X, paths)  # centres 0.5, 12 and 30: (132.25 + 870.25 + 324) / 3
    442.1666666666667
    >>> aod(X, paths, singletons="skip")
    132.25
    """
    return _of_trees(1, X, paths, singletons, level)


def _of_trees(
    which: int, X: ArrayLike, paths: ArrayLike, singletons: str, level: int | None
) -> float | Floats:
    """AID, 0, or AOD, 1, of each tree."""
    if singletons not in ("zero", "skip"):
        raise InvalidInput(f'singletons is {singletons!r}; it must be "zero" or "skip"')
    array = as_paths(paths)
    *shape, n_items, n_levels = array.shape
    at = None if level is None else check_level(level, n_levels) - 1
    table = np.ascontiguousarray(check_table(X, n_items))
    blocks = TreeBlocks(array if shape else array[None])
    values = np.empty((blocks.n_chains, blocks.n_draws))
    for block in blocks.read():
        found = tree_distances(table, block.trees, at, singletons == "skip")
        values[block.chain, block.draws] = found[which]
    return values.reshape(shape) if shape else float(values[0, 0])
