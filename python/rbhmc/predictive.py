"""Where new items go in a given tree: path probabilities averaged over draws of its parameters.

With the tree V of the training items held fixed, draws of weights, components, discriminants and
means are taken from their conditional. For one of them a new item x goes

- to an existing leaf z with weight p(z) · mix(x, z) · exp(−2C h(x)),
- to a new branch at an inner node z with weight p(z) · α/(N_z + α) · mix(x, z) · E[exp(−2C h(x))],
  the expectation over the branch's unknown discriminant η ~ N(0, ν_0² I),

p(z) the nested Chinese restaurant process given the training items. The weights are normalised for
each draw and then averaged: nothing is random once the draws are stored.
"""

from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import log_ndtr, logsumexp

from rbhmc._core import Sampler

Array = NDArray[np.float64]
BLOCK = 4096
MAY_BE_LEARNED = ("alpha", "noise_cov", "base_cov")


@dataclass(frozen=True)
class TreeParameters:
    """The raw tree as flat arrays (root first, levels in order) and draws of its parameters.

    What each draw learned of alpha, noise_cov and base_cov takes the place of the settings.
    """

    parent: NDArray[np.int32]
    level: NDArray[np.int32]
    n_items: NDArray[np.int32]
    weights: list[Array]
    means: list[Array]
    discriminants: list[Array] | None
    learned: list[dict[str, Any]] | None


def draw_parameters(sampler: Sampler, *, n_draws: int, n_warmup: int, thin: int) -> TreeParameters:
    """Draw all but the sampler's tree, which is held fixed."""
    regularised = sampler.tree["discriminants"] is not None
    kernels = ["components", "weights_tables", *(["margins"] if regularised else []), "means"]
    names = [name for name in MAY_BE_LEARNED if name in sampler.learned]
    kernels += names
    weights, means, discriminants, learned = [], [], [], []
    for step in range(n_warmup + n_draws * thin):
        for kernel in kernels:
            sampler.apply(kernel)
        if step >= n_warmup and (step - n_warmup) % thin == thin - 1:
            tree = sampler.tree
            weights.append(tree["weights"])
            means.append(sampler.means)
            learned.append({name: getattr(sampler, name) for name in names})
            if tree["discriminants"] is not None:
                discriminants.append(tree["discriminants"])
    tree = sampler.tree
    return TreeParameters(
        parent=tree["parent"],
        level=tree["level"],
        n_items=tree["n_items"],
        weights=weights,
        means=means,
        discriminants=discriminants if regularised else None,
        learned=learned if names else None,
    )


