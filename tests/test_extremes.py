"""Data and settings at the ends of their ranges sample without a panic, a NaN or a hang."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import rbhmc
from support import SCHEMES, TABLE, Floats, assert_valid, call_within, scheme_name

each_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=scheme_name)

# Six directions in the plane, none parallel to another.
SPREAD: Floats = np.array(
    [[1.0, 0.1], [-0.8, 0.3], [0.2, -1.0], [0.5, 0.9], [-0.4, -0.7], [0.9, -0.6]]
)

DATA: dict[str, Floats] = {
    "one number": np.array([[3.0]]),
    "one item": np.array([[1.0, -2.0, 3.0]]),
    "two items": TABLE[:2],
    "three items": TABLE[:3],
    "one dimension": TABLE[:, :1],
    "more dimensions than items": np.vander([1.0, 2.0, -1.5], 12),
    "zeros": np.zeros((5, 2)),
    "identical items": np.full((5, 2), 3.25),
    "identical items, 1e6 away": np.full((5, 2), 1e6),
    "items 1e6 apart": 1e6 * SPREAD,
    "items 1e-9 apart": 1e-9 * SPREAD,
    "items 1e-9 apart, far from 0": 1.0 + 1e-9 * SPREAD,
    "one outlier": np.vstack([SPREAD, [[1e6, -1e6]]]),
    "values of 1e15": 1e15 * SPREAD,
    "values of 1e30": 1e30 * SPREAD,
    "identical values of 1e30": np.full((3, 2), 1e30),
    "columns of all scales": SPREAD * [1e-30, 1e30],
    "items of all scales": SPREAD * 10.0 ** np.array([[-30], [-9], [0], [6], [15], [30]]),
}

SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "plain": {"C": 0.0},
    "one level": {"n_levels": 1},
    "20 levels": {"n_levels": 20},
    "20 levels, bushy": {"n_levels": 20, "alpha": 10.0},
    **{
        f"{name}={value:g}": {name: value}
        for name in ("alpha", "gamma", "gamma0")
        for value in (1e-20, 1e20)
    },
    "all concentrations tiny": {"alpha": 1e-20, "gamma": 1e-20, "gamma0": 1e-20},
    "all concentrations huge": {"alpha": 1e20, "gamma": 1e20, "gamma0": 1e20},
    "bushy, vanishing sticks": {"alpha": 1e3, "gamma": 1e-20, "gamma0": 1e-20},
    "bushy, many components": {"alpha": 1e3, "gamma": 1e-3, "gamma0": 1e20, "C": 1e-3},
    "weak": {"C": 1e-10, "alpha": 3.0},
    "strong": {"C": 1e6, "alpha": 3.0},
    "strong, 20 levels": {"C": 1e6, "n_levels": 20, "alpha": 3.0},
    "no margin": {"margin": 0.0, "alpha": 3.0},
    "huge margin": {"margin": 1e20, "alpha": 3.0},
    "tiny discriminants": {"eta_scale": 1e-20, "alpha": 3.0},
    "huge discriminants": {"eta_scale": 1e10, "alpha": 3.0},
    "tiny covariances": {"noise_cov": 1e-20, "base_cov": 1e-20},
    "huge covariances": {"noise_cov": 1e20, "base_cov": 1e20},
    "tiny noise": {"noise_cov": 1e-20, "base_cov": 1e20},
    "huge noise": {"noise_cov": 1e20, "base_cov": 1e-20},
    "far base": {"base_mean": 1e30},
    "strong and mixed": {
        "C": 1e6,
        "gamma": 1e-20,
        "alpha": 1e20,
        "noise_cov": 1e-20,
        "margin": 1e6,
    },
    "weak and mixed": {
        "C": 1e-10,
        "gamma": 1e20,
        "gamma0": 1e-20,
        "base_cov": 1e20,
        "n_levels": 20,
    },
}


def sample(x: Floats, settings: dict[str, Any], *, sweeps: int = 12) -> None:
    sampler = rbhmc.Sampler(x, **settings)
    assert_valid(sampler)
    draws = sampler.run(sweeps // 2, thin=2)
    assert_valid(sampler)
    for name in ("cdll", "rcdll", "loss"):
        assert np.isfinite(draws[name]).all()
    rbhmc.Sampler.from_bytes(sampler.to_bytes()).sweep()


@each_scheme
@pytest.mark.parametrize("x", DATA.values(), ids=DATA)
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_extremes_sample(scheme: dict[str, Any], x: Floats, settings: dict[str, Any]) -> None:
    call_within(20, lambda: sample(x, settings | scheme))


@each_scheme
@pytest.mark.parametrize("C", [1.0, 1e6])
def test_huge_identical_items_stay_finite_for_long(scheme: dict[str, Any], C: float) -> None:
    x = np.full((2, 3), 1e24)
    settings = {"C": C, "n_levels": 20, "alpha": 1.0}
    for seed in range(20):
        call_within(20, lambda seed=seed: sample(x, settings | scheme | {"seed": seed}, sweeps=60))  # type: ignore[misc]


MATRICES: dict[str, Any] = {
    "tiny": 1e-20 * np.array([[2.0, 1.0], [1.0, 2.0]]),
    "huge": 1e20 * np.array([[2.0, 1.0], [1.0, 2.0]]),
    "nearly singular": np.array([[1.0, 1 - 1e-12], [1 - 1e-12, 1.0]]),
    "of two scales": np.array([[1e-6, 1e-3], [1e-3, 1e6]]),
}


@pytest.mark.parametrize("noise", MATRICES.values(), ids=MATRICES)
@pytest.mark.parametrize("base", MATRICES.values(), ids=MATRICES)
def test_extreme_matrices_sample(noise: Any, base: Any) -> None:
    covariances = {"noise_cov": noise, "base_cov": base}
    for scheme in SCHEMES:
        call_within(20, lambda scheme=scheme: sample(TABLE, covariances | scheme))  # type: ignore[misc]


WIDE_TABLE = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
import numpy as np, rbhmc
X = np.ones((2, 300_000))
settings = dict(scheme="{scheme}", path_move="{path_move}", n_levels=1, alpha=1e9)
try:
    rbhmc.Sampler(X, **settings)
except MemoryError as error:
    assert "dimensions" in str(error)
else:
    raise SystemExit("no MemoryError")
sampler = rbhmc.Sampler(X, C=0.0, **settings)
sampler.sweep()
sampler.check()
"""


