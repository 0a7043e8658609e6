"""The shipped table of animals: its shape, its classes and its features."""

from typing import Any

import numpy as np
import pytest

from rbhmc.datasets import load_animals


@pytest.fixture(scope="module")
def animals() -> Any:
    return load_animals()


def test_shapes_and_types(animals: Any) -> None:
    assert animals.data.shape == (33, 118)
    assert animals.data.dtype == np.float64
    assert animals.target.shape == (33,)
    assert animals.target.dtype == np.int64
    assert len(animals.feature_names) == 118
    assert animals.names.shape == (33,)
    assert animals.frame is None


def test_values_are_zeros_and_ones(animals: Any) -> None:
    assert set(np.unique(animals.data)) == {0.0, 1.0}


def test_the_eight_classes_have_the_right_sizes(animals: Any) -> None:
    sizes = dict(zip(animals.target_names.tolist(), np.bincount(animals.target), strict=True))
    assert sizes == {
        "amphibians": 2,
        "birds": 5,
        "fish": 2,
        "insects": 4,
        "land mammals": 9,
        "mouse": 2,
        "predators": 5,
        "water animals": 4,
    }


def test_no_column_is_constant_or_repeated(animals: Any) -> None:
    columns = animals.data.T
    assert ((columns.sum(axis=1) > 0) & (columns.sum(axis=1) < 33)).all()
    assert len(np.unique(columns, axis=0)) == len(columns)


def test_no_two_animals_are_equal(animals: Any) -> None:
    assert len(np.unique(animals.data, axis=0)) == 33


@pytest.mark.parametrize(
    ("feature", "owners"),
    [
        ("backbone", 29),
        ("three pairs of legs", 4),
        ("feeds its young on milk", 19),
        ("feathered", 6),
        ("breathes with gills", 2),
        ("cheek teeth that shear meat", 5),
    ],
)
def test_features_divide_the_animals_at_every_level(
    animals: Any, feature: str, owners: int
) -> None:
    assert animals.data[:, animals.feature_names.index(feature)].sum() == owners


def test_the_description_says_that_the_features_are_not_kemps(animals: Any) -> None:
    assert "not Kemp's" in " ".join(animals.DESCR.split())
