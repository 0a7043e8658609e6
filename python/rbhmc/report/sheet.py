"""Pictures of the items, small and on one sheet."""

import base64
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc.plots.thumbnails import check_images
from rbhmc.report.png import png

# A thumbnail has at most so many pixels a side, and all of them together so many bytes.
LARGEST = 64
BYTES = 2_400_000


@dataclass(frozen=True)
class Sheet:
    """Thumbnails in rows, as one picture.

    Attributes
    ----------
    picture : bytes
        The PNG.
    columns, rows : int
        Thumbnails side by side, and one below the other.
    width, height : int
        Pixels of a thumbnail.
    """

    picture: bytes
    columns: int
    rows: int
    width: int
    height: int

    @property
    def address(self) -> str:
        """The picture as an address that holds it."""
        return f"data:image/png;base64,{base64.b64encode(self.picture).decode()}"

    @property
    def layout(self) -> dict[str, int]:
        """What a page needs to find a thumbnail."""
        return {name: getattr(self, name) for name in ("columns", "rows", "width", "height")}


def sheet_of(images: ArrayLike, n_items: int) -> Sheet:
    """Make thumbnails of pictures and set them on a sheet.

    Parameters
    ----------
    images : array of shape (n_items, height, width) or (n_items, height, width, 3)
        Bytes, or numbers from 0 to 1. Grey pictures in another range are stretched to black and
        white.
    n_items : int
        How many there must be.

    Examples
    --------
    >>> sheet_of(np.zeros((5, 8, 8), np.uint8), 5).layout
    {'columns': 3, 'rows': 2, 'width': 8, 'height': 8}
    """
    pictures = check_images(images, n_items)
    channels = pictures.shape[3] if pictures.ndim == 4 else 1
    side = min(LARGEST, math.isqrt(BYTES // (n_items * channels)))
    tall, wide = pictures.shape[1:3]
    factor = max(1.0, max(tall, wide) / max(side, 1))
    height, width = max(1, round(tall / factor)), max(1, round(wide / factor))
    down, across = averaging(tall, height), averaging(wide, width)
    columns = math.ceil(math.sqrt(n_items))
    rows = -(-n_items // columns)
    cells = np.zeros((rows * columns, height, width, channels), np.uint8)
    low, high = _range(pictures)
    for item, picture in enumerate(pictures):
        shades = (picture.reshape(tall, wide, channels) - low) / (high - low)
        small = np.einsum("ih,hwc,jw->ijc", down, shades, across, optimize=True)
        cells[item] = np.round(255.0 * small.clip(0.0, 1.0))
    grid = cells.reshape(rows, columns, height, width, channels).transpose(0, 2, 1, 3, 4)
    pixels = np.ascontiguousarray(grid).reshape(rows * height, columns * width, channels)
    return Sheet(png(pixels), columns, rows, width, height)


def _range(pictures: NDArray[Any]) -> tuple[float, float]:
    """Find what is black and what is white."""
    if pictures.dtype == np.uint8:
        return 0.0, 255.0
    low, high = float(pictures.min()), float(pictures.max())
    if low >= 0.0 and high <= 1.0:
        return 0.0, 1.0
    return low, high if high > low else low + 1.0


def averaging(n: int, fewer: int) -> NDArray[np.float64]:
    """Weights that turn `n` pixels into `fewer`, each the mean of the stretch that it covers.

    Examples
    --------
    >>> averaging(3, 2).round(2)
    array([[0.67, 0.33, 0.  ],
           [0.  , 0.33, 0.67]])
    """
    edges = np.linspace(0.0, n, fewer + 1)
    at = np.arange(n)
    overlap = np.minimum(edges[1:, None], at + 1) - np.maximum(edges[:-1, None], at)
    weights = overlap.clip(min=0.0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