@dataclass(frozen=True)
class Predictive:
    """Path probabilities of new items; columns are the nodes of the raw tree.

    A leaf's column is the probability of that path, an inner node's that of a new branch there.
    """

    parameters: TreeParameters
    C: float
    margin: float
    eta_scale: float
    base_mean: Array
    settings: dict[str, Any]

    @classmethod
    def build(
        cls,
        parameters: TreeParameters,
        *,
        n_dims: int,
        alpha: float,
        C: float,
        margin: float,
        eta_scale: float,
        noise_cov: object,
        base_mean: object,
        base_cov: object,
    ) -> "Predictive":
        """Gather what prediction needs."""
        return cls(
            parameters=parameters,
            C=C,
            margin=margin,
            eta_scale=eta_scale,
            base_mean=np.broadcast_to(np.asarray(base_mean, np.float64), (n_dims,)).copy(),
            settings={"alpha": alpha, "noise_cov": noise_cov, "base_cov": base_cov},
        )

    def probabilities(self, X: Array) -> Array:
        """Average over draws, a block of items at a time: (n_items, n_nodes)."""
        blocks = [self._block(X[start : start + BLOCK]) for start in range(0, len(X), BLOCK)]
        return np.concatenate(blocks) if blocks else np.empty((0, len(self.parameters.parent)))

    def _block(self, X: Array) -> Array:
        total = np.zeros((len(X), len(self.parameters.parent)))
        n_dims = X.shape[1]
        nothing: dict[str, Any] = {}
        learned = self.parameters.learned or repeat(nothing, len(self.parameters.weights))
        for draw, (weights, found) in enumerate(zip(self.parameters.weights, learned, strict=True)):
            settings = self.settings | found
            noise, base = (covariance(settings[key], n_dims) for key in ("noise_cov", "base_cov"))
            factor = cholesky(noise, lower=True)
            ln_known = ln_normals(X, self.parameters.means[draw], factor)
            ln_new = ln_normals(X, self.base_mean[None, :], cholesky(noise + base, lower=True))
            ln_weight = self._ln_prior(settings["alpha"])
            ln_weight = ln_weight + self._ln_mix(np.hstack([ln_known, ln_new]), weights)
            if self.parameters.discriminants is not None:
                ln_weight += self._ln_loss_factor(X, self.parameters.discriminants[draw])
            weight = np.exp(ln_weight - ln_weight.max(axis=1, keepdims=True))
            total += weight / weight.sum(axis=1, keepdims=True)
        return total / len(self.parameters.weights)

    def _ln_prior(self, alpha: float) -> Array:
        """Ln of the nCRP probability of a leaf, or of a new branch at an inner node."""
        parent, level = self.parameters.parent, self.parameters.level
        size = self.parameters.n_items.astype(np.float64)
        reach = np.zeros(len(parent))
        for node in range(1, len(parent)):
            above = parent[node]
            reach[node] = reach[above] + np.log(size[node] / (size[above] + alpha))
        inner = level < level.max()
        return np.where(inner, reach + np.log(alpha / (size + alpha)), reach)

    def _ln_mix(self, ln_all: Array, weights: Array) -> Array:
        """Ln Σ_k β_zk f(x; θ_k) + β*_z f*(x) for all items and nodes; f* is the last column."""
        top = ln_all.max(axis=1, keepdims=True)
        mix = np.exp(ln_all - top) @ weights.T
        with np.errstate(divide="ignore"):
            ln_mix = np.log(mix) + top
            lost = ~(mix > 1e-200)
            if lost.any():
                items, nodes = np.nonzero(lost)
                ln_mix[items, nodes] = logsumexp(np.log(weights[nodes]) + ln_all[items], axis=1)
        return np.asarray(ln_mix)

    def _ln_loss_factor(self, X: Array, discriminants: Array) -> Array:
        """Ln exp(−2C h) of a leaf; ln E[exp(−2C h)] of a new branch at an inner node."""
        parent, level = self.parameters.parent, self.parameters.level
        scores = X @ np.nan_to_num(discriminants).T
        violation = np.full(scores.shape, -np.inf)
        best = np.full(scores.shape, -np.inf)
        for above in range(len(parent)):
            children = np.flatnonzero(parent == above)
            if len(children) == 0:
                continue
            best[:, above] = scores[:, children].max(axis=1)
            violation[:, children] = violation[:, [above]]
            for child in children if len(children) > 1 else []:
                rival = scores[:, children[children != child]].max(axis=1)
                here = self.margin - scores[:, child] + rival
                violation[:, child] = np.maximum(violation[:, child], here)
        loss = np.maximum(violation, 0.0)
        ln_factor: Array = -2.0 * self.C * loss
        inner = np.flatnonzero(level < level.max())
        spread = self.eta_scale * np.linalg.norm(X, axis=1)
        ln_factor[:, inner] = ln_expected_factor(
            loss[:, inner], self.margin + best[:, inner], spread[:, None], self.C
        )
        return ln_factor


def ln_expected_factor(loss: Array, gap: Array, spread: Array, C: float) -> Array:
    """Ln E[exp(−2C max(a, b − g))], g ~ N(0, s²), a the loss, b the gap, s the spread.

    = ln( e^{−2Ca} Φ((a − b)/s) + e^{−2Cb + 2C²s²} Φ((b − a)/s − 2Cs) )
    """
    still = np.where(spread > 0.0, spread, 1.0)
    distance = (gap - loss) / still
    without = -2.0 * C * loss + log_ndtr(-distance)
    shift = 2.0 * C * still
    within = -2.0 * C * gap + 0.5 * shift**2 + log_ndtr(distance - shift)
    settled = -2.0 * C * np.maximum(loss, gap)
    return np.asarray(np.where(spread > 0.0, np.logaddexp(without, within), settled))


def ln_normals(X: Array, means: Array, factor: Array) -> Array:
    """Ln N(x; mean, factor factorᵀ) of every row and every mean."""
    white, centres = (solve_triangular(factor, rows.T, lower=True).T for rows in (X, means))
    gaps = white[:, None, :] - centres[None, :, :]
    normaliser = np.log(np.diag(factor)).sum() + 0.5 * X.shape[1] * np.log(2 * np.pi)
    return np.asarray(-0.5 * np.einsum("nkd,nkd->nk", gaps, gaps) - normaliser)


def covariance(given: object, n_dims: int) -> Array:
    """Write a scalar, vector or matrix as a full matrix."""
    array = np.asarray(given, np.float64)
    return array if array.ndim == 2 else np.asarray(np.diag(np.broadcast_to(array, (n_dims,))))
