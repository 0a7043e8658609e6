"""What holds of every chain, whatever its sizes, settings, seed and history (hypothesis)."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rbhmc
from reference.snapshot import canonical
from support import (
    KERNELS_OF_MARGINS,
    KERNELS_WITHOUT_MARGINS,
    SCHEMES,
    Floats,
    assert_canonical_tree,
    assert_flat_tree,
    assert_same_draws,
    assert_same_state,
    assert_valid,
)

settings.register_profile("rbhmc", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("rbhmc")

# Multiples of 1/16, so that shifts by whole numbers and powers of two are exact.
sixteenths = st.integers(-200, 200).map(lambda n: n / 16)
seeds = st.integers(0, 2**64 - 1)
PUBLISHED = ["paths_paper", "components_paper"]
WEIGHING = ["items_gibbs", "items_mh", "weights_tables", "weights_counts"]


def powers(low: int, high: int) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda exponent: float(10.0**exponent))


def covariances(n_dims: int) -> st.SearchStrategy[Any]:
    """A number, a vector, or a matrix A Aᵀ + scale I."""
    scale = powers(-3, 3)
    factor = hnp.arrays(np.float64, (n_dims, n_dims), elements=st.floats(-2, 2))
    return st.one_of(
        scale,
        st.lists(scale, min_size=n_dims, max_size=n_dims),
        st.builds(lambda a, s: a @ a.T + s * np.eye(n_dims), factor, scale),
    )


@st.composite
def problems(draw: st.DrawFn, C: st.SearchStrategy[float] | None = None) -> dict[str, Any]:
    """All arguments of a Sampler."""
    n_items, n_dims = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    scheme = draw(st.sampled_from(SCHEMES))
    intercepts = st.one_of(st.just(0.0), powers(-3, 3))
    return {
        "X": draw(hnp.arrays(np.float64, (n_items, n_dims), elements=sixteenths)),
        "n_levels": draw(st.integers(1, 4)),
        "alpha": draw(powers(-6, 4)),
        "gamma": draw(powers(-6, 4)),
        "gamma0": draw(powers(-6, 4)),
        "C": draw(st.one_of(st.just(0.0), powers(-6, 4)) if C is None else C),
        "margin": draw(st.one_of(st.just(0.0), powers(-3, 3))),
        "eta_scale": draw(powers(-2, 2)),
        "noise_cov": draw(covariances(n_dims)),
        "base_cov": draw(covariances(n_dims)),
        "base_mean": draw(
            st.one_of(sixteenths, hnp.arrays(np.float64, n_dims, elements=sixteenths))
        ),
        "seed": draw(seeds),
        "intercept": 0.0 if scheme["scheme"] == "paper" else draw(intercepts),
        **scheme,
    }


@given(problems(), st.data())
def test_any_sequence_of_kernels_keeps_a_valid_state(problem: dict[str, Any], data: Any) -> None:
    sampler = rbhmc.Sampler(**problem)
    kernels = KERNELS_WITHOUT_MARGINS + (KERNELS_OF_MARGINS if problem["C"] > 0 else [])
    assert_valid(sampler)
    weighed = True
    for kernel in data.draw(st.lists(st.sampled_from(kernels), max_size=15)):
        sampler.apply(kernel)
        # The published steps move an item without regard to its own weight, which may be 0 until
        # weights are drawn that know of the item.
        weighed = kernel not in PUBLISHED and (weighed or kernel in WEIGHING)
        assert_valid(sampler, weighed=weighed)


@given(problems(), st.integers(1, 30))
def test_sweeps_keep_a_valid_state(problem: dict[str, Any], n_sweeps: int) -> None:
    sampler = rbhmc.Sampler(**problem)
    sampler.sweep(n_sweeps)
    assert_valid(sampler)
    assert sampler.n_sweeps == n_sweeps


@given(problems(), st.integers(0, 8), st.integers(0, 8), st.booleans())
def test_a_checkpoint_is_as_if_there_were_none(
    problem: dict[str, Any], before: int, after: int, within_a_sweep: bool
) -> None:
    sampler = rbhmc.Sampler(**problem)
    sampler.sweep(before)
    if within_a_sweep:
        sampler.apply("weights_counts")
    restored = rbhmc.Sampler.from_bytes(sampler.to_bytes())
    assert_same_draws(restored.run(after), sampler.run(after))
    assert_same_state(restored, sampler)


@given(problems(), st.data())
def test_any_tree_may_be_given(problem: dict[str, Any], data: Any) -> None:
    """Each item takes the branch of an item before it down to some level, then one of its own."""
    n_items, n_levels = len(problem["X"]), problem["n_levels"]
    paths = np.empty((n_items, n_levels), dtype=np.int64)
    for n in range(n_items):
        paths[n] = n
        if n:
            other = data.draw(st.integers(0, n - 1))
            shared = data.draw(st.integers(0, n_levels))
            paths[n, :shared] = paths[other, :shared]
    sampler = rbhmc.Sampler(**problem, initial_paths=paths)
    expected = np.array([canonical(level.tolist()) for level in paths.T]).T
    np.testing.assert_array_equal(sampler.paths, expected)
    assert_valid(sampler)


@given(problems(C=st.just(0.0)), st.integers(-64, 64))
def test_a_shift_of_items_and_base_shifts_the_means(problem: dict[str, Any], shift: int) -> None:
    """Plain BHMC knows only x - base_mean, which an exact shift leaves as it is, to the bit."""
    moved = problem | {"X": problem["X"] + shift, "base_mean": problem["base_mean"] + shift}
    sampler, other = rbhmc.Sampler(**problem), rbhmc.Sampler(**moved)
    assert_same_draws(other.run(10), sampler.run(10))
    np.testing.assert_allclose(other.means, sampler.means + shift, rtol=1e-12, atol=1e-9)


@given(problems(), st.integers(-3, 3))
def test_a_change_of_units_changes_no_tree(problem: dict[str, Any], exponent: int) -> None:
    """Items, means and deviations times 2^k, discriminants by 2^-k: exact, so equal to the bit.

    Only the log likelihood knows the unit: it has N D ln 2^k less.
    """
    unit = 2.0**exponent
    scaled = problem | {
        "X": problem["X"] * unit,
        "base_mean": np.asarray(problem["base_mean"]) * unit,
        "noise_cov": np.asarray(problem["noise_cov"]) * unit**2,
        "base_cov": np.asarray(problem["base_cov"]) * unit**2,
        "eta_scale": problem["eta_scale"] / unit,
        "intercept": problem["intercept"] * unit,
    }
    draws, others = rbhmc.Sampler(**problem).run(10), rbhmc.Sampler(**scaled).run(10)
    for name in ("paths", "components", "path_acceptance"):
        np.testing.assert_array_equal(others[name], draws[name])
    less = problem["X"].size * np.log(unit)
    np.testing.assert_allclose(others["cdll"], draws["cdll"] - less, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(others["loss"], draws["loss"], rtol=1e-9, atol=1e-9)


@given(problems(), st.integers(0, 6), st.integers(1, 4), st.integers(0, 6))
def test_thinned_draws_are_some_of_all_draws(
    problem: dict[str, Any], n_draws: int, thin: int, burn_in: int
) -> None:
    thinned = rbhmc.Sampler(**problem).run(n_draws, thin=thin, burn_in=burn_in)
    draws = rbhmc.Sampler(**problem).run(burn_in + thin * n_draws)
    for name in ("paths", "components", "rcdll"):
        expected = draws[name][burn_in + thin - 1 :: thin]
        np.testing.assert_array_equal(thinned[name], expected)


@given(problems())
def test_a_simulation_is_a_tree_and_its_items(problem: dict[str, Any]) -> None:
    of_simulate = (
        "n_levels",
        "alpha",
        "gamma",
        "gamma0",
        "noise_cov",
        "base_cov",
        "base_mean",
        "seed",
    )
    sizes: Floats = problem["X"]
    arguments = {name: problem[name] for name in of_simulate}
    simulation: Any = rbhmc.simulate(*sizes.shape, **arguments)
    assert set(simulation) == {"X", "paths", "components", "means", "tree"}
    paths, components, means = (simulation[name] for name in ("paths", "components", "means"))
    assert (simulation["X"].shape, simulation["X"].dtype) == (sizes.shape, np.float64)
    assert (paths.shape, paths.dtype) == ((len(sizes), problem["n_levels"]), np.int32)
    assert np.isfinite(simulation["X"]).all()
    assert_canonical_tree(paths)
    assert components.tolist() == canonical(components.tolist())
    assert means.shape == (components.max() + 1, sizes.shape[1])
    assert simulation["tree"]["discriminants"] is None
    assert_flat_tree(simulation["tree"], paths, len(means))
    again: Any = rbhmc.simulate(*sizes.shape, **arguments)
    for name in ("X", "paths", "components", "means"):
        np.testing.assert_array_equal(again[name], simulation[name])


def test_other_seeds_simulate_other_items() -> None:
    tables = [rbhmc.simulate(4, 2, seed=seed)["X"] for seed in range(5)]
    assert len({table.tobytes() for table in tables}) == 5


def test_simulated_items_have_the_moments_of_the_model() -> None:
    """Each x is N(base_mean, base_cov + noise_cov): over 4000 independent tables of one item."""
    base = np.array([[2.0, 0.5], [0.5, 1.0]])
    x = np.vstack(
        [
            rbhmc.simulate(1, 2, base_mean=[3.0, -1.0], base_cov=base, noise_cov=0.5, seed=seed)[
                "X"
            ]
            for seed in range(4000)
        ]
    )
    covariance = base + 0.5 * np.eye(2)
    z = np.linalg.solve(np.linalg.cholesky(covariance), (x - [3.0, -1.0]).T)
    assert np.abs(z.mean(axis=1)).max() < 4.5 / np.sqrt(4000)
    assert np.abs(z @ z.T / 4000 - np.eye(2)).max() < 4.5 * np.sqrt(2 / 4000)
    with pytest.raises(AssertionError):
        assert np.abs((z + 0.1).mean(axis=1)).max() < 4.5 / np.sqrt(4000)
