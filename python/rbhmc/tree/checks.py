"""What a caller hands in, checked once and brought to one form."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput

# As for a Sampler: deeper trees could be built, but not sampled.
MAX_LEVELS = 255


def as_array(values: ArrayLike, what: str, dtype: type | None = None) -> NDArray[Any]:
    """Make an array, laid out by columns; say what it was meant for where that is impossible."""
    try:
        return np.asarray(values, dtype=dtype, order="F")
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{what}: {error}; it must hold numbers") from error


def checked_paths(paths: ArrayLike) -> NDArray[np.int32]:
    """Canonical labels: numbered by first appearance in each level, each under one parent."""
    given = as_array(paths, "paths")
    if given.ndim != 2 or 0 in given.shape:
        raise InvalidInput(
            f"paths: shape {given.shape}; it must be (n_items, n_levels), a row for each item and "
            "a column for each level, with at least one of each"
        )
    if given.shape[1] > MAX_LEVELS:
        raise InvalidInput(f"paths has {given.shape[1]} levels; at most {MAX_LEVELS} are possible")
    if given.dtype.kind not in "iu":
        raise InvalidInput(f"paths has dtype {given.dtype}; it must hold whole numbers")
    labels = np.empty(given.shape, np.int32, order="F")  # read by column
    for level in range(given.shape[1]):
        labels[:, level], first = _numbered(given[:, level])
        if level:
            _check_parents(given, labels, first, level)
    return labels


def _numbered(column: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Give labels numbers by first appearance; find the first item of each."""
    n = len(column)
    if column.min() < 0 or column.max() >= 4 * n:
        column = np.unique(column, return_inverse=True)[1]
    first_of = np.full(int(column.max()) + 1, n)
    first_of[column[::-1]] = np.arange(n - 1, -1, -1)  # of several entries, the last one stays
    first = np.sort(first_of[first_of < n])
    number = np.empty(len(first_of), np.int32)
    number[column[first]] = np.arange(len(first))
    return number[column], first


def _check_parents(
    given: NDArray[Any], labels: NDArray[np.int32], first: NDArray[np.intp], level: int
) -> None:
    above, node = labels[:, level - 1], labels[:, level]
    astray = above != above[first][node]
    if astray.any():
        item = int(np.argmax(astray))
        raise InvalidInput(
            f"paths: items {first[node[item]]} and {item} share node {given[item, level]} at "
            f"level {level + 1} but not its parent at level {level}; labels must be unique within "
            "a level for these to form a tree"
        )


def checked_names(
    names: Iterable[object] | None, n: int, *, what: str, prefix: str = ""
) -> tuple[str, ...]:
    """Give each of `n` things a string; without names the prefix and its number."""
    if names is None:
        return tuple(f"{prefix}{i}" for i in range(n))
    if isinstance(names, str):
        raise InvalidInput(f"{what} is one string; it must be a sequence of {n}")
    found = tuple(str(name) for name in names)
    if len(found) != n:
        raise InvalidInput(f"{what} has {len(found)} entries; it must have {n}")
    return found


def checked_support(id: str, support: float) -> float:
    """Check the support of a node: a share."""
    if not 0.0 <= support <= 1.0:
        raise InvalidInput(f"the support of {id!r} is {support}; it must be from 0 to 1")
    return float(support)


def checked_table(X: ArrayLike, n_items: int) -> NDArray[np.float64]:
    """Check the table behind the centroids: finite numbers, a row for each item."""
    table: NDArray[np.float64] = as_array(X, "X", np.float64)
    if table.ndim != 2 or len(table) != n_items:
        raise InvalidInput(
            f"X: shape {table.shape}; it must be ({n_items}, n_features), a row for each item"
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise InvalidInput(f"X[{row}, {column}] is {table[row, column]}; it must be finite")
    return table
