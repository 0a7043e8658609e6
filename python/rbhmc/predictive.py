"""Path probabilities of new items in a given tree, averaged over draws of its parameters.

The tree V of the training items is held fixed, and weights, components, discriminants and means are
drawn from their conditional given V. In one such draw, the probability of a new item x is
proportional to

- p(z) · mix(x, z) · exp(−2C h(x)) for an existing leaf z,
- p(z) · α/(N_z + α) · mix(x, z) · E[exp(−2C h(x))] for a new branch at an inner node z, with the
  expectation over the unknown discriminant η ~ N(0, ν_0² I) of the branch,

where p(z) is the nested Chinese restaurant process given the training items. The probabilities of
each draw are normalised and then averaged, so that nothing is random once the draws are stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import Sampler, ln_densities, path_probabilities
from rbhmc.tree import Tree

Array = NDArray[np.float64]

# Learned parameters that path probabilities depend on, each with a kernel of its own.
LEARNED = ("alpha", "noise_cov", "base_cov")


@dataclass(frozen=True)
class TreeParameters:
    """The raw tree as flat arrays (root first, levels in order) and draws of its parameters.

    In each draw, the learned values of alpha, noise_cov and base_cov replace the settings.
    """

    parent: NDArray[np.int32]
    level: NDArray[np.int32]
    n_items: NDArray[np.int32]
    weights: list[Array]
    means: list[Array]
    discriminants: list[Array] | None
    learned: list[dict[str, Any]] | None


def draw_parameters(sampler: Sampler, *, n_draws: int, n_warmup: int, thin: int) -> TreeParameters:
    """Draw all parameters given the sampler's tree, which is held fixed."""
    regularised = sampler.tree["discriminants"] is not None
    kernels = ["components", "weights_tables", *(["margins"] if regularised else []), "means"]
    names = [name for name in LEARNED if name in sampler.learned]
    kernels += names
    weights, means, discriminants, learned = [], [], [], []
    for step in range(n_warmup + n_draws * thin):
        for kernel in kernels:
            sampler.apply(kernel)
        if step >= n_warmup and (step - n_warmup) % thin == thin - 1:
            tree = sampler.tree
            weights.append(tree["weights"])
            means.append(sampler.means)
            learned.append({name: sampler.settings[name] for name in names})
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
        The settings of the `Sampler`, with numbers for words such as "learn" and "data".
    """

    parameters: TreeParameters
    settings: dict[str, Any]

    def probabilities(self, X: Array, columns: NDArray[np.intp] | None = None) -> Array:
        """Return the mean path probabilities over the draws: (n_items, n_columns).

        The probabilities of an item do not depend on the other items, to the bit.

        Parameters
        ----------
        X : array of shape (n_items, n_dims)
            Prepared items.
        columns : array of shape (n_nodes,), optional
            The column of each node of the raw tree: for a leaf, the probability of its path; for
            an inner node, of a new branch there. By default each node has its own column.
        """
        tree = self.parameters
        nodes = range(len(tree.parent)) if columns is None else columns.tolist()
        return path_probabilities(X, tree.parent, tree.n_items, nodes, list(self.draws()))

    def ln_density(self, X: Array) -> Array:
        """Return the log density of each prepared item, averaged over the draws.

        A new item takes the path to z with its probability p(z) under the nested Chinese restaurant
        process, and the weights of a new branch average to those of the node that it leaves. Its
        density is therefore the mixture

            p(x) = Σ_k w_k f(x; θ_k) + w* f*(x),  w = Σ_z p(z) β_z,

        over the leaves z, and over a new branch at each inner node z.
        """
        tree = self.parameters
        return ln_densities(X, tree.parent, tree.n_items, list(self.draws()))

    def draws(self) -> Iterator[dict[str, Any]]:
        """Iterate over the draws, each with its settings."""
        known = self.parameters
        nothing: dict[str, Any] = {}
        discriminants = known.discriminants or repeat(None, len(known.weights))
        learned = known.learned or repeat(nothing, len(known.weights))
        every = zip(known.weights, known.means, discriminants, learned, strict=True)
        for weights, means, eta, values in every:
            drawn = {"weights": weights, "means": means, "discriminants": eta}
            yield {**self.settings, **values, **drawn}


def learn_predictive(
    X: Array,
    paths: NDArray[np.int32],
    settings: dict[str, Any],
    *,
    n_draws: int,
    n_warmup: int,
    thin: int,
    seed: int = 0,
) -> Predictive:
    """Draw the parameters of a tree of prepared items; `settings` are keywords of `Sampler`."""
    sampler = Sampler(X, **settings, initial_paths=paths, seed=seed)
    parameters = draw_parameters(sampler, n_draws=n_draws, n_warmup=n_warmup, thin=thin)
    return Predictive(parameters, sampler.settings)


def path_columns(tree: Tree, parent: NDArray[np.int32]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Name the columns of path probabilities, and find the column of each raw node.

    The columns are the leaves of the presented tree, followed by a new branch at each node that has
    children in the raw tree. Raw nodes that the presented tree merges share a column.

    Parameters
    ----------
    tree : Tree
        The presented tree.
    parent : array of shape (n_nodes,)
        The parent of each raw node: root first, then level by level in the order of the labels.
    """
    presented = presented_nodes(tree)
    leaves = [leaf.id for leaf in tree.leaves]
    is_inner = np.zeros(len(parent), bool)
    is_inner[parent[1:]] = True
    inner = {presented[node] for node in np.flatnonzero(is_inner)}
    branching = [node.id for node in tree.nodes if node.id in inner]
    names = (*leaves, *(f"new branch at {id}" for id in branching))
    column = [
        len(leaves) + branching.index(id) if is_inner[node] else leaves.index(id)
        for node, id in enumerate(presented)
    ]
    return names, np.array(column, dtype=np.intp)


def presented_nodes(tree: Tree) -> list[str]:
    """Return the id of the presented node that each raw node is part of.

    Examples
    --------
    >>> presented_nodes(Tree.from_labels([[0, 0], [1, 1], [1, 2]]))
    ['root', '2', '1', '2', '1.1', '1.2']
    """
    ids = ["root"]
    for level in range(1, tree.n_levels + 1):
        labels = tree.paths[:, level - 1]
        for label in range(labels.max() + 1):
            item = int(np.argmax(labels == label))
            path = [tree.node(id) for id in tree.path_of(item)]
            ids.append([node for node in path if node.level <= level][-1].id)
    return ids
