"""Calibration of learned parameters: 95 % intervals cover the values that tables were drawn with.

Concentrations are drawn from their own prior, so that a correct sampler covers them in 95 % of the
tables by definition. The priors of variances depend on the data, which are then used twice: about
95 % is expected only if the priors have little weight, in tables of many components. Chains start
at the true tree. Binomial(60, 0.95) is below 50 with probability 0.0009: level 0.005 for all five
parameters. The control tests three times the true value.
"""

from typing import Any

import numpy as np
import pytest

import rbhmc
from learned_parameters.cases import ALL, CONCENTRATIONS

N_TABLES = 60
MIN_COVERED = 50
MANY_COMPONENTS = {"alpha": 1.0, "gamma": 3.0, "gamma0": 5.0}


def draw_parameters(name: str, rng: np.random.Generator) -> dict[str, Any]:
    """Draw true values for a test of `name`."""
    true = {"noise_cov": rng.uniform(0.5, 2.0), "base_cov": rng.uniform(4.0, 25.0)}
    if name in CONCENTRATIONS:
        return true | {each: rng.exponential() for each in CONCENTRATIONS}
    return true | MANY_COMPONENTS


@pytest.mark.parametrize("names", [CONCENTRATIONS, ("noise_cov", "base_cov")])
def test_intervals_cover_the_truth_and_not_three_times_it(names: tuple[str, ...]) -> None:
    rng = np.random.default_rng(0)
    covered = dict.fromkeys(((name, factor) for name in names for factor in (1.0, 3.0)), 0)
    for seed in range(N_TABLES):
        true = draw_parameters(names[0], rng)
        table = rbhmc.simulate(60, 3, n_levels=2, **true, seed=seed)
        sampler = rbhmc.Sampler(
            table["X"], n_levels=2, **ALL, C=0.0, initial_paths=table["paths"], seed=seed
        )
        draws: Any = sampler.run(300, burn_in=200, thin=3)
        for name, factor in covered:
            low, high = np.quantile(draws[name], [0.025, 0.975])
            covered[name, factor] += low <= factor * true[name] <= high
    for (name, factor), n in covered.items():
        assert (n >= MIN_COVERED) == (factor == 1.0), f"{name} times {factor:g}: {n} of {N_TABLES}"
