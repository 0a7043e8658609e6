"""The exact posterior of the tree of a few items under (Q), without a sampler.

Given the tree V, the loss depends on η alone and the data on c alone, so

    q(V) ∝ p(V) · E[p(X | c) | V] · E[exp(−2C Σ_n h_n) | V].

The first two factors are exact. Integrating out β turns c into a Chinese restaurant franchise:
CRP(γ) seats a leaf's items at tables, CRP(γ) at each inner node seats its children's tables, and
CRP(γ_0) at the root seats the tables of level 1; items whose tables meet at the root share a
component. For a few items all these partitions can be listed. Only the last factor is estimated by
Monte Carlo, over η ~ N(0, ν_0² I), with the same η for every tree. With an intercept κ the losses
have x̃ = (x, κ) in place of x.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from statistical.compare import batch_means, z_scores

Array = NDArray[np.float64]
Labels = tuple[int, ...]  # canonical: numbered by first appearance over the items
Tree = tuple[Labels, ...]  # the labels of each level, top level first
Block = frozenset[int]
Partition = frozenset[Block]

# Trees of lower probability are visited too rarely for a normal approximation, and are pooled.
RARE_PROBABILITY = 0.002
SAMPLES_PER_CHUNK = 20_000  # of η


@dataclass(frozen=True)
class SmallPosterior:
    """All trees as canonical labels (n_trees, n_items, n_levels), their probabilities, the loss."""

    trees: NDArray[np.int64]
    probability: Array
    standard_error: Array  # of `probability`, from the Monte Carlo over η
    mean_loss: float  # E[Σ_n h_n]
    mean_loss_error: float
    means: Array  # of what else depends on the tree
    means_error: Array


def partitions(items: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
    """Yield all set partitions of disjoint blocks, each part as the union of its blocks."""
    if not items:
        yield ()
        return
    first, others = items[0], items[1:]
    for partition in partitions(others):
        yield (first, *partition)
        for i, part in enumerate(partition):
            yield (first | part, *partition[:i], *partition[i + 1 :])


def singletons(items: Block) -> tuple[Block, ...]:
    return tuple(frozenset([i]) for i in sorted(items))


def log_crp(sizes: list[int], concentration: ArrayLike) -> Array:
    """Return log [ Γ(a)/Γ(a + n) · Π_parts a Γ(size) ] for each concentration a."""
    a = np.asarray(concentration, dtype=np.float64)
    total: Array = gammaln(a) - gammaln(a + sum(sizes)) + len(sizes) * np.log(a)
    return total + sum(math.lgamma(size) for size in sizes)


def labels_of(partition: tuple[Block, ...], n_items: int) -> Labels:
    """Return the label of every item, with parts numbered by their first item."""
    ordered = sorted(partition, key=min)
    return tuple(next(i for i, part in enumerate(ordered) if n in part) for n in range(n_items))


def refines(fine: Labels, coarse: Labels) -> bool:
    """Return whether every part of `fine` lies within one part of `coarse`."""
    return len(set(zip(fine, coarse, strict=True))) == len(set(fine))


@cache
def enumerate_trees(n_items: int, n_levels: int) -> tuple[Tree, ...]:
    """Return all nested partitions of the items, in a fixed order."""
    items = singletons(frozenset(range(n_items)))
    levels = sorted(labels_of(partition, n_items) for partition in partitions(items))
    trees: list[Tree] = [(level,) for level in levels]
    for _ in range(n_levels - 1):
        trees = [(*tree, level) for tree in trees for level in levels if refines(level, tree[-1])]
    return tuple(trees)


def same_label(labels: Labels, label: int) -> list[int]:
    return [n for n, other in enumerate(labels) if other == label]


def nodes_of(tree: Tree) -> list[list[Block]]:
    """Return the nodes of each level, root first, as sets of items."""
    n_items = len(tree[0])
    levels = [[frozenset(range(n_items))]]
    for labels in tree:
        levels.append([frozenset(same_label(labels, i)) for i in sorted(set(labels))])
    return levels


def children_of(node: Block, level_below: list[Block]) -> list[Block]:
    return [child for child in level_below if child <= node]


def log_tree_prior(tree: Tree, alpha: ArrayLike) -> Array:
    """Return log p(V) for each α: a CRP(α) over the children of every inner node."""
    levels = nodes_of(tree)
    total = np.zeros(np.shape(alpha))
    for nodes, below in pairwise(levels):
        for node in nodes:
            total = total + log_crp([len(child) for child in children_of(node, below)], alpha)
    return total


def component_law(tree: Tree, gamma: ArrayLike, gamma0: ArrayLike) -> dict[Partition, Array]:
    """Return p(c | V) of each set partition c, by the Chinese restaurant franchise.

    γ and γ_0 may be arrays, which broadcast; each probability is then an array.

    `seat(z)` returns the distribution of the tables of z, each as a set of items: the tables of its
    children (or its items, at a leaf), partitioned by CRP(γ), or by CRP(γ_0) at the root.
    """
    levels = nodes_of(tree)

    def seat(node: Block, level: int) -> dict[Partition, Array]:
        customers: dict[Partition, Array] = {frozenset(): np.ones(())}
        if level == len(levels) - 1:
            customers = {frozenset(singletons(node)): np.ones(())}
        else:
            for child in children_of(node, levels[level + 1]):
                customers = {
                    seated | tables: p * q
                    for seated, p in customers.items()
                    for tables, q in seat(child, level + 1).items()
                }
        law: dict[Partition, Array] = {}
        concentration = gamma0 if level == 0 else gamma
        for seated, p in customers.items():
            for tables in partitions(tuple(seated)):
                sizes = [sum(customer <= table for customer in seated) for table in tables]
                weight = p * np.exp(log_crp(sizes, concentration))
                law[frozenset(tables)] = law.get(frozenset(tables), np.zeros(())) + weight
        return law

    return seat(levels[0][0], 0)


def as_covariance(value: ArrayLike, n_dims: int) -> Array:
    array: Array = np.asarray(value, dtype=np.float64)
    if array.ndim < 2:
        array = np.diag(np.broadcast_to(array, (n_dims,)))
    return array


def log_marginal(X: Array, noise: Array, mean: Array, base: Array) -> float:
    """Return log ∫ N(θ; μ_0, Σ_0) Π_n N(x_n; θ, Σ) dθ: a Gaussian with covariance Σ_0 of pairs."""
    n, d = X.shape
    covariance = np.kron(np.ones((n, n)), base) + np.kron(np.eye(n), noise)
    gap = (X - mean).ravel()
    log_det = float(np.linalg.slogdet(covariance)[1])
    square = float(gap @ np.linalg.solve(covariance, gap))
    return -0.5 * (float(n * d) * math.log(2.0 * math.pi) + log_det + square)


def total_loss(tree: Tree, scores: list[Array], margin: float) -> Array:
    """Return Σ_n h_n of each sample; scores[ℓ][:, i, n] = ηᵀx̃_n of the i-th node at level ℓ + 1."""
    n_samples, _, n_items = scores[0].shape
    total = np.zeros(n_samples)
    for n in range(n_items):
        worst = np.zeros(n_samples)  # h_n = max(0, ρ_n)
        for level, labels in enumerate(tree):
            above = tree[level - 1] if level > 0 else (0,) * n_items
            mates = same_label(above, above[n])
            for sibling in {labels[m] for m in mates} - {labels[n]}:
                gap = scores[level][:, labels[n], n] - scores[level][:, sibling, n]
                np.maximum(worst, margin - gap, out=worst)
        total += worst
    return total


def small_posterior(
    X: ArrayLike,
    *,
    n_levels: int = 2,
    alpha: float,
    gamma: float,
    gamma0: float,
    C: float,
    margin: float,
    eta_scale: float = 1.0,
    intercept: float = 0.0,
    noise_cov: ArrayLike = 1.0,
    base_mean: ArrayLike = 0.0,
    base_cov: ArrayLike = 1.0,
    n_samples: int = 1_000_000,
    seed: int = 0,
) -> SmallPosterior:
    """Return q(V) of every tree of a few items, and its Monte Carlo standard error."""
    data = np.asarray(X, dtype=np.float64)
    n_items, n_dims = data.shape
    trees = enumerate_trees(n_items, n_levels)

    noise, base = as_covariance(noise_cov, n_dims), as_covariance(base_cov, n_dims)
    mean = np.broadcast_to(np.asarray(base_mean, np.float64), (n_dims,))
    evidence = {
        block: log_marginal(data[sorted(block)], noise, mean, base)
        for block in {b for p in all_partitions(n_items) for b in p}
    }
    exact = np.empty(len(trees))  # p(V) E[p(X | c) | V]
    for i, tree in enumerate(trees):
        law = component_law(tree, gamma, gamma0)
        fit = sum(p * math.exp(sum(evidence[b] for b in c)) for c, p in law.items())
        exact[i] = np.exp(log_tree_prior(tree, alpha)) * fit
    nothing = np.empty((0, len(trees)))
    extended = np.column_stack([data, np.full(n_items, intercept)]) if intercept > 0.0 else data
    return tilted(extended, trees, exact, nothing, C, margin, eta_scale, n_samples, seed)


def all_partitions(n_items: int) -> list[Partition]:
    return [frozenset(p) for p in partitions(singletons(frozenset(range(n_items))))]


def tilted(
    data: Array,
    trees: tuple[Tree, ...],
    exact: Array,
    given: Array,
    C: float,
    margin: float,
    eta_scale: float,
    n_samples: int,
    seed: int,
) -> SmallPosterior:
    """Return q(V) ∝ exact_V E[exp(−2C Σ_n h_n) | V]; rows of `given` are means given the tree."""
    n_items, n_dims = data.shape
    exact = exact / exact.sum()

    # With g_V = exp(−2C Σ h), each result is a ratio E[a] / E[b], b = Σ_V exact_V g_V, where
    # a = exact_V g_V for a probability, a = Σ_V exact_V g_V (Σ h) for the mean loss, and the same
    # with a row of `given` for its mean. Its squared error is the one of E[a − ratio · b] / E[b].
    rng = np.random.default_rng(seed)
    sum_a, sum_aa, sum_ab = np.zeros((3, len(trees) + 1 + len(given)))
    sum_b = sum_bb = 0.0
    for start in range(0, n_samples, SAMPLES_PER_CHUNK):
        shape = (min(SAMPLES_PER_CHUNK, n_samples - start), n_items, n_dims)
        scores = [eta_scale * rng.standard_normal(shape) @ data.T for _ in trees[0]]
        losses = np.array([total_loss(tree, scores, margin) for tree in trees])
        terms = exact[:, None] * np.exp(-2.0 * C * losses)
        a = np.vstack([terms, np.sum(terms * losses, axis=0), given @ terms])
        b = terms.sum(axis=0)
        sum_a += a.sum(axis=1)
        sum_aa += (a * a).sum(axis=1)
        sum_ab += a @ b
        sum_b += float(b.sum())
        sum_bb += float(b @ b)
    ratio = sum_a / sum_b
    error = np.sqrt(np.maximum(sum_aa - 2.0 * ratio * sum_ab + ratio**2 * sum_bb, 0.0)) / sum_b

    labels = np.array(trees, dtype=np.int64).transpose(0, 2, 1)
    n = len(trees)
    return SmallPosterior(
        labels,
        ratio[:n],
        error[:n],
        float(ratio[n]),
        float(error[n]),
        ratio[n + 1 :],
        error[n + 1 :],
    )


def tree_index(paths: ArrayLike) -> NDArray[np.int64]:
    """Return the index into `SmallPosterior.trees` of each draw, given by canonical labels."""
    draws = np.asarray(paths, dtype=np.int64)
    trees = enumerate_trees(draws.shape[1], draws.shape[2])
    index = {tree: i for i, tree in enumerate(trees)}
    rows = (tuple(map(tuple, draw)) for draw in draws.transpose(0, 2, 1).tolist())
    return np.array([index[row] for row in rows], dtype=np.int64)


def scores(posterior: SmallPosterior, draws: Mapping[str, Any], others: ArrayLike) -> Array:
    """Return z-scores of the visits of trees, the mean loss, and the means of `others`' columns."""
    visits = np.eye(len(posterior.trees))[tree_index(draws["paths"])]
    common = posterior.probability > RARE_PROBABILITY
    rare = visits[:, ~common].sum(axis=1)
    mean, error = batch_means(
        np.column_stack([visits[:, common], rare, draws["loss"], np.asarray(others)]), 100
    )
    probability, standard_error = posterior.probability, posterior.standard_error
    expected = [*probability[common], probability[~common].sum(), posterior.mean_loss]
    rare_error = np.sqrt((standard_error[~common] ** 2).sum())
    expected_error = [*standard_error[common], rare_error, posterior.mean_loss_error]
    return z_scores(
        mean,
        error,
        [*expected, *posterior.means],
        [*expected_error, *posterior.means_error],
    )
