"""The items that a model is fitted to: all rows of a table, or a sample of them, prepared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rbhmc._checks import check_count, check_names
from rbhmc._core import InvalidInput
from rbhmc.columns import check_is_table
from rbhmc.posterior.similarity import sample_items
from rbhmc.preparation import Array, Preparation, check_sizes
from rbhmc.rows import count_rows, is_dask, take_rows

Missing = Literal["impute", "drop", "error"]


@dataclass(frozen=True, eq=False)
class TrainingItems:
    """The items that a model is fitted to.

    Attributes
    ----------
    preparation : Preparation
        Learned from these items alone, so that it does not depend on where the other rows are.
    source : array or data frame
        The table as given, or its sampled rows.
    rows : array of shape (n_items,)
        The rows of the table that the items are.
    n_rows : int
        The number of rows of the table.
    names : tuple of str
    encoded : array of shape (n_items, n_encoded)
        The encoded items, with gaps.
    table : array of shape (n_items, n_encoded)
        The encoded items, with expected values in place of gaps.
    prepared : array of shape (n_items, n_dims)
    encoded_rows : array of shape (n_rows, n_encoded), or None
        All rows of the table, encoded; None if the items are all rows, or for a Dask table.
    is_sample : bool
        Whether there are other rows, which the model of the items has to place.
    """

    preparation: Preparation
    source: Any
    rows: NDArray[np.intp]
    n_rows: int
    names: tuple[str, ...]
    encoded: Array
    table: Array
    prepared: Array
    encoded_rows: Array | None
    is_sample: bool


def learn_items(
    X: Any,
    preparation: Preparation,
    *,
    names: Sequence[str] | None = None,
    missing: Missing = "impute",
    max_items: int | None = None,
) -> TrainingItems:
    """Learn the preparation of a table from all of its rows, or from a sample of `max_items`.

    The sample depends on the two numbers alone. With ``missing="drop"``, items with gaps are left
    out of it.

    Examples
    --------
    >>> X = np.arange(8.0)[:, None]
    >>> learn_items(X, Preparation(), max_items=3).names
    ('0', '3', '7')
    """
    if missing not in get_args(Missing):
        raise InvalidInput(f'missing is {missing!r}; it must be "impute", "drop" or "error"')
    check_is_table(X)
    sampled = None
    if max_items is not None or is_dask(X):
        n_given = count_rows(X)
        limit = n_given if max_items is None else check_count("max_items", max_items, 2)
        if n_given > limit or is_dask(X):
            sampled = sample_items(n_given, limit)
    source = X if sampled is None else take_rows(X, sampled)
    encoded = preparation.learn_encoding(source)
    given = np.arange(len(encoded)) if sampled is None else sampled
    n_rows = len(encoded) if sampled is None else n_given
    kept = np.arange(len(encoded))
    if missing == "drop":
        kept = np.flatnonzero(~np.isnan(encoded).any(axis=1))
        if not len(kept):
            raise InvalidInput('every row of X has a gap; missing="drop" leaves no items')
        encoded = encoded[kept]
    preparation.learn(encoded)
    if names is None and preparation.item_names_ is not None:
        known = check_names(preparation.item_names_, len(given), what="names")
        item_names = tuple(known[item] for item in kept)
    else:
        known = check_names(names, n_rows, what="names")
        item_names = tuple(known[row] for row in given[kept])
    encoded_rows = None
    if sampled is not None and not is_dask(X):
        # Before any chain runs, so that values that cannot be used are refused at once.
        encoded_rows = preparation.encode(X)
        check_sizes(encoded_rows)
    table = preparation.fill(encoded)
    prepared = preparation.prepare(table)
    return TrainingItems(
        preparation,
        source,
        given[kept],
        n_rows,
        item_names,
        encoded,
        table,
        prepared,
        encoded_rows,
        is_sample=len(given) < n_rows,
    )
