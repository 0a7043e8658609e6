"""Trees and classes as the measures want them: checked, and numbered in one way."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput

Ints = NDArray[np.intp]
Labels = NDArray[np.int32]

_BLOCK = 2**20
_SHAPES = {
    2: "(n_items, n_levels)",
    3: "(n_draws, n_items, n_levels)",
    4: "(n_chains, n_draws, n_items, n_levels)",
}


def as_array(values: Any, name: str) -> NDArray[Any]:
    """`values` as an array; InvalidInput where they are ragged."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InvalidInput(f"{name} is no array ({error})") from error


def as_trees(paths: ArrayLike, name: str = "paths", dims: tuple[int, ...] = (2, 3, 4)) -> Labels:
    """`paths` checked, each node numbered by its first item.

    Node numbers of one level are then equal for equal partitions, and the number of a node's
    parent is found as ``tree[number, level - 1]``.

    Parameters
    ----------
    paths : array of integers of shape (…, n_items, n_levels)
        One tree or draws of trees.
    name : str
        What error messages call it.
    dims : tuple of int
        The numbers of dimensions that are allowed.
    """
    if hasattr(paths, "paths"):
        raise InvalidInput(f"{name} is a {type(paths).__name__}; give its .paths")
    array = as_array(paths, name)
    if array.ndim not in dims:
        wanted = " or ".join(_SHAPES[n] for n in dims)
        raise InvalidInput(f"{name} has shape {array.shape}, but should have shape {wanted}")
    if array.size == 0:
        raise InvalidInput(
            f"{name} has shape {array.shape}: at least one item, one level and one draw are needed"
        )
    if array.dtype.kind not in "iu":
        raise InvalidInput(
            f"{name} has dtype {array.dtype}, but should hold integers: the node of each item at "
            "each level"
        )
    trees = np.empty(array.shape, dtype=np.int32)
    n_items, n_levels = array.shape[-2:]
    flat, flat_in = trees.reshape(-1, n_items, n_levels), array.reshape(-1, n_items, n_levels)
    step = max(1, _BLOCK // (n_items * n_levels))
    for start in range(0, len(flat), step):
        flat[start : start + step] = _by_first_item(flat_in[start : start + step])
        _check_parents(flat[start : start + step], flat_in[start : start + step], name)
    return trees


def _by_first_item(paths: NDArray[Any]) -> Ints:
    order = np.argsort(paths, axis=1, kind="stable")
    in_order = np.take_along_axis(paths, order, axis=1)
    starts = np.zeros(paths.shape, dtype=np.intp)
    changes = in_order[:, 1:] != in_order[:, :-1]
    starts[:, 1:] = np.where(changes, np.arange(1, paths.shape[1])[:, None], 0)
    starts = np.maximum.accumulate(starts, axis=1)
    numbers = np.empty(paths.shape, dtype=np.intp)
    np.put_along_axis(numbers, order, np.take_along_axis(order, starts, axis=1), axis=1)
    return numbers


def _check_parents(trees: Labels, paths: NDArray[Any], name: str) -> None:
    for level in range(1, trees.shape[2]):
        parents = trees[:, :, level - 1]
        astray = np.take_along_axis(parents, trees[:, :, level], axis=1) != parents
        if astray.any():
            draw, item = np.argwhere(astray)[0]
            first = trees[draw, item, level]
            raise InvalidInput(
                f"{name} is no tree: items {first} and {item} share node "
                f"{paths[draw, item, level]} at level {level + 1}, but not their node at level "
                f"{level}; number the nodes of a level so that no two parents share a child"
            )


def column(level: int, n_levels: int) -> int:
    """Column of level 1 … n_levels, or -1 … -n_levels counted from the leaves."""
    if isinstance(level, bool) or not isinstance(level, int | np.integer):
        raise InvalidInput(f"level is {level!r}, but should be a whole number")
    if 1 <= level <= n_levels:
        return int(level) - 1
    if -n_levels <= level <= -1:
        return n_levels + int(level)
    raise InvalidInput(
        f"level is {level}, but should be from 1 to {n_levels}, or from -1, the leaves, to "
        f"{-n_levels} (0 is the root)"
    )


def columns(level: int | None, n_levels: int) -> list[int]:
    """Column of a level, or all of them."""
    return list(range(n_levels)) if level is None else [column(level, n_levels)]


def dense(numbers: NDArray[np.integer[Any]]) -> tuple[Ints, int]:
    """Node numbers 0 … k-1 of one level, by first appearance, and k; numbers by first item in."""
    firsts = numbers == np.arange(len(numbers))
    return (np.cumsum(firsts) - 1)[numbers], int(firsts.sum())


def as_classes(classes: ArrayLike, n_items: int, name: str = "classes") -> Labels:
    """Any labels of the items, checked, each class numbered by its first item."""
    array = as_array(classes, name)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise InvalidInput(f"{name} holds NaN, but should give every item a class")
    if array.shape != (n_items,):
        raise InvalidInput(
            f"{name} has shape {array.shape}, but should have shape ({n_items},): one for each item"
        )
    try:
        numbers = np.unique(array, return_inverse=True)[1]
    except TypeError as error:
        raise InvalidInput(
            f"{name} cannot be sorted ({error}); give numbers only, or text only"
        ) from error
    return _by_first_item(numbers.reshape(1, -1, 1)).reshape(-1).astype(np.int32)


def cells(a: Labels, b: Labels) -> tuple[Ints, Ints, Ints]:
    """Table of two partitions without its zeros: number in `a`, number in `b`, items."""
    keys, counts = np.unique(a.astype(np.int64) * len(b) + b, return_counts=True)
    rows, cols = np.divmod(keys, len(b))
    return rows, cols, counts


def sizes(numbers: NDArray[np.integer[Any]]) -> Ints:
    """For each item, how many items share its node; numbers are those of one level."""
    shared_by: Ints = np.bincount(numbers)[numbers]
    return shared_by


def unique_trees(trees: Labels) -> tuple[Ints, Ints]:
    """Index of the first draw of each different tree, ascending, and each draw's place in it."""
    _, first, inverse = np.unique(
        trees.reshape(len(trees), -1), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)]


def shared(numbers: Labels, most: int = 255) -> Iterator[tuple[slice, slice, NDArray[np.bool_]]]:
    """Whether items share a node, for a few draws and rows of the matrix at a time.

    Parameters
    ----------
    numbers : array of shape (n_draws, n_items)
        The nodes at one level.
    most : int
        How many draws at a time at the most.

    Yields
    ------
    draws, rows : slice
        Which draws and rows.
    same : array of shape (draws, rows, n_items)
        True where the item of a row and the item of a column share the node.
    """
    n_draws, n_items = numbers.shape
    n_rows = min(n_items, max(1, _BLOCK // n_items))
    n_at_once = min(most, max(1, _BLOCK // (n_rows * n_items)))
    for row in range(0, n_items, n_rows):
        rows = slice(row, min(row + n_rows, n_items))
        for draw in range(0, n_draws, n_at_once):
            draws = slice(draw, min(draw + n_at_once, n_draws))
            yield draws, rows, numbers[draws, rows, None] == numbers[draws, None, :]
