"""Four items, C > 0, all parameters learned: trees, loss and parameters against quadrature.

Level 0.001 over all comparisons of a chain (Bonferroni). The control is `collapsed`, which has
another target.
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
CASE: dict[str, Any] = {
    "X": np.array([[1.2, 0.4], [1.5, -0.3], [-1.1, 0.8], [-0.6, -1.3]]),
    "C": 0.25,
    "margin": 1.0,
    "n_levels": 2,
}


@cache
def posterior() -> SmallPosterior:
    return small_learned(**CASE, n_samples=400_000)


def largest_z(scheme: str, path_move: str) -> tuple[float, float]:
    """Return the largest |z| over trees, loss and learned values, and its critical value."""
    sampler = rbhmc.Sampler(**CASE, **ALL, scheme=scheme, path_move=path_move, seed=5)
    draws: Any = sampler.run(N_DRAWS, thin=3, burn_in=1_000)
    values = [draws[name] ** (-1 if name.endswith("cov") else 1) for name in LEARNED]
    z = np.abs(scores(posterior(), draws, np.column_stack(values)))
    return float(z.max()), critical_value(LEVEL, len(z))


@pytest.mark.parametrize("path_move", ["gibbs", "mh"])
def test_exact_agrees_with_the_target(path_move: str) -> None:
    z, critical = largest_z("exact", path_move)
    assert z < critical


def test_control_collapsed_does_not_agree() -> None:
    z, critical = largest_z("collapsed", "gibbs")
    assert z > 10 * critical
