"""The sprite sheet: thumbnails of all items in one PNG, from which the page cuts each item's."""

import math
import struct
import zlib

import numpy as np
from numpy.typing import ArrayLike

from rbhmc.plots.thumbnails import MAX_SIDE, Bytes, check_images, make_thumbnails, tile

MAX_BYTES = 2_400_000  # of all thumbnails before compression
# PNG's colour types by the number of channels.
COLOR_TYPES = {1: 0, 3: 2, 4: 6}


def make_sprite_sheet(images: ArrayLike, n_items: int) -> tuple[bytes, dict[str, int]]:
    """Scale pictures down to thumbnails, see `make_thumbnails`, and set them in rows.

    Returns
    -------
    png : bytes
        The picture of all thumbnails.
    layout : dict
        The numbers of columns and rows, and the width and height of a thumbnail in pixels.

    Examples
    --------
    >>> make_sprite_sheet(np.zeros((5, 8, 8), np.uint8), 5)[1]
    {'columns': 3, 'rows': 2, 'width': 8, 'height': 8}
    """
    pictures = check_images(images, n_items)
    n_channels = pictures.shape[3] if pictures.ndim == 4 else 1
    max_side = min(MAX_SIDE, math.isqrt(MAX_BYTES // (n_items * n_channels)))
    thumbnails = make_thumbnails(pictures, n_items, max_side)
    n_columns = math.ceil(math.sqrt(n_items))
    height, width = thumbnails.shape[1:3]
    layout = {"columns": n_columns, "rows": -(-n_items // n_columns)}
    return encode_png(tile(thumbnails, n_columns)), layout | {"width": width, "height": height}


def encode_png(pixels: Bytes) -> bytes:
    r"""Encode a picture of shape (height, width, n_channels): grey, RGB or RGBA.

    Examples
    --------
    >>> encode_png(np.zeros((2, 3, 1), np.uint8))[:8]
    b'\x89PNG\r\n\x1a\n'
    """
    height, width, n_channels = pixels.shape
    # The first byte of a row is the number of its filter: 0, none.
    rows = np.zeros((height, 1 + width * n_channels), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, COLOR_TYPES[n_channels], 0, 0, 0)
    chunks = {b"IHDR": header, b"IDAT": zlib.compress(rows.tobytes(), 9), b"IEND": b""}
    picture = b"\x89PNG\r\n\x1a\n"
    for name, content in chunks.items():
        checksum = zlib.crc32(name + content)
        picture += struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)
    return picture
