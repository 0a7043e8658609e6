"""Small files to read, and marks for tests that need the published ones."""

import gzip
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.io import savemat

from paper.fashion_mnist import DEBIAN_FOLDER
from paper.kemp import KEMP_CSV

needs_kemp = pytest.mark.skipif(not KEMP_CSV.is_file(), reason=f"no {KEMP_CSV.name} in shared/data")
needs_debian = pytest.mark.skipif(
    not DEBIAN_FOLDER.is_dir(), reason="Debian's dataset-fashion-mnist is not installed"
)

# Three images of each garment, and one bag more.
LABELS = np.array([*range(10)] * 3 + [8], dtype=np.uint8)


def idx(values: NDArray[np.uint8]) -> bytes:
    header = struct.pack(">4B", 0, 0, 8, values.ndim)
    return header + struct.pack(f">{values.ndim}I", *values.shape) + values.tobytes()


def some_images(n: int, side: int = 28) -> NDArray[np.uint8]:
    return np.random.default_rng(n).integers(0, 256, (n, side, side), dtype=np.uint8)


def garments(prefix: str, labels: NDArray[np.uint8] = LABELS) -> dict[str, bytes]:
    """Return the two files of one subset, by name, with random images."""
    return {
        f"{prefix}-images-idx3-ubyte": idx(some_images(len(labels))),
        f"{prefix}-labels-idx1-ubyte": idx(labels),
    }


def write(folder: Path, contents: dict[str, bytes], *, compress: bool = False) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        if compress:
            (folder / f"{name}.gz").write_bytes(gzip.compress(content))
        else:
            (folder / name).write_bytes(content)
    return folder


def cells(texts: Iterable[str]) -> NDArray[Any]:
    """Return a MATLAB cell array as a column."""
    return np.array([*texts], dtype=object).reshape(-1, 1)


def write_mat(file: Path, **variables: Any) -> Path:
    savemat(file, variables)
    return file
