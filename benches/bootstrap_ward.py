"""How often the nodes of Ward's linkage recur if items or columns are resampled.

This is the idea of pvclust (Suzuki and Shimodaira 2006): the share of bootstrap samples whose
linkage has a node with exactly the same items, of those that were sampled.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

Array = NDArray[np.float64]
Items = NDArray[np.intp]
Keys = NDArray[np.uint64]

N_SAMPLES = 1_000
MIN_SHARE = 0.05  # of the items, in a node


class WardNode(NamedTuple):
    """A node of Ward's linkage, and its recurrence under resampled items and columns."""

    items: Items
    by_items: float
    by_columns: float


def bootstrap_ward(X: Array, seed: int, n_samples: int = N_SAMPLES) -> list[WardNode]:
    """Return the nodes below the root that hold at least 5 % of the items."""
    rng = np.random.default_rng(seed)
    n_items, n_columns = X.shape
    merges = ward(X)
    # The key of a set of items is the sum of theirs.
    keys: Keys = rng.integers(1, 2**62, size=(n_items,), dtype=np.uint64)
    n_found = np.zeros((len(merges), 2))
    for _ in range(n_samples):
        rows = np.sort(rng.choice(n_items, n_items))
        is_first = np.append(True, rows[1:] != rows[:-1])
        is_sampled = np.bincount(rows, minlength=n_items) > 0
        found = sum_keys(ward(X[rows]), np.where(is_first, keys[rows], np.uint64(0)))
        wanted = sum_keys(merges, np.where(is_sampled, keys, np.uint64(0)))
        n_found[:, 0] += np.isin(wanted, found)
        columns = rng.choice(n_columns, n_columns)
        found = sum_keys(ward(X[:, columns]), keys)
        n_found[:, 1] += np.isin(sum_keys(merges, keys), found)
    members: list[Items] = [np.array([item]) for item in range(n_items)]
    nodes = []
    for (a, b), shares in zip(merges[:-1], (n_found / n_samples).tolist(), strict=False):
        members.append(np.concatenate([members[a], members[b]]))
        if len(members[-1]) >= max(2, MIN_SHARE * n_items):
            nodes.append(WardNode(np.sort(members[-1]), *shares))
    return nodes


def ward(X: Array) -> Items:
    """Return the merges of Ward's linkage, (n_items - 1, 2)."""
    return np.asarray(linkage(pdist(X), "ward")[:, :2], np.intp)


def sum_keys(merges: Items, keys: Keys) -> Keys:
    """Return the sum of the items' keys, modulo 2^64, over each node of a linkage."""
    sums = [int(key) for key in keys]
    for a, b in merges.tolist():
        sums.append((sums[a] + sums[b]) % 2**64)
    return np.array(sums[len(keys) :], np.uint64)
