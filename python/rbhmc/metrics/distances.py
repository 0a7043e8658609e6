"""Squared distances within and between nodes: AID and AOD."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_level, check_table
from rbhmc._core import InvalidInput, aid_aod
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.tree.labels import as_labels, as_paths

Floats = NDArray[np.float64]
Singletons = Literal["zero", "skip"]


def aid(
    X: ArrayLike,
    paths: ArrayLike,
    *,
    singletons: Singletons = "zero",
    level: int | None = None,
) -> float | Floats:
    """Return the average inner distance of a tree: lower means tighter nodes.

    With M the nonempty nodes below the root (of all levels together, or of one level),

        AID = 1/|M| · Σ_{z ∈ M} d(z),
        d(z) = mean of ‖x_i − x_j‖² over all pairs i < j of items of z,

    which is twice the node's sample variance, summed over dimensions. Every node has the same
    weight, whatever its size, including each node of a chain without branches. A node of one item
    has no pairs: with ``singletons="zero"`` it has d(z) = 0, with ``"skip"`` it is left out of M.
    AID is NaN if M is empty.

    Parameters
    ----------
    X : array of shape (n_items, n_features)
        The items.
    paths : array of integers of shape (n_items, n_levels)
        One tree, or draws: (n_draws, n_items, n_levels), (n_chains, n_draws, n_items, n_levels).
    singletons : {"zero", "skip"}
        How nodes of one item count.
    level : int, optional
        1 … n_levels, or -1 … -n_levels from the leaves. The default is all levels.

    Returns
    -------
    float, or array of shape (n_draws,) or (n_chains, n_draws)
        The AID of each tree.

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [14.0], [30.0]]
    >>> paths = [[0], [0], [1], [1], [2]]
    >>> aid(X, paths)  # (1 + 16 + 0) / 3
    5.666666666666667
    >>> aid(X, paths, singletons="skip")  # (1 + 16) / 2
    8.5
    """
    return _measure(X, paths, singletons, level)[0]


def aod(
    X: ArrayLike,
    paths: ArrayLike,
    *,
    singletons: Singletons = "zero",
    level: int | None = None,
) -> float | Floats:
    """Return the average outer distance of a tree: higher means better separated siblings.

    With M the pairs of nodes that have the same parent (of all levels together, or of one level)
    and c_z the mean of the items of z,

        AOD = 1/|M| · Σ_{(z, w) ∈ M} ‖c_z − c_w‖².

    Every pair of siblings has the same weight, whatever their sizes. With ``singletons="zero"`` M
    contains all pairs; ``"skip"`` leaves out pairs in which a node has a single item. AOD is NaN if
    M is empty, as for a tree that is a single path.

    Parameters and result are those of `aid`.

    Examples
    --------
    >>> X = [[0.0], [1.0], [10.0], [14.0], [30.0]]
    >>> paths = [[0], [0], [1], [1], [2]]
    >>> aod(X, paths)  # centres 0.5, 12 and 30: (132.25 + 870.25 + 324) / 3
    442.1666666666667
    >>> aod(X, paths, singletons="skip")
    132.25
    """
    return _measure(X, paths, singletons, level)[1]


def is_singular(paths: ArrayLike) -> bool | NDArray[np.bool_]:
    """Return whether a tree is a single path, so that every level has one node only.

        singular  ⇔  path_n = path_1 for every item n.

    Such a tree has no siblings and thus no AOD; the paper leaves such draws out. A tree with one
    node at level 1 that branches further down is not singular.

    Parameters and result are those of `aid`.

    Examples
    --------
    >>> is_singular([[0, 0], [0, 0]])
    True
    >>> is_singular([[[0, 0], [0, 0]], [[0, 0], [0, 1]]])
    array([ True, False])
    """
    # A tree with one leaf has one node at each level above it.
    singular: NDArray[np.bool_] = (as_labels(paths)[..., -1, :] == 0).all(axis=-1)
    return bool(singular) if singular.ndim == 0 else singular


def _measure(
    X: ArrayLike, paths: ArrayLike, singletons: str, level: int | None
) -> tuple[float | Floats, float | Floats]:
    """Return AID and AOD of each tree."""
    if singletons not in ("zero", "skip"):
        raise InvalidInput(f'singletons is {singletons!r}; it must be "zero" or "skip"')
    array = as_paths(paths)
    *shape, n_items, n_levels = array.shape
    column = None if level is None else check_level(level, n_levels) - 1
    table = np.ascontiguousarray(check_table(X, n_items))
    blocks = TreeBlocks(array if shape else array[None])
    values = np.empty((2, blocks.n_chains, blocks.n_draws))
    for block in blocks.read():
        measured = aid_aod(table, block.trees, column, singletons == "skip")
        values[:, block.chain, block.draws] = measured
    if not shape:
        return float(values[0, 0, 0]), float(values[1, 0, 0])
    inner, outer = values.reshape(2, *shape)
    return inner, outer
