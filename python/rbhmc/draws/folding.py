"""Paths of trees as they are stored: the leaf of each item, and the parent of each node."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.integer[Any]]


def fold(paths: Labels, n_nodes: int) -> tuple[Labels, Labels]:
    """Leave out what the tree implies: nodes that share a parent do so for all items.

    Parameters
    ----------
    paths : array of shape (..., n_items, n_levels)
        Labels from 0 to `n_nodes` - 1.
    n_nodes : int
        Nodes that a level has room for.

    Returns
    -------
    leaves : array of shape (..., n_items)
    parents : array of shape (..., n_levels - 1, n_nodes)
        For each level but the first, the node above each node.

    Examples
    --------
    >>> leaves, parents = fold(np.array([[0, 0], [1, 1], [0, 2]]), 3)
    >>> leaves, parents
    (array([0, 1, 2]), array([[0, 1, 0]]))
    """
    *lead, _, n_levels = paths.shape
    parents = np.zeros((*lead, n_levels - 1, n_nodes), paths.dtype)
    for level in range(n_levels - 1):
        np.put_along_axis(parents[..., level, :], paths[..., level + 1], paths[..., level], axis=-1)
    return paths[..., -1], parents


def unfold(leaves: Labels, parents: Labels) -> NDArray[np.int32]:
    """Give back the paths that were folded.

    Examples
    --------
    >>> unfold(np.array([0, 1, 2]), np.array([[0, 1, 0]])).tolist()
    [[0, 0], [1, 1], [0, 2]]
    """
    n_levels = parents.shape[-2] + 1
    paths = np.empty((*leaves.shape, n_levels), np.int32)
    labels = paths[..., -1] = leaves
    for level in reversed(range(n_levels - 1)):
        labels = np.take_along_axis(parents[..., level, :], labels, axis=-1)
        paths[..., level] = labels
    return paths
