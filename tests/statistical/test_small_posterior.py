"""A few items and C > 0: visits of all trees against their enumerated posterior under (Q).

Level 0.001 over all trees of a comparison (Bonferroni). `collapsed` and `paper` have other targets,
and a posterior with another C is another target: they are the controls.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import rbhmc
from statistical.compare import critical_value
from statistical.small_posterior import SmallPosterior, scores, small_posterior

LEVEL = 0.001
N_DRAWS = 200_000

CASES: dict[str, dict[str, Any]] = {
    "plain": {
        "X": np.array([[1.2, 0.4], [1.5, -0.3], [-1.1, 0.8], [-0.6, -1.3]]),
        "alpha": 1.5,
        "gamma": 1.0,
        "gamma0": 1.0,
        "C": 0.4,
        "margin": 1.0,
        "noise_cov": 0.5,
        "n_levels": 2,
    },
    "full covariances, three levels": {
        "X": np.array([[-0.9, 0.4], [0.7, 1.0], [0.8, -0.9]]),
        "alpha": 1.0,
        "gamma": 1.2,
        "gamma0": 1.5,
        "C": 0.6,
        "margin": 0.7,
        "eta_scale": 1.3,
        "noise_cov": np.array([[0.6, 0.1], [0.1, 0.5]]),
        "base_mean": np.array([0.1, -0.2]),
        "base_cov": np.array([1.5, 0.9]),
        "n_levels": 3,
    },
    # Most trees have three or four siblings, and with C = 1 it matters which is an item's rival:
    # this is the test of the Hastings ratio of the discriminants. The largest |z| is 2.6 with the
    # Gibbs path move. It is 12.4 if the ratio lacks the reverse density of the discriminant to be
    # replaced, 14.5 if that density lacks its normaliser, 7.3 if both densities lack theirs, and
    # 11.6 if the reverse Gaussian has the rivals from before the proposal.
    "strong margins": {
        "X": np.array([[1.2, 0.4], [1.5, -0.3], [-1.1, 0.8], [-0.6, -1.3]]),
        "alpha": 20.0,
        "gamma": 1.0,
        "gamma0": 1.0,
        "C": 1.0,
        "margin": 1.0,
        "noise_cov": 0.5,
        "n_levels": 1,
    },
    # All items on one side of the origin, where without intercept no boundary could lie between
    # them.
    "an intercept": {
        "X": np.array([[1.2, 0.4], [1.9, 0.9], [2.6, 1.3]]),
        "alpha": 8.0,
        "gamma": 1.0,
        "gamma0": 1.0,
        "C": 1.0,
        "margin": 1.0,
        "intercept": 1.1,
        "noise_cov": 0.5,
        "base_mean": np.array([1.8, 0.8]),
        "n_levels": 2,
    },
}


@cache
def posterior(case: str, **changes: float) -> SmallPosterior:
    return small_posterior(**CASES[case] | changes, n_samples=1_000_000, seed=0)


@cache
def draws_of(case: str, scheme: str, path_move: str | None) -> Mapping[str, Any]:
    sampler = rbhmc.Sampler(**CASES[case], scheme=scheme, path_move=path_move, seed=5)
    return sampler.run(N_DRAWS, thin=3, burn_in=1_000)


def largest_z(
    case: str, scheme: str, path_move: str | None, **changes: float
) -> tuple[float, float]:
    """Return the largest |z| over trees and the mean loss, and its critical value.

    The target has the settings of the case, or changed ones.
    """
    target = posterior(case, **changes)
    z = np.abs(scores(target, draws_of(case, scheme, path_move), np.empty((N_DRAWS, 0))))
    return float(z.max()), critical_value(LEVEL, len(z))


@pytest.mark.parametrize("path_move", ["gibbs", "mh"])
@pytest.mark.parametrize("case", CASES)
def test_exact_visits_trees_with_their_posterior_probability(case: str, path_move: str) -> None:
    z, critical = largest_z(case, "exact", path_move)
    assert z < critical


@pytest.mark.parametrize(("scheme", "path_move"), [("collapsed", "gibbs"), ("paper", None)])
def test_control_other_schemes_do_not(scheme: str, path_move: str | None) -> None:
    z, critical = largest_z("plain", scheme, path_move)
    assert z > 10 * critical


@pytest.mark.parametrize("case", ["strong margins", "an intercept"])
def test_control_exact_does_not_follow_a_slightly_weaker_regularisation(case: str) -> None:
    z, critical = largest_z(case, "exact", "gibbs", C=0.95)
    assert z > 5 * critical


@pytest.mark.parametrize("intercept", [0.0, 0.7])
def test_control_exact_does_not_follow_another_intercept(intercept: float) -> None:
    z, critical = largest_z("an intercept", "exact", "gibbs", intercept=intercept)
    assert z > 5 * critical
