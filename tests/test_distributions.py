"""Draws of `rbhmc.distributions` against SciPy's distributions.

Each family of tests has one level, fixed seeds, no retries, and controls that its test must reject.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

import rbhmc
from rbhmc.distributions import (
    beta,
    crt,
    dirichlet,
    gig,
    inverse_gamma_above,
    inverse_gaussian,
)
from support import Floats, call_within

FAMILY_LEVEL = 0.001
SIZE = 20_000
Cdf = Callable[[Any], Any]


def ks_p_value(sample: Floats, cdf: Cdf, low: float = -np.inf, high: float = np.inf) -> float:
    """Return the p value of a Kolmogorov–Smirnov test over [low, high].

    Outside, rounding spoils the sample or the cdf. The distance over a part is at most the distance
    over the whole, so that the p value is conservative.
    """
    n = len(sample)
    x = np.sort(sample)
    inside = (x >= low) & (x <= high)
    rank = np.arange(1, n + 1)[inside]
    expected = cdf(x[inside])
    distances = [rank / n - expected, expected - (rank - 1) / n]
    for end, share in ((low, np.mean(x < low)), (high, np.mean(x <= high))):
        if np.isfinite(end):
            distances.append(np.abs(share - cdf(np.array([end]))))
    assert np.isfinite(x).all()
    return float(stats.kstwo.sf(np.concatenate(distances).max(), n))


def assert_equal_laws(p_value: float, family: Sequence[object]) -> None:
    assert p_value > FAMILY_LEVEL / len(family)


def assert_different(p_value: float, family: Sequence[object]) -> None:
    assert p_value < FAMILY_LEVEL / len(family)


# --- generalised inverse Gaussian -----------------------------------------------------------------


def ln_gig_cdf(p: float, omega: float) -> Cdf:
    """Return the cdf of ln x, for density ∝ x^(p-1) exp(-omega (x + 1/x) / 2), by quadrature.

    Around its mode ln x has the log density -alpha (cosh y - 1) - lambda (exp(y) - y - 1), which
    does not overflow or cancel as SciPy's does.
    """
    if p < 0:
        mirrored = ln_gig_cdf(-p, omega)
        return lambda ln_x: 1.0 - mirrored(-ln_x)
    alpha = omega * (omega / (np.hypot(omega, p) + p))
    mode = np.arcsinh(p / omega)

    def ln_density(y: Any) -> Any:
        with np.errstate(over="ignore"):
            return -2.0 * alpha * np.sinh(y / 2) ** 2 - p * (np.expm1(y) - y)

    def end(direction: float) -> float:
        """Find where the density has fallen by e^-45, by bisection of ln |y|."""
        near, far = -25.0, 8.0
        for _ in range(100):
            middle = (near + far) / 2
            if ln_density(direction * np.exp(middle)) < -45:
                far = middle
            else:
                near = middle
        return float(direction * np.exp(far))

    y = np.linspace(end(-1.0), end(1.0), 20_001)
    with np.errstate(under="ignore"):
        mass = integrate.cumulative_simpson(np.exp(ln_density(y)), x=y, initial=0)
    return lambda ln_x: np.interp(ln_x, mode + y, mass / mass[-1])


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


def gig_p_value(sample: Floats, p: float, a: float, b: float) -> float:
    """GIG(p, a, b) = sqrt(b / a) geninvgauss(p, sqrt(a b))."""
    scale = np.sqrt(b) / np.sqrt(a)
    return ks_p_value(np.log(sample / scale), ln_gig_cdf(p, float(np.sqrt(a) * np.sqrt(b))))


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


# --- inverse Gaussian -----------------------------------------------------------------------------

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


# --- truncated inverse gamma ----------------------------------------------------------------------

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


# --- beta and Dirichlet ---------------------------------------------------------------------------

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


# --- Chinese restaurant tables --------------------------------------------------------------------

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


# --- seeds, pinned draws and bad parameters -------------------------------------------------------

DRAWS: dict[str, Callable[..., Any]] = {
    "gig": lambda **given: gig(0.7, 2.0, 3.0, **given),
    "gig_gamma": lambda **given: gig(0.7, 2.0, 0.0, **given),
    "inverse_gaussian": lambda **given: inverse_gaussian(2.0, **given),
    "inverse_gamma_above": lambda **given: inverse_gamma_above(3.0, 2.0, 0.5, **given),
    "inverse_gamma_far_above": lambda **given: inverse_gamma_above(3.0, 2.0, 9.0, **given),
    "beta": lambda **given: beta(0.5, 2.0, **given),
    "dirichlet": lambda **given: dirichlet([0.5, 1.0, 2.0], **given),
    "crt": lambda **given: crt(50, 3.0, **given),
}
PINNED: dict[str, list[Any]] = {
    "gig": [2.5519858058087115, 2.0133939990285836, 2.313312758786344],
    "gig_gamma": [0.8061516171436134, 2.521481688520099, 1.1403251784194761],
    "inverse_gaussian": [4.8493968329368595, 0.715378182014064, 0.5902520099916487],
    "inverse_gamma_above": [1.1470785020903917, 1.0070470451984022, 1.1051704105301676],
    "inverse_gamma_far_above": [9.310411905274627, 12.581662687430045, 44.853791818667084],
    "beta": [0.3649177440410535, 0.2096512200488858, 0.036440418446138434],
    "dirichlet": [
        [0.15364182368989382, 0.06216257025912274, 0.7841956060509834],
        [0.009625072397748983, 0.018824025073821277, 0.9715509025284298],
        [0.08872388480016513, 0.5756241461784981, 0.33565196902133676],
    ],
    "crt": [10, 7, 9],
}


@pytest.mark.parametrize("name", DRAWS)
def test_first_draws_equal_the_pinned_ones(name: str) -> None:
    assert DRAWS[name](size=3).tolist() == PINNED[name]


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_equal_seeds_give_equal_draws_and_other_seeds_others(draw: Callable[..., Any]) -> None:
    sample = draw(size=20, seed=11)
    np.testing.assert_array_equal(sample, draw(size=20, seed=11))
    np.testing.assert_array_equal(sample[:7], draw(size=7, seed=11))
    assert (sample != draw(size=20, seed=12)).any()
    assert len(draw(size=0)) == 0
    assert len(draw()) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: gig(0.5, 0.0, 0.0),
        lambda: gig(0.5, 0.0, 1.0),
        lambda: gig(0.0, 0.0, 1.0),
        lambda: gig(-0.5, 1.0, 0.0),
        lambda: gig(0.5, -1.0, 1.0),
        lambda: gig(0.5, 1.0, -1.0),
        lambda: gig(np.nan, 1.0, 1.0),
        lambda: gig(0.5, np.inf, 1.0),
        lambda: gig(0.5, 1.0, 1e200),
        lambda: gig(np.inf, 1.0, 1.0),
        lambda: inverse_gaussian(0.0),
        lambda: inverse_gaussian(-1.0),
        lambda: inverse_gaussian(np.nan),
        lambda: inverse_gaussian(np.inf),
        lambda: inverse_gamma_above(1.0, 1.0, 1.0),
        lambda: inverse_gamma_above(np.nan, 1.0, 1.0),
        lambda: inverse_gamma_above(2.0, 0.0, 1.0),
        lambda: inverse_gamma_above(2.0, np.inf, 1.0),
        lambda: inverse_gamma_above(2.0, 1.0, 0.0),
        lambda: inverse_gamma_above(2.0, 1.0, np.nan),
        lambda: beta(-1.0, 1.0),
        lambda: beta(1.0, np.nan),
        lambda: beta(np.inf, 1.0),
        lambda: beta(0.0, 0.0, limit=1.5),
        lambda: beta(0.0, 0.0, limit=np.nan),
        lambda: dirichlet([]),
        lambda: dirichlet([0.0, 0.0]),
        lambda: dirichlet([1.0, -1.0]),
        lambda: dirichlet([1.0, np.nan]),
        lambda: dirichlet([1.0, np.inf]),
        lambda: crt(5, -1.0),
        lambda: crt(5, np.nan),
        lambda: crt(5, np.inf),
        lambda: crt(-1, 1.0),
        lambda: crt(2**32, 1.0),
    ],
)
def test_bad_parameters_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="must be"):
        call()


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("bad", [{"size": -1}, {"seed": -1}, {"size": 2**64}, {"seed": 2**64}])
def test_bad_sizes_and_seeds_are_refused(draw: Callable[..., Any], bad: dict[str, int]) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="must be a whole number"):
        draw(**bad)


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("size", [2**50, 2**62, 2**64 - 1])
def test_absurd_sizes_raise_a_memory_error(draw: Callable[..., Any], size: int) -> None:
    with pytest.raises(MemoryError, match=r"cannot allocate [0-9]+ bytes for"):
        draw(size=size)
