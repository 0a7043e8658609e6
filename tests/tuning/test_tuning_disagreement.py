"""Disagreement of trees: known values and invariances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbhmc.tuning import disagreement


@st.composite
def two_trees(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n_items = draw(st.integers(2, 12))
    n_levels = draw(st.integers(1, 3))
    labels = st.lists(st.integers(0, 3), min_size=n_items, max_size=n_items)
    trees = []
    for _ in range(2):
        columns = np.array(draw(st.lists(labels, min_size=n_levels, max_size=n_levels))).T
        # A node is a path of labels, so each level refines the level above.
        paths = [
            np.unique(columns[:, : k + 1], axis=0, return_inverse=True)[1] for k in range(n_levels)
        ]
        trees.append(np.column_stack(paths))
    return trees[0], trees[1]


@given(two_trees())
def test_it_is_symmetric_from_0_to_1_and_ignores_node_numbers(trees) -> None:  # type: ignore[no-untyped-def]
    a, b = trees
    value = disagreement(a, b)
    assert 0.0 <= value <= 1.0 + 1e-12
    assert disagreement(b, a) == pytest.approx(value, abs=1e-12)
    assert disagreement(7 - a, b + 3) == pytest.approx(value, abs=1e-12)
    order = np.arange(len(a))[::-1]
    assert disagreement(a[order], b[order]) == pytest.approx(value, abs=1e-12)


def test_a_value_computed_by_hand() -> None:
    # H(a) = 1, H(b) = 1.5, H(a, b) = 1.5: VI = 0.5, a third of H(a, b).
    a, b = [[0], [0], [1], [1]], [[0], [0], [1], [2]]
    assert disagreement(a, b) == pytest.approx(1 / 3)


def test_uninformative_levels_count_as_disagreement() -> None:
    alone = [[0, 0], [0, 1], [0, 2], [0, 3]]
    assert disagreement(alone, alone) == 1.0
    half = [[0, 0], [0, 0], [1, 1], [1, 1]]
    assert disagreement(half, half) == 0.0
    assert disagreement([[0, 0], [0, 0], [0, 1], [0, 1]], half) == 0.5
