"""BHC of benches/bhc.py against the sum over all partitions that its tree allows."""

import doctest
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln, logsumexp

import bhc
from dendrograms import cut_labels

ALPHA, KAPPA, FACTOR = 2.0, 0.1, 0.3
Partition = list[list[int]]


def partitions(node: int, merges: np.ndarray) -> Iterator[Partition]:
    """Yield the partitions of a node's items whose clusters are nodes of the tree."""
    n_items = len(merges) + 1
    if node < n_items:
        yield [[node]]
        return
    left, right = merges[node - n_items]
    below = [(a, b) for a in partitions(left, merges) for b in partitions(right, merges)]
    # The first partition of a node is that into one cluster.
    yield [below[0][0][0] + below[0][1][0]]
    yield from (a + b for a, b in below)


def ln_density(X: np.ndarray, rates: np.ndarray) -> float:
    """Return ln p of a cluster, by the predictive density of each item given the ones before."""
    total = 0.0
    for n in range(len(X)):
        before = X[:n]
        kappa, shape = KAPPA + n, bhc.SHAPE + n / 2.0
        mean = before.sum(axis=0) / kappa
        rate = rates + ((before**2).sum(axis=0) - kappa * mean**2) / 2.0
        scale = np.sqrt(rate * (kappa + 1.0) / (shape * kappa))
        total += stats.t.logpdf(X[n], 2.0 * shape, mean, scale).sum()
    return total


def sum_over_partitions(X: np.ndarray, merges: np.ndarray) -> float:
    """Return ln p(D | T) by its definition: clusters have prior weight α Γ(n)."""
    X = X - X.mean(axis=0)
    rates = FACTOR * X.var(axis=0)
    found = list(partitions(2 * len(merges), merges))
    prior = [sum(np.log(ALPHA) + gammaln(len(c)) for c in partition) for partition in found]
    joint = [
        weight + sum(ln_density(X[cluster], rates) for cluster in partition)
        for weight, partition in zip(prior, found, strict=True)
    ]
    return float(logsumexp(joint) - logsumexp(prior))


@pytest.mark.parametrize("seed", range(4))
def test_the_likelihood_sums_over_partitions(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(6, 2)) * [1.0, 3.0]
    found = bhc.merge(X, ALPHA, KAPPA, FACTOR)
    assert found.ln_likelihood == pytest.approx(sum_over_partitions(X, found.merges), rel=1e-12)
    # Control: with the items in another order, the tree allows other partitions.
    other = sum_over_partitions(X[::-1], found.merges)
    assert found.ln_likelihood != pytest.approx(other, rel=1e-6)


def test_separate_groups_are_the_clusters() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(3), 20)
    X = rng.normal(size=(60, 2)) + 12.0 * np.array([[0, 0], [1, 0], [0, 1]])[groups]
    found = bhc.fit_bhc(X)
    assert len(set(zip(found.labels, groups, strict=True))) == 3 == len(set(found.labels))
    # The clusters are a cut of the tree, and its merges are numbered as in SciPy.
    assert len(set(zip(cut_labels(found.merges, 3), groups, strict=True))) == 3


def test_the_example_holds() -> None:
    results = doctest.testmod(bhc)
    assert (results.failed, results.attempted) == (0, 2)
