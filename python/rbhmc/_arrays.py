"""Arrays from files of strangers: nothing in them is run, and no length in them is believed."""

import io
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def array_of(content: bytes) -> NDArray[Any]:
    """Read an array from the bytes of a ``.npy`` file.

    Raises
    ------
    ValueError
        Where they are none, hold a pickle, or are fewer than their header promises, for which
        NumPy would make room first.

    Examples
    --------
    >>> buffer = io.BytesIO()
    >>> np.save(buffer, np.arange(3))
    >>> array_of(buffer.getvalue())
    array([0, 1, 2])
    """
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise ValueError(f"its format is of version {version}")
    shape, _, dtype = HEADERS[version](stream)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, that is a pickle, which is never loaded")
    n_bytes = len(content) - stream.tell()
    if prod(shape) * dtype.itemsize != n_bytes:
        raise ValueError(f"{n_bytes} bytes follow a header that says {dtype} of shape {shape}")
    stream.seek(0)
    array: NDArray[Any] = np.load(stream, allow_pickle=False)
    return array
