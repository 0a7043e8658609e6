"""Draws of the truncated inverse gamma against SciPy's distributions.

Each family of tests has one level, fixed seeds, no retries, and controls that its test must reject.
"""

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from distributions.laws import SIZE, assert_different, assert_equal_laws, ks_p_value
from rbhmc.distributions import inverse_gamma_above
from support import Floats, call_within

# (shape, floor/scale), which together are the law of x/scale; the mode is 1/(shape + 1). With a
# floor near the mode either of the two algorithms is used.
ABOVE_CASES = [
    (2.0, 1e-9),
    (2.0, 0.2),
    (2.0, 1.0),
    (2.0, 2.5),
    (2.0, 50.0),
    (2.0, 1e6),
    (1.5, 1e6),
    (1.5, 6.0),
    (8.0, 0.05),
    (8.0, 0.2),
    (8.0, 10.0),
    (200.0, 1 / 190),
    (35_000.0, 1 / 40_000),
    (35_000.0, 1 / 35_000),
    (35_000.0, 1 / 34_900),
    (35_000.0, 1 / 34_800),
    (35_000.0, 1 / 30_000),
    (35_000.0, 1.0),
    (35_000.0, 1e6),
]


def above_p_value(sample: Floats, shape: float, floor: float, scale: float) -> float:
    """y = scale/x is Gamma(shape) up to t = scale/floor: P(y ≤ u t | y ≤ t).

    It is the ratio of incomplete gamma functions. For t far below the shape these underflow; their
    ratio is then u^shape e^(t − ut) M(1, shape + 1, ut)/M(1, shape + 1, t), where
    M(1, b, t) = 1 + t/b + t²/(b(b + 1)) + …
    """
    t = scale / floor

    def series(t: Any) -> Any:
        term = total = np.ones_like(t)
        for k in range(1, 400):
            term = term * t / (shape + k)
            total = total + term
        return total

    def cdf(u: Any) -> Any:
        if t > 0.95 * shape and t > 1.0:
            return special.gammainc(shape, u * t) / special.gammainc(shape, t)
        ratio = series(np.asarray(u * t)) / series(np.asarray(t))
        return np.exp(shape * np.log(u) + (t - u * t)) * ratio

    return ks_p_value(floor / sample, cdf)


@pytest.mark.parametrize("scale", [1.0, 1e-20])
@pytest.mark.parametrize(("shape", "floor"), ABOVE_CASES)
def test_inverse_gamma_above(shape: float, floor: float, scale: float) -> None:
    floor *= scale
    sample = call_within(20, lambda: inverse_gamma_above(shape, scale, floor, size=SIZE, seed=12))
    assert (sample >= floor * (1 - 1e-15)).all()
    assert_equal_laws(above_p_value(sample, shape, floor, scale), 2 * ABOVE_CASES)


@pytest.mark.parametrize(
    ("drawn", "compared"),
    [
        ((2.0, 0.2), (2.1, 0.2)),
        ((2.0, 50.0), (2.1, 50.0)),
        ((8.0, 0.2), (8.0, 0.199)),
        ((35_000.0, 1 / 34_900), (35_000.0, 1 / 34_910)),
        ((35_000.0, 1.0), (40_000.0, 1.0)),
    ],
)
def test_control_inverse_gamma_above_of_other_parameters_is_rejected(
    drawn: tuple[float, float], compared: tuple[float, float]
) -> None:
    sample = inverse_gamma_above(drawn[0], 1.0, drawn[1], size=SIZE, seed=12)
    below = np.maximum(sample, compared[1])
    assert_different(above_p_value(below, *compared, 1.0), 2 * ABOVE_CASES)


def test_the_truncated_cdf_agrees_with_scipy() -> None:
    """Quantiles of SciPy's inverse gamma, conditioned on the floor, are uniform to the digit."""
    law = stats.invgamma(8.0)
    tail = law.sf(0.2)
    x = law.isf(tail * np.linspace(0.05, 0.95, 10))
    assert above_p_value(x, 8.0, 0.2, 1.0) > 0.99
