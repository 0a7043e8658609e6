"""Draws as a DataTree of xarray, which ArviZ reads."""

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import rbhmc
from draws.made import made_draws
from rbhmc import Draws
from rbhmc.draws import storage
from rbhmc.draws.variables import VARIABLES

# Its type stubs do not list what it exports.
arviz_stats: Any = importlib.import_module("arviz_stats")


@pytest.fixture(scope="module")
def draws() -> Draws:
    X = np.random.default_rng(0).normal(size=(12, 2)) * 4
    chains = [rbhmc.Sampler(X, seed=seed).run(100, burn_in=50) for seed in range(4)]
    # Two items share each of the first two names.
    return Draws.of_chains(chains, [f"item {n % 10}" for n in range(12)], {"C": 1.0, "seeds": [0]})


@pytest.fixture(params=["memory", "file"])
def tree(request: pytest.FixtureRequest, draws: Draws, tmp_path: Path) -> xarray.DataTree:
    if request.param == "memory":
        return draws.to_datatree()
    draws.save(tmp_path / "draws.zip")
    return Draws.load(tmp_path / "draws.zip").to_datatree()


def test_every_array_is_in_its_group(draws: Draws, tree: xarray.DataTree) -> None:
    assert list(tree.children) == ["posterior", "sample_stats", "trees"]
    for name, variable in VARIABLES.items():
        array = tree[variable.group][name]
        assert array.dims == variable.dims
        assert array.dtype == variable.dtype
        np.testing.assert_array_equal(array, getattr(draws, name))
    assert set(tree["posterior"].data_vars) == {"cdll", "rcdll", "loss", "n_components", "n_nodes"}
    assert set(tree["sample_stats"].data_vars) == {
        "path_acceptance",
        "eta_acceptance",
        "split_merge_acceptance",
    }


def test_items_and_levels_have_names(draws: Draws, tree: xarray.DataTree) -> None:
    trees = tree["trees"]
    assert np.asarray(trees["item"]).tolist() == list(draws.names)
    for group in ("trees", "posterior"):
        assert np.asarray(tree[group]["level"]).tolist() == [1, 2, 3]
    np.testing.assert_array_equal(
        trees["paths"].sel(item="item 5", level=2), draws.paths[:, :, 5, 1]
    )
    both = trees["components"].sel(item="item 1")
    np.testing.assert_array_equal(both, draws.components[:, :, [1, 11]])


def test_settings_and_version_are_attributes(draws: Draws, tree: xarray.DataTree) -> None:
    for group in tree.children.values():
        assert json.loads(group.attrs["settings"]) == draws.settings
        assert group.attrs["inference_library_version"] == rbhmc.__version__


def test_arviz_reads_it(draws: Draws, tree: xarray.DataTree) -> None:
    rows = ["cdll", "rcdll", "loss", "n_components", "n_nodes[1]", "n_nodes[2]", "n_nodes[3]"]
    summary = arviz_stats.summary(tree, round_to="none")
    assert summary.index.tolist() == rows
    np.testing.assert_allclose(summary.loc["cdll", "mean"], draws.cdll.mean())
    rhat, ess = arviz_stats.rhat(tree), arviz_stats.ess(tree)
    assert float(rhat["rcdll"]) >= 0.99
    assert 4 <= float(ess["rcdll"]) < 4000
    assert rhat["n_nodes"].dims == ("level",)


def test_arrays_in_memory_are_not_copied(draws: Draws) -> None:
    tree = draws.to_datatree()
    for name, variable in VARIABLES.items():
        assert np.shares_memory(tree[variable.group][name].values, getattr(draws, name))


@pytest.mark.parametrize(
    "part",
    [
        {"chain": 1, "draw": 5},
        {"draw": [9, 3, 3], "level": slice(None, None, -1)},
        {"item": [0, 4], "chain": slice(2, None)},
        {"level": -1},
        {"draw": xarray.DataArray([0, 7], dims="at"), "item": xarray.DataArray([3, 2], dims="at")},
    ],
)
def test_any_part_of_a_file_is_as_in_memory(draws: Draws, tree: xarray.DataTree, part: Any) -> None:
    whole = draws.to_datatree()["trees"]["paths"]
    np.testing.assert_array_equal(tree["trees"]["paths"].isel(part), whole.isel(part))


def test_only_the_needed_chunks_of_a_file_are_read(
    tmp_path: Path, entries_read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "CHUNK_BYTES", 10_000)
    made = made_draws(2, 150, 100, 2)
    made.save(tmp_path / "draws.zip")
    entries_read.clear()
    tree = Draws.load(tmp_path / "draws.zip").to_datatree()
    last = tree["trees"]["paths"].isel(chain=1, draw=-1)
    repr(tree)
    assert all(name.endswith("zarr.json") for name in entries_read)
    entries_read.clear()
    np.testing.assert_array_equal(last, made.paths[1, -1])
    assert sorted(set(entries_read)) == ["paths/c/1/2/0/0"]
