"""The posterior of `small_posterior` with all parameters learned: integrated by quadrature.

The losses do not depend on the parameters, whose priors are independent: the exact factors are

    E_α[p(V | α)] · Σ_c E_γ,γ_0[p(c | V)] E_v,v_0[p(X | c)],

α, γ, γ_0 ~ Gamma(1, 1), the variances v of the noise and v_0 of the base ~ InverseGamma(2, ·), the
former above a floor.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from learned_parameters.cases import noise_prior
from statistical.small_posterior import (
    Array,
    Block,
    Partition,
    SmallPosterior,
    all_partitions,
    component_law,
    enumerate_trees,
    log_tree_prior,
    tilted,
)

STEP = 0.4
N_LEGENDRE = 200
# 1/v times the scale of its prior exceeds this with a probability below 1e-20.
NO_LIMIT = 60.0
# The learned parameters in the order of `SmallPosterior.means`; variances by their inverses.
LEARNED = ("alpha", "gamma", "gamma0", "noise_cov", "base_cov")


def gamma_nodes(shape: float) -> tuple[Array, Array]:
    """Return points and weights for means under Gamma(shape, 1): the trapezoidal rule in ln x.

    The integrand is analytic for |Im ln x| < π/2 and falls fast at both ends: the error is about
    e^(−π²/STEP), and e^(−14) for the tails that are cut off.
    """
    ln = np.arange(-14.0 / shape, 4.0, STEP)
    weights = np.exp(shape * ln - np.exp(ln))
    return np.exp(ln), weights / weights.sum()


def truncated_gamma_nodes(shape: float, most: float) -> tuple[Array, Array]:
    """Return points and weights for means under Gamma(shape, 1) up to `most`, by Gauss–Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(N_LEGENDRE)
    points = 0.5 * most * (nodes + 1.0)
    weights = weights * points ** (shape - 1.0) * np.exp(-points)
    return points, weights / weights.sum()


def likelihoods(data: Array, has_floor: bool) -> dict[Partition, Array]:
    """Return the means over v and v_0 of p(X | c), p(X | c) / v and p(X | c) / v_0."""
    # v ~ InverseGamma(2, s) above the floor, v_0 ~ InverseGamma(2, s_0), s_0 the mean square.
    scale, floor = noise_prior(data)
    limit = scale / floor if has_floor else NO_LIMIT
    noise_points, noise_weights = truncated_gamma_nodes(2.0, limit)
    base_points, base_weights = gamma_nodes(2.0)
    noise = noise_points[:, None] / scale
    base = base_points[None, :] / (data**2).mean()
    v, v0 = 1.0 / noise, 1.0 / base

    def evidence(block: Block) -> Array:
        """ln p of a component's items: each coordinate has covariance v I + v_0 11ᵀ."""
        x = data[sorted(block)]
        n, d = x.shape
        across, along = ((x - x.mean(axis=0)) ** 2).sum(), n * (x.mean(axis=0) ** 2).sum()
        ln_det = (n - 1) * np.log(v) + np.log(v + n * v0) + n * math.log(2.0 * math.pi)
        total: Array = -0.5 * (across / v + along / (v + n * v0) + d * ln_det)
        return total

    means: dict[Partition, Array] = {}
    for c in all_partitions(len(data)):
        fit = np.outer(noise_weights, base_weights) * np.exp(sum(evidence(block) for block in c))
        means[c] = np.array([fit.sum(), (fit * noise).sum(), (fit * base).sum()])
    return means


def small_learned(
    X: ArrayLike,
    *,
    n_levels: int,
    C: float,
    margin: float,
    n_samples: int,
    seed: int = 0,
    has_floor: bool = True,
) -> SmallPosterior:
    """Return q(V) with all parameters learned, and the means of the parameters.

    Without `has_floor` the prior of the noise is not truncated, for a control.
    """
    data = np.asarray(X, dtype=np.float64)
    trees = enumerate_trees(len(data), n_levels)
    points, weights = gamma_nodes(1.0)
    gamma, gamma0 = points[:, None], points[None, :]
    grid = np.outer(weights, weights)
    fits = likelihoods(data, has_floor)
    exact = np.empty(len(trees))
    given = np.empty((len(LEARNED), len(trees)))
    for i, tree in enumerate(trees):
        prior = weights * np.exp(log_tree_prior(tree, points))
        law = {c: grid * p for c, p in component_law(tree, gamma, gamma0).items()}
        fit = sum(p.sum() * fits[c] for c, p in law.items())
        exact[i] = prior.sum() * fit[0]
        given[0, i] = (prior * points).sum() / prior.sum()
        given[1, i] = sum((p * gamma).sum() * fits[c][0] for c, p in law.items()) / fit[0]
        given[2, i] = sum((p * gamma0).sum() * fits[c][0] for c, p in law.items()) / fit[0]
        given[3:, i] = fit[1:] / fit[0]
    return tilted(data, trees, exact, given, C, margin, 1.0, n_samples, seed)
