"""Bayesian hierarchical clustering (Heller and Ghahramani 2005) with Gaussian clusters.

Clusters are merged greedily by the posterior probability r_k that all items of the union D_k belong
to one cluster, against all partitions that the tree T_k of the union allows:

    d_k = α Γ(n_k) + d_i d_j,   π_k = α Γ(n_k) / d_k,
    p(D_k | T_k) = π_k p(D_k) + (1 − π_k) p(D_i | T_i) p(D_j | T_j),
    r_k = π_k p(D_k) / p(D_k | T_k),

with d = α and p(D | T) = p(D) for a single item. The tree is cut where r_k < 1/2. In a cluster the
columns are independent, x ~ N(μ, σ²), μ ~ N(m, σ²/κ), 1/σ² ~ Gamma(a, b), with m the mean of the
column, a = 2 and b its variance times a factor. α, κ and the factor are those of `GRID` with the
largest p(D | T) of the whole tree, as the authors learn them by the same function.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]

SHAPE = 2.0  # a
# Candidates for α, κ and the factor of b.
GRID = tuple(itertools.product((1.0, 10.0), (0.01, 0.1), (0.03, 0.1, 0.3, 1.0)))
# Pairs of items whose densities are computed at once.
N_BLOCK = 20_000


class Bhc(NamedTuple):
    """A tree of BHC: its merges as in SciPy, its clusters, and ln p(D | T)."""

    merges: NDArray[np.intp]
    labels: NDArray[np.intp]
    ln_likelihood: float


def fit_bhc(X: Floats) -> Bhc:
    """Return the tree with the hyperparameters of `GRID` that have the largest likelihood.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> fit_bhc(X).labels
    array([0, 0, 1, 1])
    """
    X = X[:, X.std(axis=0) > 0.0]
    return max((merge(X, *given) for given in GRID), key=lambda tree: tree.ln_likelihood)


def merge(X: Floats, alpha: float, kappa: float, factor: float) -> Bhc:
    """Return the tree for given hyperparameters."""
    n_items = len(X)
    X = X - X.mean(axis=0)
    rates = factor * X.var(axis=0)
    # One row for each cluster that can be merged; the union of two takes the row of the first.
    sizes, sums, squares = np.ones(n_items), X.copy(), X**2
    ln_d = np.full(n_items, np.log(alpha))
    ln_tree = ln_density(sizes, sums, squares, kappa, rates)
    nodes = np.arange(n_items)

    def evaluate(i: Any, j: Any) -> tuple[Floats, Floats, Floats]:
        """Return ln d_k, ln p(D_k | T_k) and ln r_k / (1 − r_k) of the unions of i and j."""
        n = sizes[i] + sizes[j]
        density = ln_density(n, sums[i] + sums[j], squares[i] + squares[j], kappa, rates)
        ln_one, ln_two = np.log(alpha) + gammaln(n), ln_d[i] + ln_d[j]
        ln_union = np.logaddexp(ln_one, ln_two)
        one, two = ln_one + density, ln_two + ln_tree[i] + ln_tree[j]
        return ln_union, np.logaddexp(one, two) - ln_union, one - two

    ln_odds = np.full((n_items, n_items), -np.inf)
    first, second = np.triu_indices(n_items, k=1)
    for start in range(0, len(first), N_BLOCK):
        i, j = first[start : start + N_BLOCK], second[start : start + N_BLOCK]
        ln_odds[i, j] = evaluate(i, j)[2]

    merges = np.empty((n_items - 1, 2), np.intp)
    node_ln_odds = np.full(2 * n_items - 1, np.inf)
    for step in range(n_items - 1):
        kept, gone = divmod(int(ln_odds.argmax()), n_items)
        merges[step] = nodes[kept], nodes[gone]
        node_ln_odds[n_items + step] = ln_odds[kept, gone]
        ln_d[kept], ln_tree[kept], _ = evaluate(kept, gone)
        for statistic in (sizes, sums, squares):
            statistic[kept] += statistic[gone]
        nodes[kept], nodes[gone] = n_items + step, -1
        ln_odds[gone], ln_odds[:, gone] = -np.inf, -np.inf
        others = np.flatnonzero((nodes >= 0) & (np.arange(n_items) != kept))
        pairs = np.minimum(kept, others), np.maximum(kept, others)
        ln_odds[pairs] = evaluate(kept, others)[2]
    return Bhc(merges, cut(merges, node_ln_odds >= 0.0), float(ln_tree[nodes >= 0][0]))


def ln_density(sizes: Floats, sums: Floats, squares: Floats, kappa: float, rates: Floats) -> Floats:
    """Return ln p of clusters with given sums of the centred items and of their squares."""
    n = sizes[..., None]
    shape = SHAPE + sizes / 2.0
    rate = rates + (squares - sums**2 / (n + kappa)) / 2.0
    return np.asarray(
        sums.shape[-1]
        * (
            gammaln(shape)
            - gammaln(SHAPE)
            + 0.5 * np.log(kappa / (kappa + sizes))
            - 0.5 * sizes * np.log(2.0 * np.pi)
        )
        + SHAPE * np.log(rates).sum()
        - shape * np.log(rate).sum(axis=-1)
    )


def cut(merges: NDArray[np.intp], is_cluster: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the topmost node that is one cluster for each item, numbered from 0."""
    n_items = len(merges) + 1
    top = np.arange(2 * n_items - 1)
    for step in range(n_items - 2, -1, -1):
        node = n_items + step
        if top[node] != node or is_cluster[node]:
            top[merges[step]] = top[node]
    return np.unique(top[:n_items], return_inverse=True)[1]
