"""`Draws` in memory: stacking of chains, checks of arrays, settings as JSON, pickles."""

import copy
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbhmc
from draws.made import assert_same, made_draws
from rbhmc import Draws, InvalidInput
from rbhmc.draws.variables import VARIABLES

NAMES = ("a", "b", "c")


def chain(n_draws: int = 5, seed: int = 0) -> Any:
    return rbhmc.Sampler([[0.0], [0.3], [9.0]], n_levels=2, seed=seed).run(n_draws)


def test_chains_are_stacked() -> None:
    chains = [chain(seed=1), chain(seed=2)]
    draws = Draws.of_chains(chains, NAMES)
    for name, variable in VARIABLES.items():
        values = getattr(draws, name)
        assert values.dtype == variable.dtype
        assert values.ndim == len(variable.dims)
        for number in (0, 1):
            np.testing.assert_array_equal(values[number], chains[number][name])
    assert (draws.n_chains, draws.n_draws, draws.n_items, draws.n_levels) == (2, 5, 3, 2)
    assert repr(draws) == "Draws(2 chains x 5 draws of 3 items, 2 levels)"
    assert draws.names == NAMES
    assert draws.settings == {}


def test_chains_must_be_alike() -> None:
    with pytest.raises(InvalidInput, match=r"\(4, 3, 2\), \(5, 3, 2\)"):
        Draws.of_chains([chain(5), chain(4)], NAMES)
    with pytest.raises(InvalidInput, match="one chain at least"):
        Draws.of_chains([], NAMES)


def test_arrays_must_fit() -> None:
    arrays = made_draws().to_arrays()
    with pytest.raises(InvalidInput, match="names has 2 entries; it must have 9"):
        Draws(arrays, ("a", "b"))
    names = [str(n) for n in range(9)]
    with pytest.raises(InvalidInput, match="lack loss, n_nodes; they must have cdll"):
        Draws({k: v for k, v in arrays.items() if k not in ("loss", "n_nodes")}, names)
    with pytest.raises(InvalidInput, match="4 axes"):
        Draws(arrays | {"paths": arrays["paths"][0]}, names)
    with pytest.raises(InvalidInput, match=r"loss has shape \(2, 6\) .* shape \(2, 7\)"):
        Draws(arrays | {"loss": arrays["loss"][:, 1:]}, names)
    with pytest.raises(InvalidInput, match=r"type int64; .* type int32"):
        Draws(arrays | {"components": arrays["components"].astype(np.int64)}, names)


def test_settings_become_what_json_holds() -> None:
    given = {"noise_cov": np.eye(2), "thin": np.int64(10), "pair": (1, None), "C": np.float64(0.5)}
    plain = {"noise_cov": [[1.0, 0.0], [0.0, 1.0]], "thin": 10, "pair": [1, None], "C": 0.5}
    assert Draws.of_chains([chain()], NAMES, given).settings == plain
    for value in (object(), float("nan"), {1j}):
        with pytest.raises(InvalidInput, match=r"settings: .* JSON"):
            Draws.of_chains([chain()], NAMES, {"value": value})


def test_draws_are_pickled_and_copied(tmp_path: Path) -> None:
    draws = made_draws(settings={"C": 1.0})
    draws.save(tmp_path / "draws.zip")
    loaded = pickle.dumps(Draws.load(tmp_path / "draws.zip"))
    (tmp_path / "draws.zip").unlink()
    assert_same(pickle.loads(loaded), draws)
    assert_same(copy.deepcopy(draws), draws)


@pytest.mark.parametrize("missing", ["zarr", "xarray"])
def test_a_missing_package_names_the_extra_to_install(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = made_draws()
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf'{missing}: pip install "rbhmc\[draws\]"'):
        draws.to_datatree() if missing == "xarray" else draws.save(tmp_path / "draws.zip")
