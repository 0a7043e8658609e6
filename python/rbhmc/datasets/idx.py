"""Reading idx files, the form of MNIST and its kin: a header, then unsigned bytes."""

import gzip
import math
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput

GZIP_MAGIC = b"\x1f\x8b"
UNSIGNED_BYTE = 8


def read_content(file: Path) -> bytes:
    """Content of a file, decompressed if it is gzip (whatever its name).

    Raises
    ------
    InvalidInput
        If the gzip stream is damaged.

    Examples
    --------
    >>> read_content(Path(__file__))[:3]
    b'\"\"\"'
    """
    content = file.read_bytes()
    if not content.startswith(GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise InvalidInput(f"{file} is a damaged gzip file: {error}") from error


def parse_idx(content: bytes, source: object) -> NDArray[np.uint8]:
    """Array that an idx file holds.

    The header is two zero bytes, the type of the values (8: unsigned bytes, the only one read
    here), the number of dimensions, and each dimension as a big-endian 32-bit integer.

    Parameters
    ----------
    content : bytes
        The file, not compressed.
    source : object
        What to call it in a message.

    Returns
    -------
    array of uint8
        Read-only.

    Raises
    ------
    InvalidInput
        If it is not an idx file of unsigned bytes, or has too few or too many of them.

    Examples
    --------
    >>> parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]), "an example")
    array([7, 8, 9], dtype=uint8)
    """
    if len(content) < 4 or content[:2] != b"\0\0" or content[3] == 0:
        raise InvalidInput(f"{source} is not an idx file: it starts with {content[:4].hex(' ')!r}")
    kind, n_dims = content[2:4]
    if kind != UNSIGNED_BYTE:
        raise InvalidInput(
            f"{source} is an idx file of type 0x{kind:02x}; only unsigned bytes (0x08) are read"
        )
    start = 4 + 4 * n_dims
    if len(content) < start:
        raise InvalidInput(f"{source} is truncated: its header ends after {len(content)} bytes")
    shape = tuple(int(size) for size in np.frombuffer(content, ">u4", n_dims, offset=4))
    n_values = len(content) - start
    if n_values != math.prod(shape):
        what = "truncated" if n_values < math.prod(shape) else "too long"
        raise InvalidInput(
            f"{source} is {what}: its header promises {shape}, {math.prod(shape)} bytes, "
            f"and {n_values} follow"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
