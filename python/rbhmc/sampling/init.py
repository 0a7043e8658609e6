"""The initial state of chains: a draw from the prior, or Ward's linkage cut into levels."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import fcluster, linkage

from rbhmc._checks import check_count
from rbhmc._core import InvalidInput
from rbhmc.tree.labels import Labels, as_labels

Init = Literal["prior", "ward"]

# Ward's linkage needs memory quadratic in the items; of more items than this, a sample is linked.
MAX_LINKED_ITEMS = 5000
# Items whose distances to all centres are in memory at the same time.
ITEMS_PER_BLOCK = 10_000


def initial_paths(
    X: NDArray[np.float64], n_levels: int, init: Init, given: ArrayLike | None
) -> ArrayLike | None:
    """Return the paths that chains start from; None for a start from the prior.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
        The prepared table.
    n_levels : int
    init : {"prior", "ward"}
    given : array of shape (n_items, n_levels), optional
        Paths from the user.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.2]])
    >>> initial_paths(X, 2, "prior", None) is None
    True
    >>> initial_paths(X, 1, "ward", None).tolist()
    [[0], [0], [1], [1]]
    """
    if init not in get_args(Init):
        raise InvalidInput(f'init is {init!r}; it must be "prior" or "ward"')
    if init == "prior":
        return given
    if given is not None:
        raise InvalidInput('init is "ward" and initial_paths is given; give only one of them')
    return ward_paths(X, check_count("n_levels", n_levels, 1))


def ward_paths(X: NDArray[np.float64], n_levels: int) -> Labels:
    """Cut Ward's linkage into nested clusters, k^(level / n_levels) at each level, k = √n_items.

    Of more than `MAX_LINKED_ITEMS` items, as many are linked, at equal steps over the rows; every
    item then joins the leaf with the nearest centre.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [2.0], [2.1], [9.0], [9.1], [12.0], [12.1], [12.2]])
    >>> ward_paths(X, 2).T.tolist()
    [[0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 2, 2, 2]]
    """
    n_items = len(X)
    if n_items == 1:
        return np.zeros((1, n_levels), dtype=np.int32)
    rows = np.arange(n_items)
    if n_items > MAX_LINKED_ITEMS:
        rows = np.linspace(0, n_items - 1, MAX_LINKED_ITEMS).astype(np.intp)
    merges = linkage(X[rows], "ward")
    n_leaves = max(2.0, np.sqrt(n_items))
    cuts = [
        fcluster(merges, max(2, round(n_leaves ** (level / n_levels))), "maxclust")
        for level in range(1, n_levels + 1)
    ]
    paths = np.column_stack(cuts)
    if len(rows) < n_items:
        leaves, first, own = np.unique(paths[:, -1], return_index=True, return_inverse=True)
        centres = np.stack([X[rows][own == leaf].mean(axis=0) for leaf in range(len(leaves))])
        paths = paths[first[_nearest(X, centres)]]
    return as_labels(paths).T


def _nearest(X: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the nearest centre of each item, which minimises ‖c‖² - 2 xᵀc."""
    squares = (centres**2).sum(axis=1)
    blocks = (X[i : i + ITEMS_PER_BLOCK] for i in range(0, len(X), ITEMS_PER_BLOCK))
    return np.concatenate([(squares - 2.0 * block @ centres.T).argmin(axis=1) for block in blocks])
