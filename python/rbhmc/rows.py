"""The rows of a table, in memory or as blocks of a Dask array or data frame."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.columns import to_narwhals

Rows = NDArray[np.intp]


def is_dask(X: object) -> bool:
    """Whether a table is a Dask collection.

    Examples
    --------
    >>> is_dask(np.eye(2))
    False
    """
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "__dask_graph__")


def count_rows(X: Any) -> int:
    """Return the number of rows; those of a Dask table may have to be counted on the cluster.

    Examples
    --------
    >>> count_rows([[0.0], [1.0]])
    2
    """
    if is_dask(X):
        return sum(_block_lengths(X))
    shape = getattr(X, "shape", None)
    if shape is None:
        return len(X) if hasattr(X, "__len__") else 0
    return int(shape[0]) if len(shape) else 0


def take_rows(X: Any, rows: Rows) -> Any:
    """Return some rows, which are in ascending order, in memory; X itself for all rows.

    Examples
    --------
    >>> take_rows(np.array([[0.0], [1.0], [2.0]]), np.array([0, 2]))
    array([[0.],
           [2.]])
    """
    if is_dask(X):
        return _gather(X, rows)
    if len(rows) == len(X):
        return X
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "columns"):
        return to_narwhals(X)[rows.tolist()].to_native()
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows.tolist()]


def map_blocks(function: Callable[..., NDArray[np.intp]], X: Any, *arguments: Any) -> Any:
    """Return a Dask array of one number for each row: `function` of each block and the arguments.

    The arguments are sent to each worker once.
    """
    dask, array = require("dask", "cluster"), require("dask.array", "cluster")
    sent = [dask.delayed(argument, pure=True) for argument in arguments]
    lengths = (np.nan,) * X.npartitions if X.ndim == 2 and not _is_array(X) else X.chunks[0]
    blocks = [
        array.from_delayed(dask.delayed(function)(block, *sent), (length,), np.intp)
        for block, length in zip(_blocks(X), lengths, strict=True)
    ]
    return array.concatenate(blocks, allow_unknown_chunksizes=True)


def chains_on_cluster(X: Any) -> AbstractContextManager[Any]:
    """Return a context in which joblib runs chains on the cluster of a Dask table, if there is one.

    Examples
    --------
    >>> with chains_on_cluster(np.eye(2)):
    ...     pass
    """
    if is_dask(X):
        distributed = require("distributed", "cluster")
        try:
            distributed.get_client()
        except ValueError:
            return nullcontext()
        context: AbstractContextManager[Any] = joblib.parallel_config(backend="dask")
        return context
    return nullcontext()


def _is_array(X: Any) -> bool:
    return hasattr(X, "chunks")


def _blocks(X: Any) -> list[Any]:
    """Return the blocks of rows of a Dask table, each a delayed object."""
    if not _is_array(X):
        return list(X.to_delayed())
    if X.ndim != 2:
        raise InvalidInput(f"X is a Dask array of {X.ndim} dimensions; it must have 2")
    return [row[0] for row in X.rechunk({1: -1}).to_delayed()]


def _block_lengths(X: Any) -> list[int]:
    if _is_array(X) and not np.isnan(X.chunks[0]).any():
        return list(X.chunks[0])
    dask = require("dask", "cluster")
    return list(dask.compute(*[dask.delayed(len)(block) for block in _blocks(X)]))


def _gather(X: Any, rows: Rows) -> Any:
    """Return some rows of a Dask table; each block is read on the worker that holds it."""
    dask = require("dask", "cluster")
    starts = np.cumsum([0, *_block_lengths(X)])
    parts = []
    for block, start, end in zip(_blocks(X), starts[:-1], starts[1:], strict=True):
        inside = rows[(start <= rows) & (rows < end)] - start
        if len(inside):
            parts.append(dask.delayed(_take_block)(block, inside))
    found = dask.compute(*parts)
    if _is_array(X):
        return np.concatenate(found)
    frame = require("pandas", "frames").concat(found)
    # An index that counts may begin again in each block.
    return frame.set_index(rows) if frame.index.dtype.kind in "iu" else frame


def _take_block(block: Any, rows: Rows) -> Any:
    return block.iloc[rows] if hasattr(block, "iloc") else block[rows]
