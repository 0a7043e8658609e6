"""The initial state of a chain: a draw from the prior, or Ward's linkage of a sample of items."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from rbhmc._checks import check_count
from rbhmc._core import InvalidInput
from rbhmc.tree.labels import Labels, as_labels

Init = Literal["ward", "prior"]

# Items in the sample of a chain, times √n_items.
SAMPLE_FACTOR = 2.0
# Items whose distances to all sampled items are in memory at the same time.
ITEMS_PER_BLOCK = 10_000
# Chains that share a start, so that the effect of the start can be told from that of chance.
CHAINS_PER_START = 2


def number_starts(n_chains: int, init: Init, given: ArrayLike | None) -> list[int]:
    """Return the number of the start of each chain.

    Ward's linkage starts `CHAINS_PER_START` chains from the same tree, if they can all be grouped
    so, and there are two groups at least. Each draw from the prior is a start of its own; given
    paths are one start.

    Examples
    --------
    >>> number_starts(6, "ward", None), number_starts(3, "ward", None)
    ([0, 0, 1, 1, 2, 2], [0, 1, 2])
    >>> number_starts(4, "prior", None), number_starts(4, "ward", [[0], [0], [1]])
    ([0, 1, 2, 3], [0, 0, 0, 0])
    """
    if given is not None:
        return [0] * n_chains
    n_starts, n_left = divmod(n_chains, CHAINS_PER_START)
    is_shared = init == "ward" and n_left == 0 and n_starts > 1
    return [chain // CHAINS_PER_START if is_shared else chain for chain in range(n_chains)]


def initial_paths(
    X: NDArray[np.float64], n_levels: int, init: Init, given: ArrayLike | None, seed: int
) -> ArrayLike | None:
    """Return the paths that a chain starts from; None for a start from the prior.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
        The prepared table.
    n_levels : int
    init : {"ward", "prior"}
    given : array of shape (n_items, n_levels), optional
        Paths from the user, which replace `init`.
    seed : int
        The seed of the start.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.2]])
    >>> initial_paths(X, 2, "prior", None, 0) is None
    True
    >>> initial_paths(X, 1, "ward", None, 0).tolist()
    [[0], [0], [1], [1]]
    """
    if init not in get_args(Init):
        raise InvalidInput(f'init is {init!r}; it must be "ward" or "prior"')
    if given is not None:
        return given
    n_levels = check_count("n_levels", n_levels, 1)
    return None if init == "prior" else ward_paths(X, n_levels, seed)


def ward_paths(X: NDArray[np.float64], n_levels: int, seed: int) -> Labels:
    """Return nested clusters of all items by Ward's linkage of a random sample of 2√n_items.

    With m sampled items, level l of L has (m / 2)^(l / L) clusters. Every item joins the nearest
    sampled item. Different seeds give different trees.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [2.0], [2.1], [9.0], [9.1], [12.0], [12.1], [12.2]])
    >>> ward_paths(X, 2, 0).T.tolist()
    [[0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 2, 2, 2]]
    """
    n_items = len(X)
    n_sampled = min(n_items, max(4, round(SAMPLE_FACTOR * np.sqrt(n_items))))
    if n_sampled == 1:
        return np.zeros((1, n_levels), np.int32)
    sample = np.random.default_rng(seed).choice(n_items, n_sampled, replace=False)
    n_leaves = max(2, n_sampled // 2)
    cuts = [max(1, round(n_leaves ** (level / n_levels))) for level in range(1, n_levels + 1)]
    # Given a table that is square, SciPy warns that it might be a distance matrix.
    merges = linkage(pdist(X[sample]), "ward")[:, :2].astype(np.intp)
    clusters = np.stack([_cut(merges, n_clusters) for n_clusters in cuts], axis=1)
    return as_labels(clusters[_nearest(X, X[sample])]).T


def _cut(merges: NDArray[np.intp], n_clusters: int) -> NDArray[np.intp]:
    """Return the last of the first n - n_clusters merges that holds each of n items."""
    n_items = len(merges) + 1
    last = np.arange(n_items + len(merges))
    for merge in range(n_items - n_clusters - 1, -1, -1):
        last[merges[merge]] = last[n_items + merge]
    return last[:n_items]


def _nearest(X: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the nearest centre of each item, which minimises ‖c‖² - 2 xᵀc."""
    squares = (centres**2).sum(axis=1)
    blocks = (X[i : i + ITEMS_PER_BLOCK] for i in range(0, len(X), ITEMS_PER_BLOCK))
    return np.concatenate([(squares - 2.0 * block @ centres.T).argmin(axis=1) for block in blocks])
