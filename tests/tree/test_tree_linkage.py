"""Linkage matrices for SciPy."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.cluster import hierarchy

from rbhmc import InvalidInput
from rbhmc.tree import Tree
from tree.cases import PATHS, PROPERTY, deep_labels, labels, many_labels, same_partition

LARGE = {
    "three levels": many_labels(50_000, [8, 8, 8]),
    "one item per leaf": many_labels(50_000, [30, 40, 10**6]),
    "one leaf": np.zeros((50_000, 2), int),
    "one level": np.arange(50_000)[:, None],
    "greatest depth": deep_labels(50_000),
}


def check_levels(tree: Tree, Z: NDArray[np.float64], levels: list[int]) -> None:
    for level in levels:
        found = hierarchy.fcluster(Z, tree.n_levels - level + 1, criterion="distance")
        assert same_partition(found, tree.labels_at(level))


def depth(Z: NDArray[np.float64]) -> int:
    """Return the number of merges above the deepest item."""
    n = len(Z) + 1
    found = [0] * (2 * n - 1)
    for i in reversed(range(n - 1)):
        for child in Z[i, :2].astype(int):
            found[child] = found[n + i] + 1
    return max(found)


def test_a_worked_example() -> None:
    # Birds {2, 4, 7} and {0, 1}, fish {3, 5}, and an ant {6}.
    assert Tree.from_labels(PATHS).to_linkage().tolist() == [
        [2, 4, 1, 2],  # item 8
        [7, 8, 1, 3],  # item 9
        [0, 1, 1, 2],  # item 10
        [3, 5, 1, 2],  # item 11
        [9, 10, 2, 5],  # item 12: the birds
        [6, 11, 3, 3],  # item 13: the two smallest of the three
        [12, 13, 3, 8],
    ]


@PROPERTY
@given(labels(max_items=20))
def test_scipy_takes_it_and_cuts_it_at_the_levels(paths: NDArray[np.int64]) -> None:
    assume(len(paths) > 1)
    tree = Tree.from_labels(paths)
    Z = tree.to_linkage()
    assert hierarchy.is_valid_linkage(Z, throw=True)
    assert hierarchy.is_monotonic(Z)
    check_levels(tree, Z, list(range(tree.n_levels + 1)))
    cuts = []
    for level in range(tree.n_levels + 1):
        expected = tree.labels_at(level)
        by_height = hierarchy.cut_tree(Z, height=tree.n_levels - level + 1.5)[:, 0]
        by_number = hierarchy.cut_tree(Z, n_clusters=expected.max() + 1)[:, 0]
        cuts.append(by_number)
        assert same_partition(by_height, expected)
        assert same_partition(by_number, expected)
    assert Tree.from_labels(np.stack(cuts[1:], axis=1)) == tree


@pytest.mark.parametrize("paths", LARGE.values(), ids=LARGE.keys())
def test_fifty_thousand_items(paths: NDArray[np.int64]) -> None:
    tree = Tree.from_labels(paths)
    Z = tree.to_linkage()
    # This takes well under two seconds on an idle machine; the bound allows for a busy one.
    assert hierarchy.is_valid_linkage(Z, throw=True)
    assert hierarchy.is_monotonic(Z)
    levels = sorted({*range(min(tree.n_levels, 4) + 1), tree.n_levels})
    check_levels(tree, Z, levels)
    assert depth(Z) <= 1.44 * np.log2(50_000) + tree.n_levels + 2


@pytest.mark.parametrize("case", ["one item per leaf", "greatest depth"])
def test_scipy_does_not_run_out_of_stack(case: str) -> None:
    Z = Tree.from_labels(LARGE[case]).to_linkage()
    assert hierarchy.to_tree(Z).count == 50_000
    drawn = hierarchy.dendrogram(Z, no_plot=True)
    assert sorted(drawn["leaves"]) == list(range(50_000))


def test_wide_nodes_at_each_level_stay_shallow() -> None:
    # Merges balanced by the number of parts alone would be 6 deep at each of 255 levels.
    n_levels, n_wide = 255, 40
    part = np.arange(n_levels * n_wide)
    paths = np.stack(
        [np.where(part // n_wide <= level, part, -1) for level in range(n_levels)], axis=1
    )
    assert depth(Tree.from_labels(paths).to_linkage()) < 300


@PROPERTY
@given(st.lists(st.integers(1, 30), min_size=2, max_size=20))
def test_the_smallest_two_parts_are_joined_first(sizes: list[int]) -> None:
    Z = Tree.from_labels(np.repeat(np.arange(len(sizes)), sizes)[:, None]).to_linkage()
    expected = []
    while len(sizes) > 1:
        a, b, *rest = sorted(sizes)
        sizes = [a + b, *rest]
        expected.append(a + b)
    assert Z[Z[:, 2] == 2, 3].tolist() == expected


def test_one_item_has_no_linkage() -> None:
    with pytest.raises(InvalidInput, match="at least two items; the tree has one"):
        Tree.from_labels([[0]]).to_linkage()
