"""A table is read by its values, to the bit, for any dtype and memory layout."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbhmc
from support import TABLE, assert_same_draws

ROWS, COLUMNS = TABLE.shape


def read_only(x: Any) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


def every_other(x: Any) -> Any:
    """Return the table as a view that skips rows and columns of a larger one."""
    large = np.full((3 * ROWS, 2 * COLUMNS), np.nan)
    large[::3, 1::2] = x
    return large[::3, 1::2]


def misaligned(x: Any) -> Any:
    packed = np.zeros(x.shape, dtype=[("byte", "u1"), ("value", "f8")])
    packed["value"] = x
    return packed["value"]


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "fortran": np.asfortranarray,
    "read-only": read_only,
    "read-only fortran": lambda x: read_only(np.asfortranarray(x)).T.T,
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "strided": every_other,
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "misaligned": misaligned,
    "big-endian": lambda x: x.astype(">f8"),
    "float16": lambda x: x.astype(np.float16),
    "float32": lambda x: x.astype(np.float32),
    "longdouble": lambda x: x.astype(np.longdouble),
    "list": lambda x: x.tolist(),
    "tuples": lambda x: tuple(map(tuple, x.tolist())),
    "rows": list,
    "objects": lambda x: x.astype(object),
    "fractions": lambda x: [[Fraction(value) for value in row] for row in x.tolist()],
    "decimals": lambda x: [[Decimal(value) for value in row] for row in x.tolist()],
    "array interface": lambda x: type("Table", (), {"__array__": lambda self, *_, **__: x})(),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_layout_changes_nothing(layout: Callable[[Any], Any]) -> None:
    expected = rbhmc.Sampler(TABLE, seed=1).run(10)
    assert_same_draws(rbhmc.Sampler(layout(TABLE), seed=1).run(10), expected)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", "?"])
def test_whole_numbers_are_converted(dtype: str) -> None:
    whole = np.abs(TABLE).astype(dtype)
    expected = rbhmc.Sampler(whole.astype(np.float64), seed=1).run(10)
    assert_same_draws(rbhmc.Sampler(whole, seed=1).run(10), expected)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_memory_map_is_read(tmp_path: Path, order: Any) -> None:
    np.save(tmp_path / "table.npy", np.asarray(TABLE, order=order))
    mapped = np.load(tmp_path / "table.npy", mmap_mode="r")
    expected = rbhmc.Sampler(TABLE, seed=1).run(10)
    assert_same_draws(rbhmc.Sampler(mapped, seed=1).run(10), expected)


def test_the_table_is_copied() -> None:
    x = TABLE.copy()
    sampler = rbhmc.Sampler(x, seed=1)
    x[:] = np.nan
    np.testing.assert_array_equal(
        sampler.run(10)["cdll"], rbhmc.Sampler(TABLE, seed=1).run(10)["cdll"]
    )


FULL = [[2.0, 0.5], [0.5, 1.0]]
EQUAL_SETTINGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"noise_cov": 2}, {"noise_cov": 2.0}),
    ({"noise_cov": 2.0}, {"noise_cov": [2.0, 2.0]}),
    ({"base_cov": np.float32(4)}, {"base_cov": np.array([4, 4])}),
    ({"noise_cov": FULL}, {"noise_cov": np.asfortranarray(FULL, dtype=np.float32)}),
    ({"base_cov": FULL}, {"base_cov": read_only(np.array(FULL))}),
    ({"base_mean": 3}, {"base_mean": np.array([3.0, 3.0])}),
    ({"base_mean": [3]}, {"base_mean": (3.0, 3.0)}),
    ({"base_mean": every_other(TABLE)[0]}, {"base_mean": TABLE[0].tolist()}),
    ({"n_levels": 2}, {"n_levels": np.int64(2)}),
    ({"seed": 5}, {"seed": np.uint8(5)}),
    ({"alpha": 1}, {"alpha": np.float32(1)}),
    ({"path_move": None}, {"path_move": "gibbs"}),
    ({"scheme": "paper"}, {"scheme": "paper", "path_move": "mh"}),
    ({"C": 0.0}, {"C": 0.0, "scheme": "exact"}),
]


@pytest.mark.parametrize(("settings", "others"), EQUAL_SETTINGS)
def test_settings_of_equal_meaning_give_equal_draws(
    settings: dict[str, Any], others: dict[str, Any]
) -> None:
    assert_same_draws(
        rbhmc.Sampler(TABLE, **settings).run(10), rbhmc.Sampler(TABLE, **others).run(10)
    )


@pytest.mark.parametrize("dtype", ["i1", "i8", "u2", "u8", ">i4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_initial_paths_of_any_integer_dtype_and_order(dtype: str, order: Any) -> None:
    paths = np.arange(2 * ROWS).reshape(ROWS, 2) // 4
    given = read_only(paths.astype(dtype, order=order))
    expected = rbhmc.Sampler(TABLE, n_levels=2, initial_paths=paths.tolist()).run(10)
    assert_same_draws(rbhmc.Sampler(TABLE, n_levels=2, initial_paths=given).run(10), expected)
