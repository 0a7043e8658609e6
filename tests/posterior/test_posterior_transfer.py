"""Transfer distances and supports against their definitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import Paths, quick, random_draws, several_trees
from posterior.brute_force import clades
from posterior.hierarchies import Parents, hierarchies, items_of_entries
from rbhmc import _core
from rbhmc.posterior.support import nested_support, transfer_support
from rbhmc.tree.labels import as_labels


@st.composite
def draws_and_hierarchy(draw: st.DrawFn) -> tuple[Paths, Parents]:
    draws = draw(several_trees(1, 5))
    return draws, draw(hierarchies(draws.shape[1]))


def reference_distances(parents: Parents, draws: Paths) -> list[list[int]]:
    n_items = draws.shape[1]
    singles = {frozenset([item]) for item in range(n_items)}
    sets = items_of_entries(parents, n_items)[n_items:]
    return [[min(len(a ^ b) for b in clades(draw) | singles) for a in sets] for draw in draws]


@quick
@given(draws_and_hierarchy())
def test_distances_are_the_least_over_all_nodes(case: tuple[Paths, Parents]) -> None:
    draws, parents = case
    found = _core.transfer_distances(parents, as_labels(draws))
    assert found.dtype == np.uint32
    assert found.tolist() == reference_distances(parents, draws)


def test_distances_of_a_larger_tree() -> None:
    draws = random_draws(3, 20, 60, 4)
    parents = _core.average_linkage(np.full((60, 60), 1, np.uint32), 2)
    merged = np.full(119, -1, np.int32)
    for row, (left, right) in enumerate(parents[:, :2].astype(int)):
        merged[[left, right]] = 60 + row
    found = _core.transfer_distances(merged, as_labels(draws))
    assert found.tolist() == reference_distances(merged, draws)


def test_supports_by_hand() -> None:
    # 99 of 100 items whose node recurs: near to it, but no node of their own.
    distances, sizes = np.ones((7, 1), np.uint32), np.array([99])
    np.testing.assert_allclose(transfer_support(distances, sizes), 97 / 98)
    assert nested_support(distances, sizes, np.array([100])) == 0.0
    # A distance beyond the parent counts as 1.
    assert nested_support(2 * distances, sizes, np.array([100])) == 0.0
    assert nested_support(0 * distances, sizes, np.array([100])) == 1.0
    assert transfer_support(0 * distances, np.array([1])) == 1.0
