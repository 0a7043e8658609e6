"""Adjusted Rand index, variation of information and Binder's loss of two trees."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import Paths, quick, reference_binder, reference_vi, relabel, several_trees
from rbhmc.metrics import ari, binder_loss, variation_of_information

sklearn_metrics: Any = pytest.importorskip("sklearn.metrics")

# {0, 1, 2}, {3, 4, 5} and {0, 1}, {2, 3}, {4, 5}: the contingency table is 2 1 0 / 0 1 2.
A = [[0], [0], [0], [1], [1], [1]]
B = [[0], [0], [1], [1], [2], [2]]


def test_by_hand() -> None:
    # Pairs together in both: 1 + 1 = 2; in a: 3 + 3 = 6; in b: 3; of 15.
    # By chance 6·3/15 = 1.2, so ARI = (2 - 1.2) / (4.5 - 1.2).
    assert ari(A, B) == pytest.approx([0.8 / 3.3])
    assert binder_loss(A, B) == pytest.approx([(6 + 3 - 2 * 2) / 15])
    # VI = Σ n/6 · log2(n_a n_b / n²): 2/6 log2(3·2/4) twice, 1/6 log2(3·2/1) twice.
    bits = 2 * (2 / 6 * math.log2(1.5) + 1 / 6 * math.log2(6))
    assert variation_of_information(A, B) == pytest.approx([bits])


def test_levels_and_flat_labels() -> None:
    tree = np.hstack([A, [[0], [0], [1], [2], [3], [3]]])
    for measure in (ari, variation_of_information, binder_loss):
        flat = measure(tree, ["x", "x", "y", "y", "z", "z"])
        np.testing.assert_array_equal(flat, [measure(tree[:, [level]], B)[0] for level in (0, 1)])


def test_one_item() -> None:
    assert ari([[0, 0]], [[1, 1]]).tolist() == [1.0, 1.0]
    assert variation_of_information([[0]], [[5]]).tolist() == [0.0]
    assert binder_loss([[0]], [[5]]).tolist() == [0.0]


@quick
@given(several_trees(2, 2))
def test_definitions(pair: Paths) -> None:
    a, b = pair
    assert binder_loss(a, b) == pytest.approx(reference_binder(a, b))
    assert variation_of_information(a, b) == pytest.approx(reference_vi(a, b), abs=1e-12)
    scores = [sklearn_metrics.adjusted_rand_score(x, y) for x, y in zip(a.T, b.T, strict=True)]
    assert ari(a, b) == pytest.approx(scores)
    if len(a) > 1:
        rand = [sklearn_metrics.rand_score(x, y) for x, y in zip(a.T, b.T, strict=True)]
        assert 1 - binder_loss(a, b) == pytest.approx(rand)


@quick
@given(several_trees(2, 2), st.integers(0, 2**32))
def test_invariance_to_labels_and_order(pair: Paths, seed: int) -> None:
    a, b = pair
    order = np.random.default_rng(seed).permutation(len(a))
    for measure in (ari, variation_of_information, binder_loss):
        value = pytest.approx(measure(a, b), abs=1e-12)
        assert measure(relabel(a, seed), b) == value
        assert measure(a, relabel(b, seed)) == value
        assert measure(a[order], b[order]) == value
        assert measure(b, a) == value


@quick
@given(several_trees(3, 3), st.integers(0, 2**32))
def test_metrics_and_ranges(three: Paths, seed: int) -> None:
    a, b, c = three
    n_items = len(a)
    equal = [reference_binder(a, b)[level] == 0 for level in range(a.shape[1])]
    assert (ari(a, relabel(a, seed)) == 1).all()
    assert (ari(a, b) <= 1).all()
    assert ((ari(a, b) == 1) == equal).all()
    for loss, largest in ((variation_of_information, math.log2(n_items)), (binder_loss, 1.0)):
        assert (loss(a, relabel(a, seed)) == 0).all()
        assert ((loss(a, b) == 0) == equal).all()
        assert (loss(a, b) >= 0).all()
        assert (loss(a, b) <= largest + 1e-12).all()
        assert (loss(a, c) <= loss(a, b) + loss(b, c) + 1e-12).all()


def test_random_partitions_have_index_zero_on_average() -> None:
    rng = np.random.default_rng(0)
    values = [ari(rng.integers(4, size=(50, 1)), rng.integers(4, size=50))[0] for _ in range(400)]
    # The standard error is estimated from the values; fixed seed, level 0.0001.
    assert abs(np.mean(values)) < 3.9 * np.std(values) / 20
