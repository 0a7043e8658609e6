"""Draws of the generalised inverse Gaussian and its limits.

Each family of tests has one level, fixed seeds, no retries, and controls that its test must reject.
"""

import numpy as np
import pytest
from scipy import stats

from distributions.laws import (
    SIZE,
    assert_different,
    assert_equal_laws,
    gig_p_value,
    ks_p_value,
    ln_gig_cdf,
)
from rbhmc.distributions import gig
from support import call_within

GIG_CASES = [
    (0.5, 1.0, 4.0),
    (-0.5, 1.0, 4.0),
    (0.5, 1.0, 1e-12),
    (0.5, 1.0, 1e12),
    (0.0, 1.0, 1.0),
    (0.0, 1e-8, 1e-8),
    (0.0, 1e-100, 1e-100),
    (0.0, 1e6, 1e6),
    (2.5, 3.0, 0.1),
    (-2.5, 0.1, 3.0),
    (1e-3, 1.0, 1e-6),
    (-1e-3, 1e-6, 1.0),
    (100.0, 1e-6, 1e-6),
    (-100.0, 1e-6, 1e-6),
    (1e4, 1.0, 1.0),
    (-1e4, 1e4, 1e4),
    (1e8, 1e-4, 1e12),
    (30.0, 1e-30, 1e50),
    (1.0, 1e-100, 1e-100),
    (0.01, 1e-80, 1e-80),
    (1e-3, 1e-100, 1e-100),
    (-1e-3, 1e-100, 1e-100),
    (1e-10, 1e-90, 1e-90),
]


@pytest.mark.parametrize(("p", "omega"), [(0.5, 2.0), (-1.5, 0.3), (0.0, 1.0), (7.0, 20.0)])
def test_the_gig_cdf_agrees_with_scipy(p: float, omega: float) -> None:
    law = stats.geninvgauss(p, omega)
    x = law.ppf([0.001, 0.1, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(ln_gig_cdf(p, omega)(np.log(x)), law.cdf(x), atol=1e-6)


@pytest.mark.parametrize(("p", "a", "b"), GIG_CASES)
def test_gig(p: float, a: float, b: float) -> None:
    sample = call_within(5, lambda: gig(p, a, b, size=SIZE, seed=1))
    assert_equal_laws(gig_p_value(sample, p, a, b), GIG_CASES)


@pytest.mark.parametrize(("p", "a", "b"), [(0.65, 1.0, 4.0), (0.5, 1.1, 4.0), (0.5, 1.0, 4.4)])
def test_control_gig_of_other_parameters_is_rejected(p: float, a: float, b: float) -> None:
    assert_different(gig_p_value(gig(0.5, 1.0, 4.0, size=SIZE, seed=1), p, a, b), GIG_CASES)


# Beyond 1e10 the distribution is normal, ln x ~ N(0, 1/ω), to more digits than this test resolves.
SHARP = [1e10, 1e14, 1e16, 1e20, 1e24]


@pytest.mark.parametrize("omega", SHARP)
def test_a_sharp_gig_is_normal(omega: float) -> None:
    sample = gig(0.5, omega, omega, size=SIZE, seed=5)
    p_value = ks_p_value((sample - 1.0) * np.sqrt(omega), stats.norm.cdf)
    assert_equal_laws(p_value, SHARP)


GAMMA_SHAPES = [0.05, 0.7, 1.0, 3.5, 1e6]


@pytest.mark.parametrize("shape", GAMMA_SHAPES)
@pytest.mark.parametrize("inverse", [False, True])
def test_gig_limits_are_gamma_and_inverse_gamma(shape: float, inverse: bool) -> None:
    if inverse:
        sample = 1.0 / gig(-shape, 0.0, 4.0, size=SIZE, seed=2)
    else:
        sample = gig(shape, 4.0, 0.0, size=SIZE, seed=2)
    p_value = ks_p_value(sample, stats.gamma(shape, scale=0.5).cdf, low=1e-300)
    assert_equal_laws(p_value, 2 * GAMMA_SHAPES)


def test_control_gamma_of_another_shape_is_rejected() -> None:
    sample = gig(0.7, 4.0, 0.0, size=SIZE, seed=2)
    assert_different(ks_p_value(sample, stats.gamma(0.75, scale=0.5).cdf), 2 * GAMMA_SHAPES)
