"""Co-occurrence in the order of the tree, small enough for a page."""

import base64
import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Cells a side at most, and bytes for the maps of all levels.
MOST_CELLS = 600
BYTES = 2_000_000


def block_size(n_items: int, n_levels: int) -> int:
    """Decide how many neighbouring items share a cell.

    Examples
    --------
    >>> block_size(600, 3), block_size(1000, 3), block_size(600, 255)
    (1, 2, 5)
    """
    most = min(MOST_CELLS, math.isqrt(2 * BYTES // n_levels))
    return -(-n_items // most)


def averaged(matrix: Floats, size: int) -> Floats:
    """Average blocks of rows and columns over pairs of different items.

    The last block may be smaller; an item alone in its block is always with itself.

    Examples
    --------
    >>> averaged(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]]), 2)
    array([[0.5, 0.1],
           [0.1, 1. ]])
    """
    starts = np.arange(0, len(matrix), size)
    sizes = np.diff(starts, append=len(matrix))
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    means = np.ones(sums.shape)
    np.divide(sums - np.diag(sizes), pairs, out=means, where=pairs > 0)
    return means.clip(0.0, 1.0)  # rounding may leave it


def packed(matrix: Floats) -> str:
    """Write a symmetric matrix of shares as bytes: its upper triangle, row by row, in base 64.

    Examples
    --------
    >>> list(base64.b64decode(packed(np.array([[1.0, 0.5], [0.5, 1.0]]))))
    [255, 128, 255]
    """
    shares = matrix[np.triu_indices(len(matrix))]
    return base64.b64encode(np.round(255.0 * shares).astype(np.uint8).tobytes()).decode()
