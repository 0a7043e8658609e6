"""Labels of trees: checked once, and numbered in one way."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array
from rbhmc._core import InvalidInput, numbered

Labels = NDArray[np.int32]

# As for a Sampler: deeper trees could be built, but not sampled.
MAX_LEVELS = 255

# Labels that are numbered at once, so that memory is that of the answer.
BLOCK = 2**22
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
        What error messages call it.
    dims : tuple of int
        The numbers of dimensions that are allowed.
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
        raise InvalidInput(f"{name} has shape {array.shape}; it must be {wanted}")
    if array.dtype.kind not in "iu":
        raise InvalidInput(
            f"{name} has dtype {array.dtype}; it must hold whole numbers (integers): the node of "
            "each item at each level"
        )
    return array


def as_labels(paths: ArrayLike, name: str = "paths", dims: tuple[int, ...] = (2, 3, 4)) -> Labels:
    """Check paths, and number the nodes of each level from 0 by first appearance.

    Numbers are then equal for equal partitions, whatever the labels were.

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
    step = max(1, BLOCK // (n_items * n_levels))
    for start in range(0, len(flat), step):
        draws = range(start, min(start + step, len(flat)))
        try:
            labels[draws.start : draws.stop] = number(
                flat[draws.start : draws.stop], draws if front else None
            )
        except InvalidInput as error:
            raise InvalidInput(f"{name} is no tree: {error}") from None
    return labels.reshape(*front, n_levels, n_items)


def number(paths: NDArray[np.integer[Any]], draws: range | None = None) -> Labels:
    """Give the nodes of some trees, (n_draws, n_items, n_levels), their numbers.

    Where draws are given, an error says in which of them it is.
    """
    trees: Labels = numbered(paths.astype(np.int64), None if draws is None else list(draws))
    return trees


def check_paths(paths: ArrayLike) -> Labels:
    """Return the canonical labels of one tree, of shape (n_items, n_levels)."""
    labels = as_labels(paths, dims=(2,)).T  # read by column
    if labels.shape[1] > MAX_LEVELS:
        raise InvalidInput(f"paths has {labels.shape[1]} levels; at most {MAX_LEVELS} are possible")
    return labels
