"""Four items, C > 0, all parameters learned: trees, loss and parameters against quadrature.

Level 0.001 over all comparisons of a chain (Bonferroni). The controls are `collapsed`, which has
another target, and a prior of the noise without its floor.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

import rbhmc
from learned_parameters.cases import ALL
from statistical.compare import critical_value
from statistical.small_learned import LEARNED, small_learned
from statistical.small_posterior import SmallPosterior, scores

LEVEL = 0.001
N_DRAWS = 100_000
CASES: dict[str, dict[str, Any]] = {
    "plain": {
        "X": np.array([[1.2, 0.4], [1.5, -0.3], [-1.1, 0.8], [-0.6, -1.3]]),
        "C": 0.25,
        "margin": 1.0,
        "n_levels": 2,
    },
    # Few distinct values: the floor of the noise is a quarter of the scale of its prior.
    "rounded": {
        "X": np.array([[1.0, 0.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]),
        "C": 1.0,
        "margin": 0.5,
        "n_levels": 1,
    },
}


@cache
def posterior(case: str, has_floor: bool) -> SmallPosterior:
    return small_learned(**CASES[case], n_samples=400_000, has_floor=has_floor)


def largest_z(
    case: str, scheme: str, path_move: str, has_floor: bool = True
) -> tuple[float, float]:
    """Return the largest |z| over trees, loss and learned values, and its critical value."""
    sampler = rbhmc.Sampler(**CASES[case], **ALL, scheme=scheme, path_move=path_move, seed=5)
    draws: Any = sampler.run(N_DRAWS, thin=3, burn_in=1_000)
    values = [draws[name] ** (-1 if name.endswith("cov") else 1) for name in LEARNED]
    z = np.abs(scores(posterior(case, has_floor), draws, np.column_stack(values)))
    return float(z.max()), critical_value(LEVEL, len(z))


@pytest.mark.parametrize("path_move", ["gibbs", "mh"])
@pytest.mark.parametrize("case", CASES)
def test_exact_agrees_with_the_target(case: str, path_move: str) -> None:
    z, critical = largest_z(case, "exact", path_move)
    assert z < critical


def test_control_collapsed_does_not_agree() -> None:
    z, critical = largest_z("plain", "collapsed", "gibbs")
    assert z > 10 * critical


def test_control_a_prior_without_floor_does_not_agree() -> None:
    z, critical = largest_z("rounded", "exact", "gibbs", has_floor=False)
    assert z > 2 * critical
