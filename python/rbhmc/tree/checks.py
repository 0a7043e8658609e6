"""What a caller hands in, checked once and brought to one form."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc.tree.labels import Labels, as_labels

# As for a Sampler: deeper trees could be built, but not sampled.
MAX_LEVELS = 255


def as_array(values: ArrayLike, what: str, dtype: type | None = None) -> NDArray[Any]:
    """Make an array, laid out by columns; say what it was meant for where that is impossible."""
    try:
        return np.asarray(values, dtype=dtype, order="F")
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{what}: {error}; it must hold numbers") from error


def checked_paths(paths: ArrayLike) -> Labels:
    """Canonical labels of a tree, (n_items, n_levels), numbered by first appearance."""
    labels = as_labels(paths, dims=(2,)).T  # read by column
    if labels.shape[1] > MAX_LEVELS:
        raise InvalidInput(f"paths has {labels.shape[1]} levels; at most {MAX_LEVELS} are possible")
    return labels


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
