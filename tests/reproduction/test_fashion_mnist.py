"""Fashion-MNIST from a folder: subsets, samples, names, and invalid files."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paper.fashion_mnist import fetch_fashion_mnist
from rbhmc import InvalidInput
from reproduction.files import LABELS, garments, idx, needs_debian, some_images, write

GARMENTS = [
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
]


@pytest.fixture(params=[False, True], ids=["plain", "gz"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    both = garments("train") | garments("t10k", LABELS[:20])
    return write(tmp_path / "garments", both, compress=request.param)


def test_images_and_labels(folder: Path) -> None:
    bunch = fetch_fashion_mnist(folder)
    np.testing.assert_array_equal(bunch.images, some_images(31))
    np.testing.assert_array_equal(bunch.data, some_images(31).reshape(31, 784))
    np.testing.assert_array_equal(bunch.target, LABELS)
    assert bunch.target_names.tolist() == GARMENTS
    assert bunch.names[0] == "T-shirt/top train-0"


def test_images_share_the_memory_of_data(folder: Path) -> None:
    bunch = fetch_fashion_mnist(folder)
    assert np.shares_memory(bunch.images, bunch.data)


@pytest.mark.parametrize(("subset", "n"), [("train", 31), ("test", 20), ("all", 51)])
def test_subsets(folder: Path, subset: str, n: int) -> None:
    bunch = fetch_fashion_mnist(folder, subset=subset)
    assert bunch.images.shape == (n, 28, 28)
    assert len(set(bunch.names)) == n


def test_all_is_train_then_test(folder: Path) -> None:
    parts = [fetch_fashion_mnist(folder, subset=name) for name in ("train", "test")]
    whole = fetch_fashion_mnist(folder, subset="all")
    for name in ("data", "target", "names"):
        np.testing.assert_array_equal(whole[name], np.concatenate([part[name] for part in parts]))


def test_a_sample_is_balanced_and_in_order(folder: Path) -> None:
    whole = fetch_fashion_mnist(folder)
    sample = fetch_fashion_mnist(folder, n_per_class=2, seed=3)
    assert np.bincount(sample.target).tolist() == [2] * 10
    places = [int(name.rpartition("-")[2]) for name in sample.names]
    assert places == sorted(set(places))
    np.testing.assert_array_equal(sample.data, whole.data[places])
    np.testing.assert_array_equal(sample.target, whole.target[places])
    assert sample.names.tolist() == whole.names[places].tolist()


def test_equal_seeds_give_equal_samples(folder: Path) -> None:
    names = [fetch_fashion_mnist(folder, n_per_class=2, seed=seed).names for seed in (0, 0, 1)]
    assert names[0].tolist() == names[1].tolist() != names[2].tolist()


def test_a_subset_needs_only_its_own_files(tmp_path: Path) -> None:
    folder = write(tmp_path / "garments", garments("t10k"))
    assert len(fetch_fashion_mnist(folder, subset="test").data) == 31
    with pytest.raises(FileNotFoundError, match="neither train-images-idx3-ubyte nor"):
        fetch_fashion_mnist(folder)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"subset": "half"}, "'train', 'test' or 'all', not 'half'"),
        ({"n_per_class": 0}, "at least 1, not 0"),
        ({"n_per_class": 4}, "n_per_class is 4, but 'T-shirt/top' has 3 images"),
        ({"n_per_class": 1, "seed": -1}, "seed must be at least 0, not -1"),
    ],
)
def test_invalid_settings_are_refused(folder: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        fetch_fashion_mnist(folder, **settings)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"train-images-idx3-ubyte": idx(some_images(31, side=27))}, "images of 28 x 28"),
        ({"train-images-idx3-ubyte": idx(LABELS)}, "images of 28 x 28"),
        ({"train-images-idx3-ubyte": idx(some_images(30))}, "each of the 30 images"),
        ({"train-labels-idx1-ubyte": idx(some_images(31))}, "each of the 31 images"),
        ({"train-labels-idx1-ubyte": idx(LABELS + np.uint8(1))}, "the label 10"),
        ({"train-labels-idx1-ubyte": b"not idx"}, "not an idx file"),
        ({"train-labels-idx1-ubyte": idx(LABELS)[:-1]}, "truncated"),
    ],
)
def test_invalid_files_are_refused(tmp_path: Path, changed: dict[str, bytes], message: str) -> None:
    folder = write(tmp_path / "garments", garments("train") | changed)
    with pytest.raises(InvalidInput, match=f"{next(iter(changed)).partition('-')[0]}.*{message}"):
        fetch_fashion_mnist(folder)


@needs_debian
def test_debians_package_holds_the_published_data(home: Path) -> None:
    sample = fetch_fashion_mnist(subset="test", n_per_class=10)
    assert sample.images.shape == (100, 28, 28)
    assert np.bincount(sample.target).tolist() == [10] * 10
    assert sample.data.min() == 0
    assert sample.data.max() == 255
    assert not home.exists()


@needs_debian
def test_each_class_has_seven_thousand_images() -> None:
    target = fetch_fashion_mnist(subset="all").target
    assert np.bincount(target).tolist() == [7000] * 10