@each_scheme
def test_a_table_too_wide_for_its_covariances_raises_a_memory_error(scheme: dict[str, Any]) -> None:
    """A 300,000 × 300,000 matrix cannot be allocated; for C = 0 none is needed."""
    command = [sys.executable, "-c", WIDE_TABLE.format(**scheme)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 0, process.stderr[-500:]


@each_scheme
def test_items_whose_densities_underflow_are_clustered(scheme: dict[str, Any]) -> None:
    """Two far groups have separate components although all densities underflow."""
    x = np.array([[0.0], [0.1], [1e6], [1e6 + 0.1]])
    sampler = rbhmc.Sampler(x, C=0.0, base_cov=1.0, noise_cov=1.0, **scheme)
    sampler.sweep(50)
    assert sampler.components.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("name", ["alpha", "gamma", "gamma0", "noise_cov", "base_cov"])
@pytest.mark.parametrize("value", [1e-30, 1e-20, 1e20, 1e30])
def test_extreme_simulations_are_finite(name: str, value: float) -> None:
    settings: dict[str, Any] = {name: value}
    simulation = call_within(20, lambda: rbhmc.simulate(30, 3, **settings))
    assert np.isfinite(simulation["X"]).all()
    assert np.isfinite(simulation["tree"]["weights"]).all()


def test_a_new_branch_is_never_chosen_before_its_discriminant_is_drawn() -> None:
    """The other candidates together are lighter than the rounding of the branch's weight."""
    x = np.zeros((6, 4))
    x[:3] = [
        [0.0, 0.0, 5.0625, 8.625],
        [-7.3125, 0.0, 4.5625, 0.125],
        [0.0625, 0.0, -2.8125, -0.1875],
    ]
    x[5, 2] = -0.0625
    sampler = rbhmc.Sampler(
        x,
        n_levels=3,
        alpha=0.01,
        gamma=0.0005623413251903491,
        gamma0=1.0,
        C=1.0,
        margin=0.0,
        eta_scale=100.0,
        noise_cov=0.31622776601683794,
        base_mean=-7.6875,
    )
    sampler.apply("items_gibbs")
    assert_valid(sampler)
