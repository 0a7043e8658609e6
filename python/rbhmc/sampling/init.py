"""Where chains start: at Ward's linkage, cut into the levels of a tree."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import fcluster, linkage

from rbhmc._core import InvalidInput

Init = Literal["prior", "ward"]

# Ward's linkage takes memory with the square of the items; of more, a sample is linked.
MOST_LINKED = 5000
# Items whose distances to all centres are held at a time.
BLOCK = 10_000


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
        Paths of the user's own.

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
        raise InvalidInput('init is "ward" and initial_paths is given; use one of them')
    return ward_paths(X, n_levels)


def ward_paths(X: NDArray[np.float64], n_levels: int) -> NDArray[np.intp]:
    """Cut Ward's linkage into nested clusters, k^(level / n_levels) at each level, k = √n_items.

    Of more than `MOST_LINKED` items as many are linked, evenly over the rows, and all items go to
    the leaf with the nearest centre.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [2.0], [2.1], [9.0], [9.1], [12.0], [12.1], [12.2]])
    >>> ward_paths(X, 2).T.tolist()
    [[0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 2, 2, 2]]
    """
    n_items = len(X)
    if n_items == 1:
        return np.zeros((1, n_levels), dtype=np.intp)
    rows = np.arange(n_items)
    if n_items > MOST_LINKED:
        rows = np.linspace(0, n_items - 1, MOST_LINKED).astype(np.intp)
    merges = linkage(X[rows], "ward")
    n_leaves = max(2.0, np.sqrt(n_items))
    cuts = [
        fcluster(merges, max(2, round(n_leaves ** (level / n_levels))), "maxclust")
        for level in range(1, n_levels + 1)
    ]
    paths = np.column_stack(cuts).astype(np.intp)
    if len(rows) < n_items:
        leaves, first, own = np.unique(paths[:, -1], return_index=True, return_inverse=True)
        centres = np.stack([X[rows][own == leaf].mean(axis=0) for leaf in range(len(leaves))])
        paths = paths[first[_nearest(X, centres)]]
    return np.column_stack([_by_appearance(column) for column in paths.T])


def _nearest(X: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the nearest centre of each item: the least ‖c‖² - 2 xᵀc."""
    squares = (centres**2).sum(axis=1)
    blocks = (X[start : start + BLOCK] for start in range(0, len(X), BLOCK))
    return np.concatenate([(squares - 2.0 * block @ centres.T).argmin(axis=1) for block in blocks])


def _by_appearance(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[first.argsort()] = np.arange(len(first))
    return rank[numbers]
