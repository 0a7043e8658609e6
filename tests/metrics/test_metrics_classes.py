"""F-measure and dendrogram purity: by hand, against their definitions, and their invariances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import (
    Paths,
    nodes,
    quick,
    reference_f_measure,
    reference_purity,
    relabel,
    trees_with_classes,
)
from rbhmc.metrics import dendrogram_purity, f_measure

# Level 1: {0, 1, 2}, {3, 4, 5}; level 2: {0, 1}, {2}, {3}, {4, 5}.
TREE = [[0, 0], [0, 0], [0, 1], [1, 2], [1, 3], [1, 3]]
CLASSES = ["a", "a", "b", "b", "c", "c"]


def test_f_measure_by_hand() -> None:
    # Level 1: a is 2 of the 3 items of its best node: 2·2/(3+2) = .8. b is 1 of 3: 2·1/(3+2) = .4.
    # c equals a: .8. Each class has a third of the items: 2/3.
    # Level 2: a and c are nodes: 1. b is in two nodes of one item: 2·1/(1+2) = 2/3.
    assert f_measure(TREE, CLASSES) == pytest.approx([2 / 3, 8 / 9])


def test_purity_by_hand() -> None:
    # (0, 1) meet in {0, 1}: 1. (4, 5) in {4, 5}: 1. (2, 3) in the root, 2 of 6 are b: 1/3.
    assert dendrogram_purity(TREE, CLASSES) == pytest.approx((1 + 1 + 1 / 3) / 3)
    # With level 1 only, (0, 1) and (4, 5) meet in nodes of three items: 2/3 each.
    first = [path[:1] for path in TREE]
    assert dendrogram_purity(first, CLASSES) == pytest.approx((2 / 3 + 2 / 3 + 1 / 3) / 3)


def test_purity_is_nan_without_pairs_of_equal_class() -> None:
    assert math.isnan(dendrogram_purity([[0]], ["a"]))
    assert math.isnan(dendrogram_purity([[0], [0]], ["a", "b"]))


@quick
@given(trees_with_classes())
def test_definitions(problem: tuple[Paths, list[int]]) -> None:
    paths, classes = problem
    assert f_measure(paths, classes) == pytest.approx(reference_f_measure(paths, classes))
    expected = reference_purity(paths, classes)
    assert dendrogram_purity(paths, classes) == pytest.approx(expected, nan_ok=True)


@quick
@given(trees_with_classes(), st.integers(0, 2**32))
def test_invariance_to_labels_and_order(problem: tuple[Paths, list[int]], seed: int) -> None:
    paths, classes = problem
    order = np.random.default_rng(seed).permutation(len(paths))
    text = np.array([f"class {-c}" for c in classes])
    for measure in (f_measure, dendrogram_purity):
        value = pytest.approx(measure(paths, classes), nan_ok=True)
        assert measure(relabel(paths, seed), text) == value
        assert measure(paths[order], text[order]) == value


@quick
@given(trees_with_classes())
def test_ranges_and_when_they_reach_one(problem: tuple[Paths, list[int]]) -> None:
    paths, classes = problem
    known = np.array(classes)
    for level, value in enumerate(f_measure(paths, classes)):
        assert 0 < value <= 1 + 1e-12
        equal = ((paths[:, None, level] == paths[:, level]) == (known[:, None] == known)).all()
        assert (value > 1 - 1e-9) == equal
    purity = dendrogram_purity(paths, classes)
    if math.isnan(purity):
        assert len(set(classes)) == len(classes)
        return
    assert 0 < purity <= 1
    smallest_are_pure = all(
        smallest_node(paths, np.flatnonzero(known == c)) == set(np.flatnonzero(known == c).tolist())
        for c in set(classes)
        if classes.count(c) > 1
    )
    assert (purity > 1 - 1e-9) == smallest_are_pure


def smallest_node(paths: Paths, items: Paths) -> set[int]:
    everywhere = [set(range(len(paths))), *map(set, nodes(paths).values())]
    return min((z for z in everywhere if z.issuperset(items.tolist())), key=len)


def test_many_items() -> None:
    rng = np.random.default_rng(0)
    leaf, classes = rng.integers(500, size=200_000), rng.integers(50, size=200_000)
    paths = np.stack([leaf // 50, leaf // 5, leaf], axis=1)
    # Classes are independent of the nodes: every node has about 1/50 of each class.
    assert dendrogram_purity(paths, classes) == pytest.approx(0.02, abs=0.001)
    assert f_measure(paths, classes).shape == (3,)
