"""The Rust core and the NumPy reference have the same stationary averages in every scheme.

Level 0.001 over the whole family of comparisons (Bonferroni). The controls compare two different
schemes, and an intercept with none, with the same averages of the reference: they must disagree.
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


Averages = tuple[NDArray[np.float64], NDArray[np.float64]]


def averages(sampler: Any, n_draws: int) -> Averages:
    return batch_means(statistics(sampler.run(n_draws, burn_in=300)), 50)


def largest_difference(slow: Averages, settings: dict[str, Any]) -> tuple[float, float]:
    """Return the largest |z| of the core against averages of the reference, and its bound."""
    fast = averages(rbhmc.Sampler(X, **settings, seed=3), 100_000)
    z = np.abs(z_scores(*slow, *fast))
    return float(z.max()), critical_value(LEVEL, N_CASES * len(z))


# Settings, and what a control changes in those of the core.
CASES: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
    ({"scheme": "collapsed", "path_move": "gibbs", "C": 0.4}, None),
    ({"scheme": "collapsed", "path_move": "mh", "C": 0.4}, None),
    ({"scheme": "exact", "path_move": "gibbs", "C": 0.4}, None),
    ({"scheme": "exact", "path_move": "mh", "C": 0.4}, None),
    ({"scheme": "paper", "C": 0.4}, {"scheme": "exact"}),
    ({"scheme": "paper", "C": 0.0}, None),
    (
        {"scheme": "collapsed", "path_move": "gibbs", "C": 1.0, "intercept": 0.9},
        {"intercept": 0.0},
    ),
    ({"scheme": "exact", "path_move": "mh", "C": 1.0, "intercept": 0.9}, None),
]
N_CASES = len(CASES)


@pytest.mark.parametrize(
    ("case", "control"), CASES, ids=["-".join(map(str, case.values())) for case, _ in CASES]
)
def test_the_core_has_the_averages_of_the_reference(
    case: dict[str, Any], control: dict[str, Any] | None
) -> None:
    settings = SETTINGS | case
    slow = averages(ReferenceSampler(X, **settings, seed=3), 8_000)
    largest, bound = largest_difference(slow, settings)
    assert largest < bound
    if control is not None:
        largest, bound = largest_difference(slow, settings | control)
        assert largest > bound
