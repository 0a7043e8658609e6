"""Small pictures of the items, all in one range of shades, and set in rows."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array
from rbhmc._core import InvalidInput

Bytes = NDArray[np.uint8]

MAX_SIDE = 64  # pixels: more are lost at the size of a thumbnail


def check_images(images: ArrayLike, n_items: int) -> NDArray[Any]:
    """Check that there is a picture for each item, grey or with three or four channels."""
    array = check_array(images, "images")
    shape = f"({n_items}, height, width) or ({n_items}, height, width, 3)"
    has_channels = array.ndim == 3 or (array.ndim == 4 and array.shape[3] in (3, 4))
    if not has_channels or len(array) != n_items or 0 in array.shape:
        raise InvalidInput(
            f"images has shape {array.shape}; it must have shape {shape}, one for each item"
        )
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise InvalidInput("images holds values that are not finite numbers; it must hold shades")
    if array.ndim == 4 and array.dtype != np.uint8 and not 0 <= array.min() <= array.max() <= 1:
        raise InvalidInput(
            f"images goes from {array.min()} to {array.max()}; channels must be bytes, or from 0 "
            "to 1"
        )
    return array


def make_thumbnails(images: ArrayLike, n_items: int, max_side: int = MAX_SIDE) -> Bytes:
    """Scale pictures down, by averaging, to sides of at most `max_side` pixels.

    Parameters
    ----------
    images : array of shape (n_items, height, width) or (n_items, height, width, 3)
        Bytes, or numbers from 0 to 1. Grey pictures in another range are stretched: the smallest
        number of all is black, the largest is white.
    n_items : int
        The required number of pictures.
    max_side : int
        The largest height and width, in pixels.

    Returns
    -------
    array of bytes of shape (n_items, height, width, n_channels)

    Examples
    --------
    >>> make_thumbnails([[[0.0, 2.0]]], 1).tolist()
    [[[[0], [255]]]]
    >>> make_thumbnails(np.zeros((2, 30, 20, 3)), 2, max_side=15).shape
    (2, 15, 10, 3)
    """
    pictures = check_images(images, n_items)
    tall, wide = pictures.shape[1:3]
    n_channels = pictures.shape[3] if pictures.ndim == 4 else 1
    factor = max(1.0, max(tall, wide) / max(max_side, 1))
    height, width = max(1, round(tall / factor)), max(1, round(wide / factor))
    by_row, by_column = averaging_weights(tall, height), averaging_weights(wide, width)
    low, high = _shade_range(pictures)
    small = np.empty((n_items, height, width, n_channels), np.uint8)
    for item, picture in enumerate(pictures):
        shades = (picture.reshape(tall, wide, n_channels) - low) / (high - low)
        means = np.einsum("ih,hwc,jw->ijc", by_row, shades, by_column, optimize=True)
        small[item] = np.round(255.0 * means.clip(0.0, 1.0))
    return small


def _shade_range(pictures: NDArray[Any]) -> tuple[float, float]:
    """Return the values of black and white."""
    if pictures.dtype == np.uint8:
        return 0.0, 255.0
    low, high = float(pictures.min()), float(pictures.max())
    if low >= 0.0 and high <= 1.0:
        return 0.0, 1.0
    return low, high if high > low else low + 1.0


def averaging_weights(n: int, n_fewer: int) -> NDArray[np.float64]:
    """Return the weights that average `n` pixels into `n_fewer`, by the length they cover.

    Examples
    --------
    >>> averaging_weights(3, 2).round(2)
    array([[0.67, 0.33, 0.  ],
           [0.  , 0.33, 0.67]])
    """
    edges = np.linspace(0.0, n, n_fewer + 1)
    at = np.arange(n)
    overlap = np.minimum(edges[1:, None], at + 1) - np.maximum(edges[:-1, None], at)
    weights = overlap.clip(min=0.0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def tile(pictures: Bytes, n_columns: int, gap: int = 0) -> Bytes:
    """Set pictures in rows as one picture, with a gap of zeros after each."""
    n, height, width, n_channels = pictures.shape
    n_rows = -(-n // n_columns)
    cells = np.zeros((n_rows * n_columns, height + gap, width + gap, n_channels), np.uint8)
    cells[:n, :height, :width] = pictures
    grid = cells.reshape(n_rows, n_columns, *cells.shape[1:]).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(grid).reshape(
        n_rows * (height + gap), n_columns * (width + gap), n_channels
    )
