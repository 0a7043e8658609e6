"""`rbhmc.simulate`, which creates components on demand, against literal stick breaking.

Level 0.001 over the family (Bonferroni). The control simulates with another concentration.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import rbhmc
from reference import Model, simulate_items, simulate_prior
from reference.snapshot import canonical, canonical_paths
from statistical.compare import batch_means, critical_value, z_scores

LEVEL = 0.001
N_ITEMS = 4
N_DRAWS = 20_000
SETTINGS: dict[str, Any] = {
    "n_levels": 2,
    "alpha": 0.9,
    "gamma": 1.3,
    "gamma0": 1.1,
    "noise_cov": np.array([[0.6, 0.1], [0.1, 0.5]]),
    "base_mean": np.array([0.4, -0.3]),
    "base_cov": np.array([2.0, 1.0]),
}

Averages = tuple[NDArray[np.float64], NDArray[np.float64]]


def statistics(X: NDArray[Any], paths: NDArray[Any], components: NDArray[Any]) -> list[float]:
    """Return which items share a node or component, sizes, and first and second moments."""
    same = [*(paths[0] == paths[1]), *(paths[2] == paths[3]), components[0] == components[3]]
    sizes = [*(paths.max(axis=0) + 1), components.max() + 1]
    return [*same, *sizes, *X[0], *X[0] ** 2, X[0] @ X[1], X[2] @ X[3], X[0, 0] * X[0, 1]]


def simulated(**changes: float) -> Averages:
    rows = []
    for seed in range(N_DRAWS):
        draw = rbhmc.simulate(N_ITEMS, 2, **{**SETTINGS, **changes}, seed=seed)
        rows.append(statistics(draw["X"], draw["paths"], draw["components"]))
    return batch_means(rows, 50)


def stick_broken() -> Averages:
    model = Model(np.zeros((N_ITEMS, 2)), **SETTINGS)
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(N_DRAWS):
        state = simulate_prior(model, rng)
        components = np.array(canonical(state.component))
        rows.append(
            statistics(simulate_items(state, model, rng), canonical_paths(state), components)
        )
    return batch_means(rows, 50)


def test_simulations_have_the_averages_of_literal_stick_breaking() -> None:
    expected = stick_broken()
    z = np.abs(z_scores(*simulated(), *expected))
    critical = critical_value(LEVEL, len(z))
    assert z.max() < critical
    control = np.abs(z_scores(*simulated(gamma=2.0), *expected))
    assert control.max() > critical
