"""AID and AOD: by hand, against their definitions, and their invariances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from metrics.trees import (
    Paths,
    quick,
    random_draws,
    reference_aid,
    reference_aod,
    relabel,
    trees_with_items,
)
from rbhmc.metrics import aid, aod

Floats = NDArray[np.float64]

# A line of six points, and a tree of two levels:
#   level 1: A = {0, 1, 4}, B = {10, 20, 21}
#   level 2: A splits into a = {0, 1} and b = {4}; B splits into c = {10} and d = {20, 21}
LINE = np.array([[0.0], [1.0], [4.0], [10.0], [20.0], [21.0]])
TREE = np.array([[0, 0], [0, 0], [0, 1], [1, 2], [1, 3], [1, 3]])


def test_aid_by_hand() -> None:
    # A: pairs 1, 16, 9, mean 26/3. B: pairs 100, 121, 1, mean 74. a: 1. b: 0. c: 0. d: 1.
    assert aid(LINE, TREE) == pytest.approx((26 / 3 + 74 + 1 + 0 + 0 + 1) / 6)
    assert aid(LINE, TREE, singletons="skip") == pytest.approx((26 / 3 + 74 + 1 + 1) / 4)
    assert aid(LINE, TREE, level=1) == pytest.approx((26 / 3 + 74) / 2)
    assert aid(LINE, TREE, level=2) == aid(LINE, TREE, level=-1) == pytest.approx(0.5)
    assert aid(LINE, TREE, level=2, singletons="skip") == pytest.approx(1.0)


def test_aod_by_hand() -> None:
    # (A, B): centres 5/3 and 17, 46/3 apart. (a, b): centres 0.5 and 4. (c, d): 10 and 20.5.
    # a and c are not siblings.
    top = (46 / 3) ** 2
    assert aod(LINE, TREE) == pytest.approx((top + 3.5**2 + 10.5**2) / 3)
    assert aod(LINE, TREE, level=1) == pytest.approx(top)
    assert aod(LINE, TREE, level=2) == pytest.approx((3.5**2 + 10.5**2) / 2)
    # b and c have one item each.
    assert aod(LINE, TREE, singletons="skip") == pytest.approx(top)
    assert math.isnan(aod(LINE, TREE, singletons="skip", level=2))


def test_the_distance_is_squared_euclidean() -> None:
    assert aid([[0, 0], [3, 4]], [[0], [0]]) == 25.0
    assert aod([[0, 0], [3, 4]], [[0], [1]]) == 25.0


def test_one_path_has_no_outer_distance_and_one_item_no_inner() -> None:
    assert math.isnan(aod(LINE, np.zeros((6, 3), dtype=int)))
    assert aid([[1.0]], [[0, 0]]) == 0.0
    assert math.isnan(aid([[1.0]], [[0, 0]], singletons="skip"))


def test_a_chain_counts_at_every_level() -> None:
    # {0, 1} at both levels, {4} and {9} at level 2 below {4, 9}: (1 + 1 + 25 + 0 + 0) / 5.
    X, tree = [[0], [1], [4], [9]], [[0, 0], [0, 0], [1, 1], [1, 2]]
    assert aid(X, tree) == pytest.approx(27 / 5)


@quick
@given(trees_with_items(), st.sampled_from(["zero", "skip"]), st.integers(0, 4))
def test_definitions(problem: tuple[Paths, Floats], singletons: str, level: int) -> None:
    paths, X = problem
    at = min(level, paths.shape[1]) or None
    for fast, slow in ((aid, reference_aid), (aod, reference_aod)):
        value = fast(X, paths, singletons=singletons, level=at)  # type: ignore[arg-type]
        assert value == pytest.approx(slow(X, paths, singletons, at), nan_ok=True)


@quick
@given(trees_with_items(), st.integers(0, 2**32))
def test_invariance_to_labels_order_and_shift(problem: tuple[Paths, Floats], seed: int) -> None:
    paths, X = problem
    order = np.random.default_rng(seed).permutation(len(paths))
    for measure in (aid, aod):
        value = measure(X, paths)
        same = pytest.approx(value, nan_ok=True)
        assert measure(X, relabel(paths, seed)) == same
        assert measure(X[order], paths[order]) == same
        assert measure(X - 100.0, paths) == same
        assert measure(3.0 * X, paths) == pytest.approx(9.0 * np.array(value), nan_ok=True)
        assert not value < 0


@pytest.mark.parametrize("shape", [(40,), (2, 20)])
def test_draws_are_measured_one_by_one(shape: tuple[int, ...]) -> None:
    draws = random_draws(0, *shape, 7, 3)
    X = np.random.default_rng(1).normal(size=(7, 4))
    for measure in (aid, aod):
        values = measure(X, draws)
        each = [float(measure(X, draws[at])) for at in np.ndindex(shape)]
        np.testing.assert_allclose(values, np.reshape(each, shape))


def test_a_larger_table() -> None:
    rng = np.random.default_rng(0)
    X, leaf = rng.normal(size=(1500, 2)), rng.integers(12, size=1500)
    paths = np.stack([leaf // 4, leaf], axis=1)
    D = cdist(X, X, "sqeuclidean")
    inner = [D[np.ix_(z, z)].sum() / (len(z) * (len(z) - 1)) for z in groups(paths)]
    assert aid(X, paths) == pytest.approx(np.mean(inner))


def groups(paths: Paths) -> list[NDArray[np.intp]]:
    columns = [paths[:, level] for level in range(paths.shape[1])]
    return [np.flatnonzero(column == z) for column in columns for z in np.unique(column)]
