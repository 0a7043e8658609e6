"""Distributions that NumPy's Generator lacks, or draws without the limits that are needed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .model import Array


def draw_log_index(rng: np.random.Generator, log_weights: Sequence[float]) -> int:
    """Draw i with probability ∝ exp(log_weights[i])."""
    top = max(log_weights)
    weights = [math.exp(w - top) for w in log_weights]
    u = rng.random() * sum(weights)
    for i, weight in enumerate(weights):
        u -= weight
        if u < 0.0:
            return i
    return weights.index(max(weights))  # only by rounding


def log_sum_exp(logs: Sequence[float]) -> float:
    """log Σ exp(logs), -inf included."""
    top = max(logs)
    if top == -math.inf:
        return top
    return top + math.log(sum(math.exp(value - top) for value in logs))


def draw_log_gamma(rng: np.random.Generator, shape: float) -> float:
    """log G with G ~ Gamma(shape, 1), by Gamma(a) = Gamma(a + 1) · U^{1/a}; -inf for shape 0."""
    if shape <= 0.0:
        return -math.inf
    return math.log(rng.standard_gamma(shape + 1.0)) - rng.standard_exponential() / shape


def draw_dirichlet(rng: np.random.Generator, shapes: Sequence[float]) -> list[float]:
    """Dirichlet(shapes) through logarithms, since tiny shapes make gammas underflow."""
    logs = [draw_log_gamma(rng, shape) for shape in shapes]
    top = max(logs)
    if top == -math.inf:  # the limit of vanishing shapes: all mass on one, chosen ∝ shape
        chosen = draw_log_index(rng, [math.log(s) if s > 0.0 else -math.inf for s in shapes])
        return [float(i == chosen) for i in range(len(shapes))]
    gammas = [math.exp(value - top) for value in logs]
    total = sum(gammas)
    return [value / total for value in gammas]


def draw_beta(rng: np.random.Generator, a: float, b: float, limit: float) -> float:
    """Draw from Beta(a, b): its limit if a parameter is 0, Bernoulli(limit) if both are."""
    if a <= 0.0 and b <= 0.0:
        return float(rng.random() < limit)
    if a <= 0.0:
        return 0.0
    if b <= 0.0:
        return 1.0
    return float(rng.beta(a, b))


def draw_crt(rng: np.random.Generator, n: int, a: float) -> int:
    """Tables of n customers: CRT(n, a) = Σ_{i<n} Bernoulli(a / (a + i)), the first always 1."""
    tables = 0
    for i in range(n):
        if i == 0 or rng.random() < a / (a + i):
            tables += 1
    return tables


def draw_lambda(rng: np.random.Generator, c_rho: float) -> float:
    """λ ~ GIG(1/2, 1, b²) with b = |Cρ|, that is 1/λ ~ InverseGaussian(1/b, 1).

    The reciprocal of InverseGaussian(1/b, 1) has the law of InverseGaussian(b, b²) + χ²_1, which
    unlike the reciprocal itself is harmless at b → 0.
    """
    b = abs(c_rho)
    wald = rng.wald(b, b * b) if b * b > 0.0 else 0.0
    return max(float(wald), 0.0) + float(rng.standard_normal()) ** 2


def draw_canonical_normal(rng: np.random.Generator, precision: Array, linear: Array) -> Array:
    """N(Λ^{-1} ν, Λ^{-1}) from Λ = precision and ν = linear."""
    covariance = np.linalg.inv(precision)
    factor = np.linalg.cholesky(covariance)
    draw: Array = covariance @ linear + factor @ rng.standard_normal(len(linear))
    return draw


def log_canonical_normal(x: Array, precision: Array, linear: Array) -> float:
    """log N(x; Λ^{-1} ν, Λ^{-1})."""
    gap = x - np.linalg.solve(precision, linear)
    log_det = float(np.linalg.slogdet(precision)[1])
    return 0.5 * (log_det - len(x) * math.log(2.0 * math.pi) - float(gap @ precision @ gap))
