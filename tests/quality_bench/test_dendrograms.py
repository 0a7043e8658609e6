"""Measures of dendrograms and multiway trees against reference implementations."""

from itertools import combinations
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

import rbhmc
from dendrograms import best_cut, cut_labels, dendrogram_purity, tree_purity
from rbhmc.metrics import dendrogram_purity as paths_purity
from rbhmc.metrics import f_measure

SEEDS = range(8)


def random_case(seed: int, n_items: int = 23) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the linkage of random items, and random classes."""
    rng = np.random.default_rng(seed)
    merges = linkage(rng.normal(size=(n_items, 2)), ["ward", "average", "single"][seed % 3])
    return merges, rng.integers(1 + seed % 5, size=n_items)


def reference_cuts(merges: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the labels after each number of merges."""
    n_items = len(merges) + 1
    cuts = [np.arange(n_items)]
    for step, (left, right) in enumerate(merges[:, :2].astype(int)):
        labels = cuts[-1].copy()
        labels[(labels == left) | (labels == right)] = n_items + step
        cuts.append(labels)
    return cuts


def reference_purity(nodes: list[set[int]], classes: NDArray[Any]) -> float:
    """Average the purity of the smallest node that contains both items of a pair."""
    shares = []
    for i, j in combinations(range(len(classes)), 2):
        if classes[i] == classes[j]:
            lowest = min((node for node in nodes if {i, j} <= node), key=len)
            shares.append(np.mean([classes[item] == classes[i] for item in lowest]))
    return float(np.mean(shares))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_cut_is_the_best_of_all_cuts(seed: int) -> None:
    merges, classes = random_case(seed)
    cuts = reference_cuts(merges)
    f = [float(f_measure(labels[:, None], classes)[0]) for labels in cuts]
    found = best_cut(merges, classes)
    assert found.f == pytest.approx(max(f))
    assert found.n_clusters == len(np.unique(found.labels))
    assert float(f_measure(found.labels[:, None], classes)[0]) == pytest.approx(max(f))
    for labels in cuts:
        np.testing.assert_array_equal(cut_labels(merges, len(np.unique(labels))), labels)


@pytest.mark.parametrize("seed", SEEDS)
def test_dendrogram_purity_is_the_mean_over_pairs(seed: int) -> None:
    merges, classes = random_case(seed)
    cuts = reference_cuts(merges)
    nodes = [set(np.flatnonzero(cut == label).tolist()) for cut in cuts for label in np.unique(cut)]
    assert dendrogram_purity(merges, classes) == pytest.approx(reference_purity(nodes, classes))
    # The same tree as paths: one level for each cut, the coarsest first.
    paths = np.stack(cuts[::-1], axis=1)
    assert dendrogram_purity(merges, classes) == pytest.approx(paths_purity(paths, classes))


@pytest.mark.parametrize("seed", SEEDS)
def test_tree_purity_of_a_tree_of_equal_depth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices = rng.integers(3, size=(30, 3))
    paths = np.cumsum(choices * 3 ** np.arange(2, -1, -1), axis=1)
    classes = rng.integers(4, size=30)
    tree = rbhmc.Tree.from_labels(paths)
    assert tree_purity(tree, classes) == pytest.approx(paths_purity(paths, classes))


def test_tree_purity_counts_items_that_stay_in_an_inner_node() -> None:
    # Items 4 and 5 are directly in node "1", whose child "1.1" has items 0 and 1.
    items = {"root": range(8), "1": [0, 1, 4, 5], "1.1": [0, 1], "2": [2, 3]}
    parents = {"root": None, "1": "root", "1.1": "1", "2": "root"}
    nodes = [
        SimpleNamespace(id=id, parent=parents[id], items=np.array(of)) for id, of in items.items()
    ]
    classes = np.array(list("abbaabab"))
    tree = cast(rbhmc.Tree, SimpleNamespace(nodes=nodes))
    expected = reference_purity([set(of) for of in items.values()], classes)
    assert tree_purity(tree, classes) == pytest.approx(expected)
