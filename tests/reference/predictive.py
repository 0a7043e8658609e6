"""Path probabilities of new items with NumPy, draw by draw of the parameters."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import log_ndtr, logsumexp

from rbhmc.predictive import Predictive, TreeParameters

Array = NDArray[np.float64]


def path_probabilities(predictive: Predictive, X: Array) -> Array:
    """Return what `Predictive.probabilities` returns: (n_items, n_nodes)."""
    known = predictive.parameters
    total = np.zeros((len(X), len(known.parent)))
    for draw, weights in enumerate(known.weights):
        settings = predictive.settings | (known.learned[draw] if known.learned else {})
        noise, base = (covariance(settings[key], X.shape[1]) for key in ("noise_cov", "base_cov"))
        base_mean = np.broadcast_to(settings["base_mean"], (1, X.shape[1]))
        ln_all = np.hstack(
            [ln_normals(X, known.means[draw], noise), ln_normals(X, base_mean, noise + base)]
        )
        ln_mix = logsumexp(ln_all[:, None, :], axis=2, b=weights)
        ln_weight = ln_prior(known, settings["alpha"]) + ln_mix
        if known.discriminants is not None:
            ln_weight += ln_loss_factor(known, X, known.discriminants[draw], settings)
        weight = np.exp(ln_weight - ln_weight.max(axis=1, keepdims=True))
        total += weight / weight.sum(axis=1, keepdims=True)
    return total / len(known.weights)


def ln_prior(known: TreeParameters, alpha: float) -> Array:
    """Ln of the nCRP probability of a leaf, or of a new branch at an inner node."""
    size = known.n_items.astype(np.float64)
    reach = np.zeros(len(size))
    for node in range(1, len(size)):
        above = known.parent[node]
        reach[node] = reach[above] + np.log(size[node] / (size[above] + alpha))
    inner = known.level < known.level.max()
    return np.where(inner, reach + np.log(alpha / (size + alpha)), reach)


def ln_loss_factor(
    known: TreeParameters, X: Array, discriminants: Array, settings: dict[str, Any]
) -> Array:
    """Ln exp(−2C h) of a leaf; ln E[exp(−2C h)] of a new branch at an inner node."""
    C, margin = settings["C"], settings["margin"]
    kappa = settings["intercept"]
    extended = np.column_stack([X, np.full(len(X), kappa)]) if kappa > 0 else X
    scores = extended @ np.nan_to_num(discriminants).T
    loss, best = np.zeros(scores.shape), np.full(scores.shape, -np.inf)
    for above in range(len(known.parent)):
        children = np.flatnonzero(known.parent == above)
        if len(children):
            best[:, above] = scores[:, children].max(axis=1)
        for child in children:
            siblings = children[children != child]
            rival = scores[:, siblings].max(axis=1, initial=-np.inf)
            loss[:, child] = np.maximum(loss[:, above], margin - scores[:, child] + rival)
    # E[exp(−2C max(a, b − g))] = e^{−2Ca} Φ((a − b)/s) + e^{−2Cb + 2C²s²} Φ((b − a)/s − 2Cs)
    inner = known.level < known.level.max()
    a, b = loss[:, inner], margin + best[:, inner]
    s = settings["eta_scale"] * np.linalg.norm(extended, axis=1, keepdims=True)
    ln_factor: Array = -2.0 * C * loss
    ln_factor[:, inner] = np.logaddexp(
        -2.0 * C * a + log_ndtr((a - b) / s),
        -2.0 * C * b + 2.0 * (C * s) ** 2 + log_ndtr((b - a) / s - 2.0 * C * s),
    )
    return ln_factor


def ln_normals(X: Array, means: Array, given: Array) -> Array:
    """Ln N(x; mean, covariance) of every row and every mean."""
    factor = cholesky(given, lower=True)
    white, centres = (solve_triangular(factor, rows.T, lower=True).T for rows in (X, means))
    gaps = white[:, None, :] - centres[None, :, :]
    normaliser = np.log(np.diag(factor)).sum() + 0.5 * X.shape[1] * np.log(2 * np.pi)
    return np.asarray(-0.5 * np.einsum("nkd,nkd->nk", gaps, gaps) - normaliser)


def covariance(given: Any, n_dims: int) -> Array:
    """Write a scalar, vector or matrix as a full matrix."""
    array = np.asarray(given, np.float64)
    return array if array.ndim == 2 else np.asarray(np.diag(np.broadcast_to(array, (n_dims,))))
