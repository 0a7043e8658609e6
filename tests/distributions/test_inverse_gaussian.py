"""Draws of the inverse Gaussian and of λ against SciPy's distributions.

Each family of tests has one level, fixed seeds, no retries, and controls that its test must reject.
"""

import numpy as np
import pytest
from scipy import stats

from distributions.laws import SIZE, assert_different, assert_equal_laws, gig_p_value, ks_p_value
from rbhmc.distributions import inverse_gaussian

MEANS = [1e-3, 0.1, 1.0, 10.0, 1e3]
FAR_MEANS = [1e-8, 1e-4, 1.0, 1e4, 1e8]
HUGE_MEANS = [1e10, 1e50, 1e150]


@pytest.mark.parametrize("mean", MEANS)
def test_inverse_gaussian(mean: float) -> None:
    sample = inverse_gaussian(mean, size=SIZE, seed=3)
    assert_equal_laws(ks_p_value(sample, stats.invgauss(mean).cdf), MEANS)


@pytest.mark.parametrize("mean", [0.9, 1.1])
def test_control_inverse_gaussian_of_another_mean_is_rejected(mean: float) -> None:
    sample = inverse_gaussian(1.0, size=SIZE, seed=3)
    assert_different(ks_p_value(sample, stats.invgauss(mean).cdf), MEANS)


@pytest.mark.parametrize("mean", FAR_MEANS)
def test_inverse_gaussian_deviations_are_chi_square(mean: float) -> None:
    """(x - m)² / (m² x) ~ chi²(1), whatever the mean."""
    x = inverse_gaussian(mean, size=SIZE, seed=4)
    assert_equal_laws(ks_p_value(((x - mean) / mean) ** 2 / x, stats.chi2(1).cdf), FAR_MEANS)


@pytest.mark.parametrize("mean", HUGE_MEANS)
def test_inverse_gaussian_of_a_huge_mean_is_an_inverse_chi_square(mean: float) -> None:
    sample = inverse_gaussian(mean, size=SIZE, seed=5)
    assert_equal_laws(ks_p_value(1.0 / sample, stats.chi2(1).cdf), HUGE_MEANS)


def test_control_inverse_gaussian_of_mean_10_is_not_inverse_chi_square() -> None:
    sample = inverse_gaussian(10.0, size=SIZE, seed=5)
    assert_different(ks_p_value(1.0 / sample, stats.chi2(1).cdf), HUGE_MEANS)


def test_inverse_gaussian_of_a_tiny_mean_is_its_mean() -> None:
    np.testing.assert_allclose(inverse_gaussian(1e-40, size=100, seed=5), 1e-40, rtol=1e-15)


LAMBDA_SCALES = [1e-6, 1e-2, 1.0, 5.0, 1e3]


@pytest.mark.parametrize("b", LAMBDA_SCALES)
def test_lambda_has_its_distribution(b: float) -> None:
    """1 / InverseGaussian(1 / b) ~ GIG(1/2, 1, b²): the augmentation variable with b = C |rho|."""
    sample = 1.0 / inverse_gaussian(1.0 / b, size=SIZE, seed=6)
    assert_equal_laws(gig_p_value(sample, 0.5, 1.0, b * b), LAMBDA_SCALES)


def test_control_lambda_is_not_gig_of_minus_a_half() -> None:
    sample = 1.0 / inverse_gaussian(1.0, size=SIZE, seed=6)
    assert_different(gig_p_value(sample, -0.5, 1.0, 1.0), LAMBDA_SCALES)
