"""Arrays from untrusted ``.npy`` files: no pickles, and no memory for forged shapes."""

import io
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def parse_npy(content: bytes) -> NDArray[Any]:
    """Parse the content of a ``.npy`` file.

    Raises
    ------
    ValueError
        If the content is not an array, contains a pickle, or is shorter or longer than its header
        says. NumPy would allocate the size in the header before it reads the data. Neither an empty
        array nor values without bytes can have a dimension that is longer than the file.

    Examples
    --------
    >>> buffer = io.BytesIO()
    >>> np.save(buffer, np.arange(3))
    >>> parse_npy(buffer.getvalue())
    array([0, 1, 2])
    """
    stream = io.BytesIO(content)
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise ValueError(f"its format has version {version}; versions 1.0 and 2.0 can be read")
    try:
        shape, _, dtype = HEADERS[version](stream)
    except Exception as error:  # NumPy parses the header as Python, which has many errors.
        raise ValueError(f"its header is damaged: {error}") from error
    if dtype.hasobject:
        raise ValueError("it contains Python objects (a pickle), which are never loaded")
    n_bytes = len(content) - stream.tell()
    claims_too_much = dtype.itemsize == 0 or max(shape, default=0) > len(content)
    if claims_too_much or prod(shape) * dtype.itemsize != n_bytes:
        raise ValueError(f"its header says {dtype} of shape {shape}, but {n_bytes} bytes follow")
    stream.seek(0)
    array: NDArray[Any] = np.load(stream, allow_pickle=False)
    return array
