"""The density of new items given a tree: the mixture that its nodes make together."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from rbhmc.predictive import Predictive, TreeParameters

Array = NDArray[np.float64]


def ln_density(predictive: Predictive, X: Array) -> Array:
    """Return the log density of each item, averaged over the draws of the parameters.

    A new item takes the path to z with probability p(z), that of the nested Chinese restaurant
    process, and the weights of a new branch average to those of the node that it leaves. So its
    density is that of one mixture,

        p(x) = Σ_k w_k f(x; θ_k) + w* f*(x),  w = Σ_z p(z) β_z,

    z over the leaves, and over "a new branch here" for each inner node.
    """
    every = []
    for draw in predictive.draws():
        noise, base = (covariance(draw[key], X.shape[1]) for key in ("noise_cov", "base_cov"))
        weights = probabilities(predictive.parameters, draw["alpha"]) @ draw["weights"]
        known = [multivariate_normal.logpdf(X, mean, noise) for mean in draw["means"]]
        centre = np.broadcast_to(draw["base_mean"], X.shape[1])
        new = multivariate_normal.logpdf(X, centre, noise + base)
        terms = np.array([np.atleast_1d(term) for term in (*known, new)])
        every.append(logsumexp(terms, axis=0, b=weights[:, None]))
    return np.asarray(logsumexp(every, axis=0) - np.log(len(every)))


def probabilities(tree: TreeParameters, alpha: float) -> Array:
    """Return p(z) of every node: of a leaf, or of a new branch that leaves at an inner node."""
    size = tree.n_items.astype(np.float64)
    reach = np.ones(len(size))
    for node in range(1, len(size)):
        above = tree.parent[node]
        reach[node] = reach[above] * size[node] / (size[above] + alpha)
    return np.where(tree.level < tree.level.max(), reach * alpha / (size + alpha), reach)


def covariance(given: object, n_dims: int) -> Array:
    """Write a scalar, vector or matrix as a full matrix."""
    array = np.asarray(given, np.float64)
    return array if array.ndim == 2 else np.asarray(np.diag(np.broadcast_to(array, (n_dims,))))
