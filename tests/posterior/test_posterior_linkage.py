"""Average linkage: SciPy's without ties, and independent of the order of items with ties."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage
from scipy.spatial.distance import squareform

from metrics.trees import Paths, quick, several_trees
from rbhmc import _core
from rbhmc.posterior.dendrogram import dendrogram
from rbhmc.posterior.similarity import similarity

Counts = NDArray[np.uint32]


def random_counts(seed: int, n_items: int, n_total: int) -> Counts:
    upper = np.triu(np.random.default_rng(seed).integers(0, n_total, (n_items, n_items)), 1)
    return (upper + upper.T + n_total * np.eye(n_items, dtype=np.int64)).astype(np.uint32)


def test_without_ties_it_is_scipys() -> None:
    for n_items in (2, 3, 10, 80):
        counts = random_counts(n_items, n_items, 2**30)
        found = _core.average_linkage(counts, 2**30)
        expected = linkage(squareform(1.0 - counts / 2**30), "average")
        np.testing.assert_array_equal(np.sort(found[:, :2], axis=1), expected[:, :2])
        np.testing.assert_allclose(found[:, 2:], expected[:, 2:])


def test_many_equal_items_make_a_shallow_tree() -> None:
    found = _core.average_linkage(np.full((1000, 1000), 5, np.uint32), 5)
    depth = np.zeros(1999, int)
    for row, (left, right) in enumerate(found[:, :2].astype(int)):
        depth[1000 + row] = 1 + max(depth[left], depth[right])
    assert depth[-1] == 10
    assert set(found[:, 2]) == {0.0}


@quick
@given(st.integers(2, 9), st.integers(1, 4), st.integers(0, 2**32))
def test_the_order_of_items_does_not_matter(n_items: int, n_total: int, seed: int) -> None:
    counts = random_counts(seed, n_items, n_total)
    found = _core.average_linkage(counts, n_total)
    assert is_valid_linkage(found)
    assert (np.diff(found[:, 2]) >= 0).all()
    order = np.random.default_rng(seed).permutation(n_items)
    other = _core.average_linkage(counts[np.ix_(order, order)], n_total)
    heights = squareform(cophenet(found))
    np.testing.assert_array_equal(squareform(cophenet(other)), heights[np.ix_(order, order)])


@quick
@given(several_trees(1, 4))
def test_nodes_of_equal_height_are_one(draws: Paths) -> None:
    tree = dendrogram(similarity(draws, np.arange(draws.shape[1])))
    inner = np.arange(tree.n_items, len(tree.parents) - 1)
    assert (tree.heights[inner] < tree.heights[tree.parents[inner]]).all()
    assert (tree.parents[:-1] > np.arange(len(tree.parents) - 1)).all()
    sums = np.append(np.ones(tree.n_items, int), np.zeros(len(tree.parents) - tree.n_items, int))
    for entry, parent in enumerate(tree.parents[:-1]):
        sums[parent] += sums[entry]
    assert sums.tolist() == tree.sizes.tolist()


def test_a_tie_is_one_node() -> None:
    # Items on a circle, each with both neighbours in half of the draws: there is no better pair.
    draws = [[[0], [0], [1], [1]], [[0], [1], [1], [0]]]
    assert dendrogram(similarity(draws, np.arange(4))).parents.tolist() == [4, 4, 4, 4, -1]
