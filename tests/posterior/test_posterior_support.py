"""Support of nodes against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import Paths, quick, several_trees
from posterior.brute_force import clades, draws_and_tree, relabel_and_shuffle
from rbhmc import Tree
from rbhmc.posterior import support
from rbhmc.posterior.support import Support


def test_supports_by_hand() -> None:
    # Levels 1 and 2: {0,1,2},{3} and {0,1},{2},{3}; {0,1},{2,3} twice; all, and {0,1,2},{3}.
    draws = [
        [[0, 0], [0, 0], [0, 1], [1, 2]],
        [[0, 0], [0, 0], [1, 1], [1, 1]],
        [[0, 0], [0, 0], [0, 0], [0, 1]],
    ]
    found = support(Tree.from_labels(draws[0]), draws)
    assert set(found) == {"root", "1", "1.1", "1.2", "2"}
    assert found["root"] == (1.0, 1.0)
    # {0,1,2}: in draws 0 and 2; {0,1} and the root of draw 1 differ in one item.
    assert found["1"] == pytest.approx((1 - 1 / 2 / 3, 2 / 3))
    # {0,1}: in draws 0 and 1; {0,1,2}, {0} and {1} differ in one item.
    assert found["1.1"] == pytest.approx((2 / 3, 2 / 3))
    # {2}: alone in draw 0 only. {3}: alone in draws 0 and 2.
    assert found["1.2"] == pytest.approx((1 / 3, 1 / 3))
    assert found["2"] == pytest.approx((2 / 3, 2 / 3))


def reference_support(tree: Tree, draws: Paths) -> dict[str, Support]:
    singles = {frozenset([item]) for item in range(tree.n_items)}
    found = {}
    for node in tree:
        items = frozenset(node.items.tolist())
        exact = float(np.mean([items in clades(draw) for draw in draws]))
        transfer = exact
        if len(items) > 1:
            distances = [min(len(items ^ b) for b in clades(draw) | singles) for draw in draws]
            transfer = 1.0 - float(np.mean(distances)) / (len(items) - 1)
        found[node.id] = Support(transfer, exact)
    return found


@quick
@given(draws_and_tree(), st.integers(0, 2**32))
def test_definition(case: tuple[Paths, Paths], seed: int) -> None:
    draws, paths = case
    tree = Tree.from_labels(paths)
    found = support(tree, draws)
    expected = reference_support(tree, draws)
    assert found.keys() == expected.keys()
    for id, each in found.items():
        assert each == pytest.approx(expected[id], abs=1e-12)
        assert each.exact <= each.transfer + 1e-12
    assert found["root"] == (1.0, 1.0)
    again = support(tree, relabel_and_shuffle(draws, seed))
    for id, each in found.items():
        assert again[id] == pytest.approx(each, abs=1e-12)
    assert support(tree, draws[:, None]) == found


@quick
@given(several_trees(1, 1), st.integers(1, 5))
def test_equal_draws_give_full_support(draws: Paths, times: int) -> None:
    repeated = np.repeat(draws, times, axis=0)
    found = support(Tree.from_labels(draws[0]), repeated)
    assert set(found.values()) == {(1.0, 1.0)}


def test_two_equally_likely_trees_recur_in_one_half() -> None:
    one = [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]]
    other = [[0, 0], [1, 1], [0, 0], [1, 1], [1, 2]]
    for tree in (one, other):
        found = support(Tree.from_labels(tree), [one, other] * 3)
        assert {each.exact for id, each in found.items() if id != "root"} == {0.5}


def test_the_numbers_of_levels_may_differ() -> None:
    found = support(Tree.from_labels([[0], [0], [1]]), [[[0, 0], [0, 0], [1, 1]]])
    assert found["1"] == (1.0, 1.0)
