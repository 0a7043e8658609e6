"""A sampler with learned parameters: settings, starting values, draws, checkpoints, units."""

import pickle
from typing import Any

import numpy as np
import pytest

import rbhmc
from learned_parameters.cases import ALL, CONCENTRATIONS, DIAGONAL
from support import SCHEMES, TABLE, assert_valid, scheme_name

EXACT = [scheme for scheme in SCHEMES if scheme["scheme"] != "paper"]


@pytest.mark.parametrize("name", CONCENTRATIONS)
@pytest.mark.parametrize("given", ["much", "learned", "learn-diagonal", None, [1.0, 2.0]])
def test_a_concentration_is_a_number_or_learn(name: str, given: Any) -> None:
    with pytest.raises(TypeError, match=f'{name} is .*; it must be a number above 0, or "learn"'):
        rbhmc.Sampler(TABLE, **{name: given})


@pytest.mark.parametrize(
    ("name", "given", "right"),
    [
        ("noise_cov", "lern", '"auto", "learn" or "learn-diagonal"'),
        ("noise_cov", "data", '"auto", "learn" or "learn-diagonal"'),
        ("base_cov", "dta", '"auto", "learn", "learn-diagonal" or "data"'),
    ],
)
def test_a_covariance_is_numbers_or_an_allowed_word(name: str, given: Any, right: str) -> None:
    words = f'{name} is "{given}"; it must be a number, a vector or a matrix, or {right}'
    with pytest.raises(rbhmc.InvalidInput, match=words):
        rbhmc.Sampler(TABLE, **{name: given})


@pytest.mark.parametrize("name", ALL)
def test_the_paper_scheme_cannot_learn(name: str) -> None:
    words = f'{name} is "learn"; it must be a fixed value with scheme="paper"'
    learned: dict[str, Any] = {name: "learn"}
    with pytest.raises(rbhmc.InvalidInput, match=words):
        rbhmc.Sampler(TABLE, scheme="paper", **learned)


def test_bad_values_are_reported_before_the_variance_is_computed() -> None:
    bad = TABLE.copy()
    bad[1, 1] = np.nan
    with pytest.raises(rbhmc.InvalidInput, match=r"X\[1, 1\] is NaN"):
        rbhmc.Sampler(bad, noise_cov="learn", base_cov="data")


def test_the_kernel_of_a_fixed_parameter_is_refused() -> None:
    sampler = rbhmc.Sampler(TABLE, alpha="learn")
    sampler.apply("alpha")
    for kernel in ("noise_cov", "base_cov"):
        with pytest.raises(rbhmc.InvalidInput, match=f'{kernel} is fixed; it must be "learn"'):
            sampler.apply(kernel)


def test_draws_hold_only_the_learned_parameters() -> None:
    assert not rbhmc.Sampler(TABLE).run(2).keys() & ALL.keys()
    sampler = rbhmc.Sampler(TABLE, gamma="learn", noise_cov="learn-diagonal", base_cov="learn")
    draws: Any = sampler.run(50)
    assert draws.keys() & ALL.keys() == {"gamma", "noise_cov", "base_cov"}
    assert [draws[name].shape for name in ("gamma", "noise_cov", "base_cov")] == [
        (50,),
        (50, 2),
        (50,),
    ]
    for name in ("gamma", "noise_cov", "base_cov"):
        assert len(np.unique(draws[name], axis=0)) == 50
        assert np.array_equal(draws[name][-1], sampler.settings[name])
    assert (sampler.settings["alpha"], sampler.settings["gamma0"]) == (0.35, 0.85)


@pytest.mark.parametrize("scheme", EXACT, ids=scheme_name)
@pytest.mark.parametrize("learned", [ALL, DIAGONAL], ids=["shared", "diagonal"])
def test_a_restored_chain_continues_to_the_bit(
    scheme: dict[str, Any], learned: dict[str, Any]
) -> None:
    sampler = rbhmc.Sampler(TABLE, **scheme, **learned, C=0.5, seed=4)
    sampler.sweep(30)
    assert_valid(sampler)
    restored, copy = (
        rbhmc.Sampler.from_bytes(sampler.to_bytes()),
        pickle.loads(pickle.dumps(sampler)),
    )
    assert restored.learned == list(ALL)
    assert np.array_equal(restored.settings["noise_cov"], sampler.settings["noise_cov"])
    expected = sampler.run(20)
    for other in (restored, copy):
        draws = other.run(20)
        assert all(np.array_equal(draws[key], expected[key], equal_nan=True) for key in expected)  # type: ignore[literal-required]
        assert other.to_bytes() == sampler.to_bytes()


@pytest.mark.parametrize("C", [0.0, 0.5])
@pytest.mark.parametrize("power", [-10, 10])
def test_units_of_the_data_do_not_matter(C: float, power: int) -> None:
    """Factors of 2 are exact; the scale of discriminants has the unit of 1/X."""
    unit = 2.0**power
    one: Any = rbhmc.Sampler(TABLE, **ALL, C=C, seed=7).run(100)
    other: Any = rbhmc.Sampler(unit * TABLE, **ALL, C=C, eta_scale=1 / unit, seed=7).run(100)
    for name in ("paths", "components", *CONCENTRATIONS):
        assert np.array_equal(one[name], other[name])
    for name in ("noise_cov", "base_cov"):
        assert np.array_equal(unit**2 * one[name], other[name])
    # Control: fixed parameters do not scale with the data.
    fixed: Any = rbhmc.Sampler(unit * TABLE, C=C, eta_scale=1 / unit, seed=7).run(100)
    assert not np.array_equal(rbhmc.Sampler(TABLE, C=C, seed=7).run(100)["paths"], fixed["paths"])
