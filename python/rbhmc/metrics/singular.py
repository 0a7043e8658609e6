"""Trees that are one single path."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc.tree.labels import as_labels


def is_singular(paths: ArrayLike) -> bool | NDArray[np.bool_]:
    """Whether a tree is one single path: every level holds one node only.

        singular  ⇔  path_n = path_1 for every item n.

    Such a tree says nothing, and has no sibling nodes to measure a distance between: the paper
    leaves such draws out. A tree with one node at level 1 that branches further down is not
    singular.

    Parameters
    ----------
    paths : array of integers of shape (n_items, n_levels)
        One tree, or draws: (n_draws, n_items, n_levels), (n_chains, n_draws, n_items, n_levels).

    Returns
    -------
    bool, or array of bool of shape (n_draws,) or (n_chains, n_draws)
        True where the tree is singular.

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
