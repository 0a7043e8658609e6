"""The Rust core and the NumPy reference have the same stationary averages in every scheme.

Level 0.001 over the whole family of comparisons (Bonferroni). The controls compare two different
schemes, and an intercept with none: they must disagree.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rbhmc
from reference import ReferenceSampler
from statistical.compare import batch_means, critical_value, z_scores

LEVEL = 0.001
N_ITEMS = 5
N_CASES = 8
X = np.array([[-1.2, 0.4], [-0.6, 1.0], [0.8, -0.9], [1.5, 0.3], [0.2, 0.1]])
SETTINGS: dict[str, Any] = {
    "n_levels": 2,
    "alpha": 1.0,
    "gamma": 1.2,
    "gamma0": 1.5,
    "margin": 1.0,
    "eta_scale": 0.8,
    "noise_cov": np.array([[0.6, 0.1], [0.1, 0.5]]),
    "base_mean": np.array([0.1, 0.0]),
    "base_cov": 1.5,
}


def statistics(draws: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return sizes, likelihoods, losses, and which pairs share a node or a component."""
    columns = [draws["n_nodes"], draws["n_components"], draws["loss"], draws["cdll"]]
    columns += [draws["rcdll"], draws["cdll"] ** 2]
    for i, j in combinations(range(N_ITEMS), 2):
        columns.append(draws["paths"][:, i] == draws["paths"][:, j])
        columns.append(draws["components"][:, i] == draws["components"][:, j])
    return np.column_stack(columns).astype(float)


def averages(sampler: Any, n_draws: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return batch_means(statistics(sampler.run(n_draws, burn_in=300)), 50)


@pytest.mark.parametrize(
    ("scheme", "path_move", "C", "intercept"),
    [
        ("collapsed", "gibbs", 0.4, 0.0),
        ("collapsed", "mh", 0.4, 0.0),
        ("exact", "gibbs", 0.4, 0.0),
        ("exact", "mh", 0.4, 0.0),
        ("paper", None, 0.4, 0.0),
        ("paper", None, 0.0, 0.0),
        ("collapsed", "gibbs", 1.0, 0.9),
        ("exact", "mh", 1.0, 0.9),
    ],
)
def test_the_core_has_the_averages_of_the_reference(
    scheme: str, path_move: str | None, C: float, intercept: float
) -> None:
    settings = SETTINGS | {
        "scheme": scheme,
        "path_move": path_move,
        "C": C,
        "intercept": intercept,
    }
    slow = averages(ReferenceSampler(X, **settings, seed=3), 8_000)
    fast = averages(rbhmc.Sampler(X, **settings, seed=3), 100_000)
    z = np.abs(z_scores(*slow, *fast))
    assert z.max() < critical_value(LEVEL, N_CASES * len(z))


def test_control_two_schemes_have_different_averages() -> None:
    slow = averages(ReferenceSampler(X, **SETTINGS, scheme="paper", C=0.4, seed=3), 8_000)
    fast = averages(rbhmc.Sampler(X, **SETTINGS, scheme="exact", C=0.4, seed=3), 100_000)
    z = np.abs(z_scores(*slow, *fast))
    assert z.max() > critical_value(LEVEL, N_CASES * len(z))


def test_control_without_its_intercept_the_core_has_other_averages() -> None:
    settings = SETTINGS | {"scheme": "collapsed", "C": 1.0}
    slow = averages(ReferenceSampler(X, **settings, intercept=0.9, seed=3), 8_000)
    fast = averages(rbhmc.Sampler(X, **settings, seed=3), 100_000)
    z = np.abs(z_scores(*slow, *fast))
    assert z.max() > critical_value(LEVEL, N_CASES * len(z))
