"""How draws are compared with a distribution function, and a precise one of the GIG."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import integrate, stats

from support import Floats

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


def gig_p_value(sample: Floats, p: float, a: float, b: float) -> float:
    """GIG(p, a, b) = sqrt(b / a) geninvgauss(p, sqrt(a b))."""
    scale = np.sqrt(b) / np.sqrt(a)
    return ks_p_value(np.log(sample / scale), ln_gig_cdf(p, float(np.sqrt(a) * np.sqrt(b))))
