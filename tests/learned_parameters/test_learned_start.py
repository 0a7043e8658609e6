"""The start of learned parameters: the noise of small groups, its floor and warm-up, and "auto"."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rbhmc
from learned_parameters.cases import ALL, neighbour_variance
from support import TABLE, assert_valid

Floats = NDArray[np.float64]


def noise(X: Floats, form: str = "learn-diagonal", **settings: Any) -> Any:
    return rbhmc.Sampler(X, noise_cov=form, **settings).settings["noise_cov"]


def groups(n_items: int, seed: int) -> Floats:
    """Return items in six groups of standard deviation 0.5, 10 apart, in three columns."""
    rng = np.random.default_rng(seed)
    centres = 10.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    return np.asarray(centres[rng.integers(6, size=n_items)] + 0.5 * rng.normal(size=(n_items, 3)))


def test_starting_values_depend_on_the_data() -> None:
    sampler = rbhmc.Sampler(TABLE, **ALL)
    concentrations = [sampler.settings[name] for name in ("alpha", "gamma", "gamma0")]
    assert concentrations == [0.35, 1.0, 0.85]
    within, variance = neighbour_variance(TABLE), TABLE.var(axis=0)
    start = np.minimum(within, variance)
    assert sampler.settings["noise_cov"] == pytest.approx(start.mean())
    assert sampler.settings["base_cov"] == pytest.approx((TABLE**2).mean())
    sampler = rbhmc.Sampler(TABLE, noise_cov="learn-diagonal", base_cov="data", base_mean=2.0)
    assert sampler.settings["noise_cov"] == pytest.approx(start)
    assert sampler.settings["base_cov"] == pytest.approx(((TABLE - 2.0) ** 2).mean(axis=0))
    assert sampler.learned == ["noise_cov"]


def test_the_noise_starts_within_groups_whatever_the_number_of_items() -> None:
    few, many = (
        np.median([noise(groups(n_items, seed), "learn") for seed in range(5)])
        for n_items in (200, 20_000)
    )
    assert many == pytest.approx(few, rel=0.2)
    assert 0.025 < many < 0.25  # 0.25 within groups, above 15 in all
    X = groups(150, 0)
    assert noise(X, "learn") == pytest.approx(neighbour_variance(X))
    # Control: neighbours among all items come closer as their number grows.
    bare = [neighbour_variance(groups(n_items, 0)) for n_items in (200, 1_500)]
    assert bare[1] < 0.5 * bare[0]


def test_duplicated_rows_count_once() -> None:
    X = groups(50, 1)
    np.testing.assert_allclose(noise(np.repeat(X, 4, axis=0)), noise(X), rtol=1e-12)


def test_constant_columns_start_as_the_others() -> None:
    flat = np.column_stack([TABLE, np.full(len(TABLE), 0.1)])
    within, variance = neighbour_variance(flat), TABLE.var(axis=0)
    start = np.minimum(within, np.append(variance, variance.mean()))
    assert noise(flat, base_mean=[0.0, 0.0, 0.1]) == pytest.approx(start)


@pytest.mark.parametrize("form", ["learn", "learn-diagonal"])
@pytest.mark.parametrize("n_items", [1, 2, 5])
def test_equal_items_have_the_least_noise(n_items: int, form: str) -> None:
    """No variance in any column: it is taken as 1, and the noise starts at the floor, 1/10,000."""
    sampler = rbhmc.Sampler(np.ones((n_items, 2)), **ALL | {"noise_cov": form}, seed=1)
    np.testing.assert_allclose(sampler.settings["noise_cov"], 1e-4)
    draws: Any = sampler.run(200)
    assert (draws["noise_cov"] >= 1e-4 * (1 - 1e-12)).all()
    assert_valid(sampler)


def test_one_and_two_items() -> None:
    assert noise(np.array([[3.0, -1.0]])) == pytest.approx([1e-4, 1e-4])
    # 100/4 is above both variances, 9 and 16.
    pair = np.array([[0.0, 0.0], [6.0, 8.0]])
    assert noise(pair) == pytest.approx([9.0, 16.0])


# Columns of 40 items: a binary one, one rounded to tenths, and a continuous one.
RNG = np.random.default_rng(3)
ROUNDED = np.column_stack(
    [RNG.integers(0, 2, 40), RNG.normal(size=40).round(1), 0.001 * RNG.normal(size=40)]
).astype(float)
FLOORS = np.array([1 / 12, 0.1**2 / 12, 1e-4 * ROUNDED[:, 2].var()])


def test_noise_stays_above_the_floor_of_each_column() -> None:
    """Each value of the binary column may be a component: without a floor its noise tends to 0."""
    sampler = rbhmc.Sampler(ROUNDED, noise_cov="learn-diagonal", base_cov="data", C=0.0, seed=2)
    draws: Any = sampler.run(2_000)
    least = draws["noise_cov"].min(axis=0)
    assert (least >= FLOORS * (1 - 1e-9)).all()
    # It is drawn from close above the floor, so that the floor is what limits it.
    assert least[0] < 1.02 * FLOORS[0]


def test_a_shared_noise_has_the_mean_of_the_floors() -> None:
    flat = np.column_stack([np.repeat([0.0, 1.0], 10), np.repeat([0.0, 1.0], 10)])
    sampler = rbhmc.Sampler(flat, noise_cov="learn", base_cov="data", C=0.0, seed=2)
    draws: Any = sampler.run(500)
    least = float(draws["noise_cov"].min())
    assert least >= (1 - 1e-9) / 12
    assert least < 1.02 / 12


@pytest.mark.parametrize("noise_warmup", [0, 1, 7])
def test_the_noise_is_held_for_exactly_the_warm_up(noise_warmup: int) -> None:
    settings: dict[str, Any] = ALL | {"noise_warmup": noise_warmup, "seed": 3}
    sampler = rbhmc.Sampler(TABLE, **settings)
    start = sampler.settings["noise_cov"]
    draws: Any = sampler.run(12)
    held = draws["noise_cov"] == start
    assert held.tolist() == [sweep < noise_warmup for sweep in range(12)]
    assert (draws["base_cov"] != sampler.settings["base_cov"])[:-1].all()
    # A checkpoint within the warm-up changes nothing.
    for at in range(1, 10, 3):
        part = rbhmc.Sampler(TABLE, **settings)
        part.sweep(at)
        part = rbhmc.Sampler.from_bytes(part.to_bytes())
        assert part.settings["noise_warmup"] == noise_warmup
        rest: Any = part.run(12 - at)
        assert np.array_equal(rest["noise_cov"], draws["noise_cov"][at:])


def test_auto_is_what_the_data_say() -> None:
    auto: dict[str, Any] = dict.fromkeys(
        ("eta_scale", "intercept", "noise_cov", "base_cov"), "auto"
    )
    settings = rbhmc.Sampler(TABLE, **auto).settings
    assert settings["eta_scale"] == pytest.approx(4.2 / np.sqrt(len(TABLE)))
    norm = np.sqrt((TABLE**2).sum(axis=1).mean())
    assert settings["intercept"] == pytest.approx(0.5 * norm)
    assert np.array_equal(settings["noise_cov"], noise(TABLE))
    assert settings["base_cov"] == pytest.approx((TABLE**2).mean(axis=0))
    assert rbhmc.Sampler(TABLE, **auto).learned == ["noise_cov"]
    assert rbhmc.Sampler(np.zeros((3, 2)), **auto).settings["intercept"] == 0.0
    paper = rbhmc.Sampler(TABLE, scheme="paper", **auto).settings
    assert [paper[name] for name in auto] == [1.0, 0.0, 1.0, 1.0]


def test_a_chain_starts_at_given_components() -> None:
    paths = np.array([[0, 0], [1, 1], [0, 0], [0, 2], [1, 1], [1, 1], [2, 3]])
    components = np.array([4, -9, 4, 4, 1, 4, 1], dtype=np.int16)
    for intercept in (0.0, 1.5):
        sampler = rbhmc.Sampler(
            TABLE,
            n_levels=2,
            intercept=intercept,
            initial_paths=paths,
            initial_components=components,
        )
        assert np.array_equal(sampler.paths, paths)
        assert sampler.components.tolist() == [0, 1, 0, 0, 2, 0, 2]
        discriminants: Any = sampler.tree["discriminants"]
        assert discriminants.shape == (8, 2 + (intercept > 0))
        assert_valid(sampler)
        sampler.sweep(20)
        assert_valid(sampler)
