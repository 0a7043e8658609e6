"""Co-occurrence of items, and singular trees."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import Paths, quick, random_draws, relabel, several_trees
from rbhmc.metrics import co_occurrence, is_singular, partitions


def test_co_occurrence_by_hand() -> None:
    # Items 0 and 1 share the node in draws 1 and 2, 1 and 2 in draws 2 and 3, 0 and 2 in draw 2.
    draws = [[[0], [0], [1]], [[4], [4], [4]], [[0], [1], [1]]]
    expected = np.array([[3, 2, 1], [2, 3, 2], [1, 2, 3]]) / 3
    found = co_occurrence(draws, 1)
    np.testing.assert_allclose(found, expected)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(co_occurrence(np.reshape(draws, (3, 1, 3, 1)), -1), found)


@quick
@given(several_trees(1, 6), st.integers(0, 2**32))
def test_properties_of_co_occurrence(draws: Paths, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(draws.shape[1])
    above = np.ones((draws.shape[1], draws.shape[1]))
    for level in range(1, draws.shape[2] + 1):
        shared = co_occurrence(draws, level)
        column = draws[:, :, level - 1]
        np.testing.assert_allclose(shared, (column[:, :, None] == column[:, None]).mean(axis=0))
        np.testing.assert_array_equal(shared, shared.T)
        np.testing.assert_array_equal(np.diagonal(shared), 1.0)
        assert ((shared >= 0) & (shared <= above)).all()
        other = np.stack([relabel(tree, seed) for tree in draws])
        np.testing.assert_array_equal(co_occurrence(other, level), shared)
        np.testing.assert_array_equal(
            co_occurrence(draws[:, order], level), shared[np.ix_(order, order)]
        )
        np.testing.assert_array_equal(co_occurrence(draws[::-1], level), shared)
        above = shared


def test_more_draws_than_a_byte_counts() -> None:
    draws = random_draws(0, 1000, 5, 2)
    column = draws[:, :, 0]
    expected = (column[:, :, None] == column[:, None]).mean(axis=0)
    np.testing.assert_allclose(co_occurrence(draws, 1), expected)
    np.testing.assert_array_equal(co_occurrence(np.zeros((300, 2, 1), int), 1), 1.0)


def test_memory_is_one_matrix() -> None:
    n_items, n_draws = 2000, 30
    draws = np.random.default_rng(0).integers(9, size=(n_draws, n_items, 1), dtype=np.int32)
    tracemalloc.start()
    co_occurrence(draws, 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    matrix = 8 * n_items**2
    assert matrix < peak < 1.5 * matrix < n_draws * n_items**2


def test_a_large_matrix_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "WARN_FROM_ITEMS", 999)
    with pytest.warns(UserWarning, match=r"1,000 items takes 0\.0 GB"):
        co_occurrence(np.zeros((1, 1000, 1), int), 1)
    monkeypatch.setattr(partitions, "WARN_FROM_ITEMS", 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        co_occurrence(np.zeros((1, 1000, 1), int), 1)


def test_singular_by_hand() -> None:
    assert is_singular([[3, 7], [3, 7], [3, 7]]) is True
    # One node at level 1, two at level 2; two at both.
    assert is_singular([[3, 7], [3, 7], [3, 8]]) is False
    assert is_singular([[3, 7], [3, 7], [4, 8]]) is False
    assert is_singular([[0]]) is True


@quick
@given(several_trees(1, 6))
def test_singular_trees_have_one_node_at_each_level(draws: Paths) -> None:
    expected = [
        all(len(np.unique(tree[:, level])) == 1 for level in range(tree.shape[1])) for tree in draws
    ]
    np.testing.assert_array_equal(is_singular(draws), expected)
    np.testing.assert_array_equal(is_singular(draws[:, None]), np.reshape(expected, (-1, 1)))
