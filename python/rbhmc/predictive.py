"""New items: the probabilities of their paths in the draws, and the leaf that these lead to.

The tree V of the training items is held fixed, and the other parameters are drawn from their
conditional given V. In one such draw, the probability of a new item x is proportional to

- p(z) · mix(x, z) · exp(−2C h(x)) for an existing leaf z,
- p(z) · α/(N_z + α) · mix(x, z) · E[exp(−2C h(x))] for a new branch at an inner node z, with the
  expectation over the unknown discriminant η ~ N(0, ν_0² I) of the branch,

where p(z) is the nested Chinese restaurant process given the training items. The probabilities of
each draw are normalised and then averaged, so that nothing is random once the draws are stored.

The presented tree has other nodes than a draw. With A a node of the presented tree and B_l the
node of a path at level l of L, the similarity of the path to A is (1/L) Σ_l |A ∩ B_l| / |A|; a new
branch counts the levels down to its node. A path leads to the leaf that is reached from the root by
the child of highest similarity at each step. The probability of a leaf is the mean over the draws
of the sum of the probabilities of the paths that lead to it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import Sampler, ln_densities, path_probabilities
from rbhmc.draws import Draws
from rbhmc.posterior.attach import descend
from rbhmc.posterior.presented import PresentedTree
from rbhmc.posterior.support import number_nodes
from rbhmc.tree import Tree

Array = NDArray[np.float64]

# Learned parameters that path probabilities depend on, each with a kernel of its own.
LEARNED = ("alpha", "noise_cov", "base_cov")

# The squares of larger prepared values would overflow; this far away nothing depends on how far.
FARTHEST = 1e100

# About this number of draws, spread over the chains, places new items.
N_DRAWS = 24
# Updates of weights and discriminants, given the assignments of a draw, before they are used.
N_UPDATES = 20


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
        near = np.clip(X, -FARTHEST, FARTHEST)
        return path_probabilities(near, tree.parent, tree.n_items, nodes, list(self.draws()))

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


@dataclass(frozen=True)
class DrawPredictive:
    """One draw, and where its paths lead in the presented tree.

    Attributes
    ----------
    predictive : Predictive
        Path probabilities in the tree of the draw.
    leaves : array of shape (n_nodes,)
        The leaf of the presented tree to which the path to each node of the draw leads.
    is_inner : array of shape (n_nodes,)
        Whether the path is a new branch at the node.
    """

    predictive: Predictive
    leaves: NDArray[np.intp]
    is_inner: NDArray[np.bool_]


@dataclass(frozen=True)
class TreePredictive:
    """Probabilities of the leaves of a presented tree for new items, over several draws.

    Attributes
    ----------
    draws : tuple of DrawPredictive
    n_leaves : int
    """

    draws: tuple[DrawPredictive, ...]
    n_leaves: int

    def probabilities(self, X: Array) -> Array:
        """Return the probability of each leaf and, last, of a new branch: (n_items, n_leaves + 1).

        The probabilities of an item do not depend on the other items, to the bit.
        """
        return self._average(
            X, lambda draw: np.where(draw.is_inner, self.n_leaves, draw.leaves), self.n_leaves + 1
        )

    def leaves(self, X: Array, clusters: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the most probable leaf of the most probable cluster of each item.

        New branches count for where they lead.

        Parameters
        ----------
        X : array of shape (n_items, n_dims)
            Prepared items.
        clusters : array of shape (n_leaves,)
            The cluster of each leaf.
        """
        of_leaves = self._average(X, lambda draw: draw.leaves, self.n_leaves)
        of_clusters = np.zeros((len(X), clusters.max() + 1))
        for leaf, cluster in enumerate(clusters.tolist()):
            of_clusters[:, cluster] += of_leaves[:, leaf]
        is_inside = of_clusters.argmax(axis=1)[:, None] == clusters
        found: NDArray[np.intp] = np.where(is_inside, of_leaves, -1.0).argmax(axis=1)
        return found

    def _average(
        self, X: Array, columns: Callable[[DrawPredictive], NDArray[np.intp]], n_columns: int
    ) -> Array:
        sums = np.zeros((len(X), n_columns))
        for draw in self.draws:
            found = draw.predictive.probabilities(X, columns(draw))
            sums[:, : found.shape[1]] += found
        return sums / len(self.draws)


