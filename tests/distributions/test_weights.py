"""Draws of beta, Dirichlet and table counts against SciPy's distributions.

Each family of tests has one level, fixed seeds, no retries, and controls that its test must reject.
"""

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from distributions.laws import FAMILY_LEVEL, SIZE, assert_different, assert_equal_laws, ks_p_value
from rbhmc.distributions import beta, crt, dirichlet
from support import Floats

BETA_CASES = [
    (2.0, 3.0),
    (1.0, 0.85),
    (0.5, 0.5),
    (1e-3, 1.0),
    (1.0, 1e-3),
    (1e-3, 1e-3),
    (1e-8, 1e-8),
    (1e-8, 3e-8),
    (1e-150, 3e-150),
    (1e-3, 50.0),
    (1e3, 2.0),
    (1e6, 3e6),
]


def beta_p_value(sample: Floats, a: float, b: float) -> float:
    """Return the p value over [1e-300, 1 - 1e-12]; beyond, draws are rounded to 0 and 1."""
    return ks_p_value(sample, lambda x: special.betainc(a, b, x), low=1e-300, high=1 - 1e-12)


def beta_or_limit_p_value(sample: Floats, a: float, b: float) -> float:
    """Return `beta_p_value`, or for tiny shapes the p value of the Bernoulli limit."""
    if a + b > 1e-100:
        return beta_p_value(sample, a, b)
    assert np.isin(sample, [0.0, 1.0]).all()
    return float(stats.binomtest(int(sample.sum()), len(sample), a / (a + b)).pvalue)


@pytest.mark.parametrize(("a", "b"), BETA_CASES)
def test_beta(a: float, b: float) -> None:
    assert_equal_laws(beta_or_limit_p_value(beta(a, b, size=SIZE, seed=7), a, b), BETA_CASES)


@pytest.mark.parametrize(
    ("drawn", "compared"),
    [((2.0, 3.0), (2.1, 3.0)), ((1e-3, 1.0), (1.1e-3, 1.0)), ((1e-8, 3e-8), (1e-8, 2.5e-8))],
)
def test_control_beta_of_other_shapes_is_rejected(
    drawn: tuple[float, float], compared: tuple[float, float]
) -> None:
    assert_different(beta_p_value(beta(*drawn, size=SIZE, seed=7), *compared), BETA_CASES)


def test_beta_with_vanished_shapes_is_its_limit() -> None:
    assert (beta(0.0, 2.0, size=50) == 0.0).all()
    assert (beta(2.0, 0.0, size=50) == 1.0).all()
    assert (beta(0.0, 0.0, size=50, limit=0.0) == 0.0).all()
    assert (beta(0.0, 0.0, size=50, limit=1.0) == 1.0).all()
    ones = int(beta(0.0, 0.0, size=SIZE, seed=8, limit=0.3).sum())
    assert stats.binomtest(ones, SIZE, 0.3).pvalue > FAMILY_LEVEL
    assert stats.binomtest(ones, SIZE, 0.33).pvalue < FAMILY_LEVEL


DIRICHLET_CASES = [
    [1.0, 2.0, 3.0],
    [0.1] * 5,
    [1e-3, 1e-3, 1.0],
    [1e-3, 2e-3, 1e-3, 4e-3],
    [1e-8, 3e-8, 2e-8],
    [0.0, 1.0, 2.0],
    [1e3, 1.0, 1e-3],
    [5.0],
]
# Every entry, and the sum of the first two, which depends on their correlation.
DIRICHLET_FAMILY = [entry for shapes in DIRICHLET_CASES for entry in [*shapes, None]]


@pytest.mark.parametrize("shapes", DIRICHLET_CASES)
def test_dirichlet(shapes: list[float]) -> None:
    sample = dirichlet(shapes, size=SIZE, seed=9)
    assert sample.shape == (SIZE, len(shapes))
    np.testing.assert_allclose(sample.sum(axis=1), 1.0, rtol=1e-12)
    parts = [(shape, sample[:, k]) for k, shape in enumerate(shapes)]
    parts.append((sum(shapes[:2]), sample[:, :2].sum(axis=1)))
    for shape, part in parts:
        rest = sum(shapes) - shape
        if shape == 0:
            assert (part == 0).all()
        elif rest == 0:
            np.testing.assert_allclose(part, 1.0, rtol=1e-12)
        else:
            assert_equal_laws(beta_p_value(part, shape, rest), DIRICHLET_FAMILY)


def test_control_dirichlet_of_other_shapes_is_rejected() -> None:
    sample = dirichlet([1.0, 2.0, 3.0], size=SIZE, seed=9)
    assert_different(beta_p_value(sample[:, 0], 1.1, 5.0), DIRICHLET_FAMILY)
    assert_different(beta_p_value(sample[:, :2].sum(axis=1), 3.0, 3.2), DIRICHLET_FAMILY)


def test_dirichlet_of_shapes_that_vanish_chooses_one_entry() -> None:
    sample = dirichlet([1e-320, 0.0, 3e-320], size=SIZE, seed=9)
    assert (np.sort(sample, axis=1) == [0.0, 0.0, 1.0]).all()
    assert (sample[:, 1] == 0).all()
    assert stats.binomtest(int(sample[:, 2].sum()), SIZE, 0.75).pvalue > FAMILY_LEVEL


CRT_CASES = [(2, 1.0), (5, 0.3), (10, 2.0), (30, 0.05), (30, 10.0), (30, 300.0)]


def crt_pmf(n: int, a: float) -> Floats:
    """P(t tables) = |s(n, t)| a^t Γ(a) / Γ(a + n), t = 0 … n."""
    stirling = [1]
    for i in range(n):
        stirling = [
            i * same + before for same, before in zip([*stirling, 0], [0, *stirling], strict=True)
        ]
    ln_stirling = np.array([np.log(float(number)) if number else -np.inf for number in stirling])
    ln_rising = special.gammaln(a) - special.gammaln(a + n)
    return np.exp(ln_stirling + np.arange(n + 1) * np.log(a) + ln_rising)  # type: ignore[no-any-return]


def crt_p_value(sample: Any, n: int, a: float) -> float:
    """Return the p value of a chi-square test that pools cells with less than 5 expected."""
    expected = len(sample) * crt_pmf(n, a)
    observed = np.bincount(sample, minlength=n + 1)
    often = expected >= 5
    cells = np.array([[*v[often], v[~often].sum()] for v in (observed, expected)])
    cells = cells[:, cells[1] > 1e-9]
    assert observed.sum() == cells[0].sum()
    return float(stats.chisquare(cells[0], cells[1] * cells[0].sum() / cells[1].sum()).pvalue)


@pytest.mark.parametrize(("n", "a"), CRT_CASES)
def test_crt(n: int, a: float) -> None:
    assert crt_pmf(n, a).sum() == pytest.approx(1.0)
    assert_equal_laws(crt_p_value(crt(n, a, size=SIZE, seed=10), n, a), CRT_CASES)


@pytest.mark.parametrize("a", [1.8, 2.2])
def test_control_crt_of_another_concentration_is_rejected(a: float) -> None:
    assert_different(crt_p_value(crt(10, 2.0, size=SIZE, seed=10), 10, a), CRT_CASES)


@pytest.mark.parametrize(
    ("n", "a", "tables"), [(0, 1.0, 0), (1, 0.0, 1), (20, 0.0, 1), (20, 1e-100, 1), (20, 1e100, 20)]
)
def test_crt_limits(n: int, a: float, tables: int) -> None:
    assert (crt(n, a, size=50) == tables).all()
