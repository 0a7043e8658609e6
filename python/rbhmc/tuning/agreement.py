"""How far apart two trees of the same items are, from 0 to 1."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc.metrics import variation_of_information


def disagreement(paths_a: ArrayLike, paths_b: ArrayLike) -> float:
    """Compare two trees by the variation of information of their levels, each from 0 to 1.

    With H the entropy of a level's partition and H(a, b) that of both together,

        VI(a, b) / H(a, b) = (H(a|b) + H(b|a)) / H(a, b),

    averaged over levels: 0 for equal trees, 1 where neither tells anything of the other. A level
    that says nothing in either tree, being one node or each item alone, counts 1: chains that agree
    on no structure do not agree on a structure.

    Parameters
    ----------
    paths_a, paths_b : array of integers of shape (n_items, n_levels)
        The trees.

    Examples
    --------
    >>> disagreement([[0], [0], [1], [1]], [[7], [7], [5], [5]])
    0.0
    >>> disagreement([[0], [0], [1], [1]], [[0], [1], [0], [1]])
    1.0
    >>> disagreement([[0], [0], [0]], [[0], [0], [0]])
    1.0
    """
    a, b = np.asarray(paths_a), np.asarray(paths_b)
    apart = variation_of_information(a, b)
    # The entropy of a partition is its distance from a single cluster.
    one_cluster = np.zeros(len(a), np.int32)
    entropies = [variation_of_information(paths, one_cluster) for paths in (a, b)]
    levels = []
    for level, distance in enumerate(apart):
        if _is_empty(a[:, level]) or _is_empty(b[:, level]):
            levels.append(1.0)
        else:
            # H(a) + H(b) + VI = 2 H(a, b)
            levels.append(2.0 * distance / (entropies[0][level] + entropies[1][level] + distance))
    return float(np.mean(levels))


def _is_empty(labels: NDArray[np.integer]) -> bool:
    return len(np.unique(labels)) in (1, len(labels))
