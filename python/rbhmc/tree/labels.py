"""Paths of trees as canonical labels: checked, and numbered by first appearance at each level."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array
from rbhmc._core import InvalidInput, canonical_labels

Labels = NDArray[np.int32]

# The limit of a Sampler.
MAX_LEVELS = 255

# About this number of labels is converted at once, which limits temporary memory.
BLOCK_LABELS = 2**22
SHAPES = {
    2: "(n_items, n_levels)",
    3: "(n_draws, n_items, n_levels)",
    4: "(n_chains, n_draws, n_items, n_levels)",
}


def as_paths(
    paths: ArrayLike, name: str = "paths", dims: tuple[int, ...] = (2, 3, 4)
) -> NDArray[np.integer[Any]]:
    """Check the shape and the type of paths: integers, (…, n_items, n_levels).

    Parameters
    ----------
    paths : array of integers
        One tree or draws of trees.
    name : str
        The name of the argument in messages.
    dims : tuple of int
        The allowed numbers of dimensions.
    """
    if hasattr(paths, "paths"):
        raise InvalidInput(f"{name} is a {type(paths).__name__}; give its .paths")
    array = check_array(paths, name)
    if array.size == 0:
        raise InvalidInput(
            f"{name} has shape {array.shape}; it must hold one item, one level and one draw, at "
            "least one of each"
        )
    if array.ndim not in dims:
        wanted = " or ".join(SHAPES[n] for n in dims)
        hint = "; give labels[:, None] for one level" if array.ndim == 1 else ""
        raise InvalidInput(f"{name} has shape {array.shape}; it must be {wanted}{hint}")
    if array.dtype.kind not in "iu":
        raise InvalidInput(
            f"{name} has dtype {array.dtype}; it must hold whole numbers (integers): the node of "
            "each item at each level"
        )
    return array


def as_labels(paths: ArrayLike, name: str = "paths", dims: tuple[int, ...] = (2, 3, 4)) -> Labels:
    """Check paths and convert them to canonical labels.

    The nodes of each level are numbered from 0 by first appearance, so equal partitions have equal
    labels.

    Returns
    -------
    array of shape (…, n_levels, n_items)

    Examples
    --------
    >>> as_labels([[7, 1], [7, 3], [-2, 5]])
    array([[0, 0, 1],
           [0, 1, 2]], dtype=int32)
    """
    array = as_paths(paths, name, dims)
    *front, n_items, n_levels = array.shape
    flat = array.reshape(-1, n_items, n_levels)
    labels = np.empty((len(flat), n_levels, n_items), np.int32)
    step = max(1, BLOCK_LABELS // (n_items * n_levels))
    for start in range(0, len(flat), step):
        draws = range(start, min(start + step, len(flat)))
        rows = slice(draws.start, draws.stop)
        try:
            labels[rows] = canonicalize(flat[rows], draws if front else None)
        except InvalidInput as error:
            raise InvalidInput(f"{name} is not a tree: {error}") from None
    return labels.reshape(*front, n_levels, n_items)


def canonicalize(paths: NDArray[np.integer[Any]], draws: Sequence[int] | None = None) -> Labels:
    """Convert the paths of trees, (n_draws, n_items, n_levels), to canonical labels.

    If the positions of the draws are given, errors name them.
    """
    trees: Labels = canonical_labels(paths.astype(np.int64), None if draws is None else list(draws))
    return trees


def check_paths(paths: ArrayLike) -> Labels:
    """Return the canonical labels of one tree, of shape (n_items, n_levels)."""
    labels = as_labels(paths, dims=(2,)).T
    if labels.shape[1] > MAX_LEVELS:
        raise InvalidInput(f"paths has {labels.shape[1]} levels; at most {MAX_LEVELS} are possible")
    return labels