def learn_tree_predictive(
    X: Array, draws: Draws, tree: Tree, settings: dict[str, Any], seed: int
) -> TreePredictive:
    """Draw the parameters of some draws, and find where their paths lead in a presented tree.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
        The prepared items.
    draws : Draws
        The draws of all chains.
    tree : Tree
        The presented tree.
    settings : dict
        Keywords of `Sampler`.
    seed : int
        The seed of the parameters' draws.
    """
    presented = as_presented(tree)
    each = min(draws.n_draws, -(-N_DRAWS // draws.n_chains))
    positions = np.linspace(draws.n_draws - 1, 0, each + 1)[:-1].round().astype(int)
    return TreePredictive(
        tuple(
            _learn_draw(X, draws, (chain, draw), presented, settings, seed)
            for chain in range(draws.n_chains)
            for draw in positions.tolist()
        ),
        len(tree.leaves),
    )


def as_presented(tree: Tree) -> PresentedTree:
    """Return a tree as the arrays by which items descend.

    Examples
    --------
    >>> as_presented(Tree.from_labels([[0, 0], [0, 1], [1, 2]])).parents
    array([-1,  0,  1,  1,  0])
    """
    is_remainder = np.array([node.is_remainder for node in tree.nodes])
    parents, leaves = number_nodes(tree)
    return PresentedTree(parents, leaves, np.arange(len(tree)), is_remainder)


def _learn_draw(
    X: Array,
    draws: Draws,
    place: tuple[int, int],
    presented: PresentedTree,
    settings: dict[str, Any],
    seed: int,
) -> DrawPredictive:
    paths, components = draws.read("paths", *place), draws.read("components", *place)
    learned = {name: values[place] for name, values in draws.learned.items()}
    given = {name: value.tolist() if value.ndim == 0 else value for name, value in learned.items()}
    sampler = Sampler(
        X,
        **{**settings, **given},
        initial_paths=paths,
        initial_components=components,
        seed=seed,
    )
    regularised = sampler.tree["discriminants"] is not None
    for _ in range(N_UPDATES):
        sampler.apply("weights_tables")
        if regularised:
            sampler.apply("margins")
    tree = sampler.tree
    parameters = TreeParameters(
        parent=tree["parent"],
        level=tree["level"],
        n_items=tree["n_items"],
        weights=[tree["weights"]],
        means=[sampler.means],
        discriminants=None if tree["discriminants"] is None else [tree["discriminants"]],
        learned=None,
    )
    shared = _count_shared(paths, tree["parent"], presented)
    number = np.full(len(presented.parents), -1)
    is_leaf = ~np.isin(np.arange(len(number)), presented.parents)
    number[is_leaf] = np.arange(is_leaf.sum())
    is_inner = np.isin(np.arange(len(tree["parent"])), tree["parent"])
    return DrawPredictive(
        Predictive(parameters, sampler.settings), number[descend(presented, shared)], is_inner
    )


def _count_shared(
    paths: NDArray[np.int32], parent: NDArray[np.int32], presented: PresentedTree
) -> NDArray[np.int64]:
    """Return Σ_l |A ∩ B_l| of the path to each node of a draw, (n_draw_nodes, n_nodes)."""
    n_nodes = len(presented.parents)
    counts = [np.bincount(presented.leaves, minlength=n_nodes)[None]]  # the root of the draw
    for labels in paths.T:
        cells = labels.astype(np.int64) * n_nodes + presented.leaves
        n_labels = int(labels.max()) + 1
        counts.append(np.bincount(cells, minlength=n_labels * n_nodes).reshape(n_labels, n_nodes))
    shared = np.concatenate(counts)
    for node in range(n_nodes - 1, 0, -1):
        shared[:, presented.parents[node]] += shared[:, node]
    shared[0] = 0  # only levels below the root count
    for node in range(1, len(shared)):
        shared[node] += shared[parent[node]]
    return shared
