"""idx files: plain, compressed, and damaged."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from paper.fashion_mnist import parse_idx, read_content
from rbhmc import InvalidInput
from reproduction.files import idx, some_images

WHOLE = idx(some_images(2))


@given(arrays(np.uint8, array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5)))
def test_written_values_are_read(values: Any) -> None:
    np.testing.assert_array_equal(parse_idx(idx(values), "test"), values, strict=True)


@given(st.integers(0, len(WHOLE) - 1))
def test_a_truncated_file_is_refused(length: int) -> None:
    with pytest.raises(InvalidInput, match=r"truncated|not an idx file"):
        parse_idx(WHOLE[:length], "test")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an idx file"),
        (b"name,class\nant,insects\n", "not an idx file"),
        (bytes([0, 0, 8, 0]), "not an idx file"),
        (bytes([0, 0, 13, 1, 0, 0, 0, 1, 0, 0, 0, 0]), "type 0x0d"),
        (WHOLE[:7], "header ends after 7 bytes"),
        (WHOLE[:-1], r"promises \(2, 28, 28\), 1568 bytes, and 1567 follow"),
        (WHOLE + b"\0", "too long"),
        (bytes([0, 0, 8, 255]) + b"\xff" * 4 * 255, "truncated"),
    ],
)
def test_an_invalid_file_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_idx(content, "test")


def test_compression_is_detected_by_content(tmp_path: Path) -> None:
    for name, content in (("a", gzip.compress(WHOLE)), ("a.gz", WHOLE)):
        file = tmp_path / name
        file.write_bytes(content)
        assert read_content(file) == WHOLE


@pytest.mark.parametrize("damage", ["cut", "flipped", "header only"])
def test_damaged_gzip_is_refused(damage: str, tmp_path: Path) -> None:
    content = bytearray(gzip.compress(WHOLE))
    if damage == "cut":
        del content[len(content) // 2 :]
    elif damage == "flipped":
        content[-6] ^= 0xFF
    else:
        del content[2:]
    file = tmp_path / "images.gz"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"images\.gz is a damaged gzip file"):
        read_content(file)
