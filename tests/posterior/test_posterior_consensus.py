"""Majority-rule and greedy consensus trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import Paths, quick, random_draws, several_trees
from posterior.brute_force import Clade, clades, clades_of_tree, relabel_and_shuffle, shares
from rbhmc import Tree
from rbhmc.posterior import consensus


def nodes(tree: Tree) -> list[list[int]]:
    return [node.items.tolist() for node in tree]


def test_consensus_by_hand() -> None:
    # {0,1} and {2} in all; {0,1,2}, {3} and {4} in two of three; {3,4} and {2,3,4} in one.
    draws = [
        [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]],
        [[0, 0], [0, 0], [0, 1], [1, 2], [2, 3]],
        [[0, 0], [0, 0], [1, 1], [1, 2], [1, 3]],
    ]
    tree = consensus(draws)
    assert nodes(tree) == [[0, 1, 2, 3, 4], [0, 1, 2], [0, 1], [2], [3], [4]]
    supports = [node.support for node in tree]
    assert supports == pytest.approx([1.0, 2 / 3, 1.0, 1.0, 2 / 3, 2 / 3])
    # Above 0.7 only {0,1} and {2} are left; items in no clade are leaves of their own.
    strict = consensus(draws, threshold=0.7)
    assert nodes(strict) == [[0, 1, 2, 3, 4], [0, 1], [2], [3], [4]]
    assert [node.support for node in strict] == [1.0, 1.0, 1.0, None, None]
    # {3,4} is compatible with all; {2,3,4} is incompatible with {0,1,2}.
    greedy = consensus(draws, greedy=True)
    assert nodes(greedy) == [[0, 1, 2, 3, 4], [0, 1, 2], [0, 1], [2], [3, 4], [3], [4]]


def compatible(a: Clade, b: Clade) -> bool:
    return not a & b or a <= b or b <= a


@quick
@given(several_trees(1, 7), st.sampled_from([0.5, 0.6, 0.9]), st.integers(0, 2**32))
def test_the_consensus_has_the_clades_of_most_draws(
    draws: Paths, threshold: float, seed: int
) -> None:
    tree = consensus(draws, threshold=threshold)
    n_items = draws.shape[1]
    found, expected = clades_of_tree(tree), shares(draws)
    wanted = {clade for clade, share in expected.items() if share > threshold}
    assert wanted <= found
    # All other nodes are single items.
    assert all(len(clade) == 1 for clade in found - wanted)
    for node in tree:
        items = frozenset(node.items.tolist())
        assert node.support == (pytest.approx(expected[items]) if items in wanted else None)
    assert tree.n_items == n_items
    assert consensus(relabel_and_shuffle(draws, seed), threshold=threshold) == tree
    assert consensus(draws[None], threshold=threshold) == tree


@quick
@given(several_trees(1, 7), st.integers(0, 2**32))
def test_greedy_takes_the_most_frequent_compatible_clades(draws: Paths, seed: int) -> None:
    tree = consensus(draws, threshold=0.0, greedy=True)
    n_items = draws.shape[1]
    ranked = sorted(
        shares(draws).items(), key=lambda each: (-each[1], -len(each[0]), sorted(each[0]))
    )
    taken: list[Clade] = []
    for clade, _ in ranked:
        if len(clade) < n_items and all(compatible(clade, other) for other in taken):
            taken.append(clade)
    found = clades_of_tree(tree) - {frozenset(range(n_items))}
    assert set(taken) <= found
    assert all(len(clade) == 1 for clade in found - set(taken))
    assert clades_of_tree(consensus(draws)) <= clades_of_tree(tree) | {
        frozenset({n}) for n in range(n_items)
    }
    assert consensus(relabel_and_shuffle(draws, seed), threshold=0.0, greedy=True) == tree


@quick
@given(several_trees(1, 1), st.integers(1, 4), st.booleans())
def test_the_consensus_of_equal_draws_is_their_tree(draws: Paths, times: int, greedy: bool) -> None:
    tree = consensus(np.repeat(draws, times, axis=0), greedy=greedy)
    assert clades_of_tree(tree) == clades(draws[0])
    assert {node.support for node in tree} == {1.0}


def test_greedy_leaves_out_rare_clades() -> None:
    common, rare = [[0], [0], [1], [1], [2]], [[0], [1], [2], [3], [3]]
    tree = consensus([common] * 96 + [rare] * 4, greedy=True)
    assert clades_of_tree(tree) == clades(np.array(common))
    assert frozenset({3, 4}) in clades_of_tree(
        consensus([rare] * 6 + [[[0]] * 5] * 94, greedy=True)
    )


def test_the_consensus_of_two_equally_likely_trees() -> None:
    one = [[0, 0], [0, 1], [1, 2], [1, 3]]
    other = [[0, 0], [1, 1], [1, 2], [0, 3]]
    tree = consensus([one, other])
    # The single items are nodes of both; {0,1}, {2,3} and the others of one each.
    assert clades_of_tree(tree) == {frozenset(range(4)), *(frozenset({n}) for n in range(4))}
    assert {node.support for node in tree} == {1.0}


def test_the_consensus_of_diverse_draws_is_unresolved() -> None:
    draws = random_draws(3, 200, 30, 2)
    tree = consensus(draws)
    assert tree.n_items == 30
    assert all(node.support is None or node.support > 0.5 for node in tree)
