"""Pictures: the sprite sheet holds the given ones, and the page shows them."""

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rbhmc.plots.thumbnails import MAX_SIDE
from rbhmc.report.page_data import MAX_PICTURE_BYTES, make_sprite_sheet
from report.conftest import Open


def decode(sheet: tuple[bytes, dict[str, int]], channels: int) -> NDArray[np.uint8]:
    """Decode the PNG of a sheet into thumbnails."""
    png, at = sheet
    width, height = struct.unpack(">II", png[16:24])
    start = png.index(b"IDAT")
    (length,) = struct.unpack(">I", png[start - 4 : start])
    raw = zlib.decompress(png[start + 4 : start + 4 + length])
    rows = np.frombuffer(raw, np.uint8).reshape(height, 1 + width * channels)[:, 1:]
    grid = rows.reshape(at["rows"], at["height"], at["columns"], at["width"], channels)
    return grid.transpose(0, 2, 1, 3, 4).reshape(-1, at["height"], at["width"], channels)


@pytest.mark.parametrize("shape", [(7, 9, 6), (7, 9, 6, 3), (7, 9, 6, 4)])
def test_small_pictures_are_unchanged(shape: tuple[int, ...]) -> None:
    images = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    channels = shape[3] if len(shape) == 4 else 1
    found = decode(make_sprite_sheet(images, 7), channels)
    np.testing.assert_array_equal(found[:7], images.reshape(7, 9, 6, channels))


@pytest.mark.parametrize(("high", "scale"), [(1.0, 255.0), (16.0, 255.0 / 16.0)])
def test_numbers_become_shades(high: float, scale: float) -> None:
    images = high * np.linspace(0.0, 1.0, 32).reshape(2, 4, 4)
    found = decode(make_sprite_sheet(images, 2), 1)[:2, ..., 0]
    np.testing.assert_array_equal(found, np.round(images * scale).astype(np.uint8))


def test_large_pictures_are_scaled_down_with_the_same_mean() -> None:
    images = np.random.default_rng(0).integers(0, 256, (5, 120, 300, 3), np.uint8)
    sheet = make_sprite_sheet(images, 5)
    assert (sheet[1]["width"], sheet[1]["height"]) == (MAX_SIDE, 26)
    found = decode(sheet, 3)[:5]
    np.testing.assert_allclose(found.mean(axis=(1, 2)), images.mean(axis=(1, 2)), atol=1.0)


def test_many_pictures_are_scaled_down_further() -> None:
    _, layout = make_sprite_sheet(np.zeros((2000, 64, 64, 3), np.uint8), 2000)
    assert 2000 * layout["width"] * layout["height"] * 3 <= MAX_PICTURE_BYTES


def test_every_item_has_its_picture(open_page: Open, thousand_file: Path) -> None:
    page = open_page(thousand_file)
    assert page.locator("#tree .item > .thumbnail").count() == 1000
    page.fill("#search", "item 777")
    shown: Any = page.locator("#panel .thumbnail.large")
    assert shown.evaluate("each => getComputedStyle(each).backgroundImage").startswith("url(")
    box = shown.bounding_box()
    assert box["width"] == pytest.approx(box["height"])
    # Item 777 is in column 9 and row 24 of a sheet with 32 columns.
    at = shown.evaluate("each => each.style.backgroundPosition").replace("%", "").split()
    assert [float(each) for each in at] == pytest.approx([100 * 9 / 31, 100 * 24 / 31], abs=1e-3)
    assert page.locator("#ranking .thumbnail").count() == page.locator("#ranking li").count() == 20
