"""Where new items go in a given tree: path probabilities averaged over draws of its parameters.

With the tree V of the training items held fixed, draws of weights, components, discriminants and
means are taken from their conditional. For one of them a new item x goes

- to an existing leaf z with weight p(z) · mix(x, z) · exp(−2C h(x)),
- to a new branch at an inner node z with weight p(z) · α/(N_z + α) · mix(x, z) · E[exp(−2C h(x))],
  the expectation over the branch's unknown discriminant η ~ N(0, ν_0² I),

p(z) the nested Chinese restaurant process given the training items. The weights are normalised for
each draw and then averaged: nothing is random once the draws are stored.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import Sampler, path_probabilities

Array = NDArray[np.float64]
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
    learned: list[dict[str, Any]] | None = None


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
    """Path probabilities of new items.

    Attributes
    ----------
    parameters : TreeParameters
    settings : dict
        alpha, C, margin, eta_scale, noise_cov, base_mean and base_cov, as a `Sampler` takes them.
    """

    parameters: TreeParameters
    settings: dict[str, Any]

    def probabilities(self, X: Array, columns: NDArray[np.intp] | None = None) -> Array:
        """Average over draws: (n_items, n_columns).

        An item's probabilities are the same to the bit whatever other items there are.

        Parameters
        ----------
        X : array of shape (n_items, n_dims)
            Prepared items.
        columns : array of shape (n_nodes,), optional
            The column of each node of the raw tree: a leaf's is the probability of that path, an
            inner node's that of a new branch there. Each node has its own where absent.
        """
        known = self.parameters
        nodes = range(len(known.parent)) if columns is None else columns.tolist()
        n_draws = len(known.weights)
        learned: Iterable[dict[str, Any]] = known.learned or repeat({}, n_draws)
        discriminants = known.discriminants or repeat(None, n_draws)
        each = zip(learned, known.weights, known.means, discriminants, strict=True)
        draws = [
            {**self.settings, **found, "weights": weights, "means": means, "discriminants": eta}
            for found, weights, means, eta in each
        ]
        return path_probabilities(X, known.parent, known.n_items, nodes, draws)
