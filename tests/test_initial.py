"""The start of a chain at Ward's linkage of its sample: nested partitions, recorded and resumed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbhmc
from rbhmc.sampling import init as initial
from rbhmc.sampling.init import ward_paths


def groups(n_each: int, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float64]]:
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0, 0.0], [0.0, 8.0], [30.0, 0.0], [30.0, 8.0]])
    return np.concatenate([centre + rng.normal(size=(n_each, 2)) for centre in centres])


@pytest.mark.parametrize("n_levels", [1, 2, 5])
@pytest.mark.parametrize("n_items", [1, 2, 3, 40])
def test_paths_are_a_valid_start_of_a_sampler(n_items: int, n_levels: int) -> None:
    X = groups(10)[:n_items]
    paths = ward_paths(X, n_levels, seed=3)
    sampler = rbhmc.Sampler(X, n_levels=n_levels, initial_paths=paths)
    np.testing.assert_array_equal(sampler.paths, paths)
    assert (np.diff([len(np.unique(column)) for column in paths.T]) >= 0).all()


@pytest.mark.parametrize("seed", range(1, 6))
def test_separate_groups_are_found(seed: int) -> None:
    """The samples of these seeds, 8 of 16 items, have items of all groups."""
    paths = ward_paths(groups(4), 2, seed)
    np.testing.assert_array_equal(paths[:, 0], np.repeat([0, 0, 1, 1], 4))
    np.testing.assert_array_equal(paths[:, 1], np.repeat([0, 1, 2, 3], 4))


def test_a_sample_of_many_items_is_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    X = groups(50)[np.random.default_rng(1).permutation(200)]
    paths = ward_paths(X, 2, 0)
    assert len(paths) == 200
    # A sample of 28 items has 14 / 2 = 14^(2 / 2) leaves, and 14^(1 / 2) nodes above them.
    assert [len(np.unique(column)) for column in paths.T] == [4, 14]
    sides = X[:, 0] > 15
    assert all(len(np.unique(sides[paths[:, 1] == leaf])) == 1 for leaf in np.unique(paths[:, 1]))
    monkeypatch.setattr(initial, "ITEMS_PER_BLOCK", 33)
    np.testing.assert_array_equal(ward_paths(X, 2, 0), paths)


def test_every_seed_gives_a_sample_of_its_own() -> None:
    starts = {ward_paths(groups(20), 3, seed).tobytes() for seed in range(8)}
    assert len(starts) == 8
    assert ward_paths(groups(20), 3, 0).tobytes() in starts


def test_identical_items_have_paths() -> None:
    assert ward_paths(np.zeros((6, 2)), 3, 0).shape == (6, 3)
    # SciPy warns of two equal rows, which look like a table of distances.
    assert ward_paths(np.zeros((2, 2)), 3, 0).shape == (2, 3)


SETTINGS: dict[str, Any] = {"n_levels": 2, "n_warmup": 10, "n_chains": 2, "random_state": 0}


def test_the_estimator_records_the_start(tmp_path: Path) -> None:
    X = groups(5)
    model = rbhmc.RBHMC(n_draws=10, **SETTINGS).fit(X, checkpoint_dir=tmp_path)
    assert model.draws_.settings["init"] == "ward"
    model.set_params(n_draws=20).fit(X, checkpoint_dir=tmp_path, resume=True)
    whole = rbhmc.RBHMC(n_draws=20, **SETTINGS).fit(X)
    np.testing.assert_array_equal(model.draws_.paths, whole.draws_.paths)
    other = rbhmc.RBHMC(init="prior", n_draws=20, **SETTINGS)
    with pytest.raises(rbhmc.InvalidInput, match="init"):
        other.fit(X, checkpoint_dir=tmp_path, resume=True)


def test_two_chains_share_each_start() -> None:
    X = groups(20)
    model = rbhmc.RBHMC(n_warmup=0, n_draws=1, thin=1, n_chains=8, random_state=0).fit(X)
    assert model.draws_.settings["starts"] == [0, 0, 1, 1, 2, 2, 3, 3]
    np.testing.assert_array_equal(model.draws_.starts, np.repeat(range(4), 2))
    # From one tree the chains go their own ways.
    assert not np.array_equal(model.draws_.paths[0], model.draws_.paths[1])


def test_starts_of_kept_chains_are_numbered_by_first_appearance() -> None:
    chains = [rbhmc.Sampler(groups(2), seed=seed).run(2) for seed in range(3)]
    names = [str(item) for item in range(8)]
    settings = {"starts": [4, 4, 2, 2], "chains": [1, 2, 3]}
    draws = rbhmc.Draws.of_chains(chains, names, settings)
    np.testing.assert_array_equal(draws.starts, [0, 1, 1])
    np.testing.assert_array_equal(rbhmc.Draws.of_chains(chains, names).starts, [0, 1, 2])


def test_given_paths_replace_the_start() -> None:
    X = groups(5)
    given = np.repeat([0, 1], 10)[:, None] * [1, 1]
    first = {"n_warmup": 0, "n_draws": 1, "thin": 1}
    models = [
        rbhmc.RBHMC(init=init, initial_paths=given, **(SETTINGS | first)).fit(X)
        for init in ("ward", "prior")
    ]
    np.testing.assert_array_equal(models[0].draws_.rcdll, models[1].draws_.rcdll)
    ward = rbhmc.RBHMC(**(SETTINGS | first)).fit(X)
    assert not np.array_equal(ward.draws_.rcdll, models[0].draws_.rcdll)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"init": "kmeans"}, '"ward" or "prior"'),
        ({"initial_paths": np.zeros((20, 3), dtype=int)}, "initial_paths"),
        ({"n_levels": 0}, "n_levels"),
        ({"init": "prior", "n_levels": 0}, "n_levels"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(rbhmc.InvalidInput, match=message):
        rbhmc.RBHMC(n_draws=5, **(SETTINGS | settings)).fit(groups(5))
