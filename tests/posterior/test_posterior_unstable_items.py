"""Uncertain items: entropies and co-clustering shares against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import Paths, quick, several_trees
from posterior.brute_force import Clade, clades_at, draws_and_tree, jaccard, relabel_and_shuffle
from rbhmc import Tree
from rbhmc.draws import blocks
from rbhmc.metrics import co_occurrence
from rbhmc.posterior import coclustering_share, unstable_items


def reference_shares(tree: Tree, draws: Paths, level: int) -> list[dict[Clade, float]]:
    """For each item, the share of draws in which its node matches each node of the tree."""
    # The nodes of the level, in the order of the tree: parents first, siblings by size.
    of_level = clades_at(tree.paths.astype(np.int64), level)
    nodes = [items for node in tree if (items := frozenset(node.items.tolist())) in of_level]
    found: list[dict[Clade, float]] = [{} for _ in range(draws.shape[1])]
    for draw in draws:
        for other in clades_at(draw, level):
            best = max(nodes, key=lambda node, other=other: jaccard(node, other))  # type: ignore[misc]
            for item in other:
                found[item][best] = found[item].get(best, 0.0) + 1 / len(draws)
    return found


@quick
@given(draws_and_tree(), st.integers(0, 2**32))
def test_entropies_agree_with_the_definition(case: tuple[Paths, Paths], seed: int) -> None:
    draws, paths = case
    tree = Tree.from_labels(paths)
    found = unstable_items(draws, tree)
    for level in range(1, tree.n_levels + 1):
        for item, shares in enumerate(reference_shares(tree, draws, level)):
            expected = -sum(share * math.log2(share) for share in shares.values())
            assert found.entropy[item, level - 1] == pytest.approx(expected, abs=1e-8)
    means = [row.entropy for row in found.rows]
    assert means == sorted(means, reverse=True)
    assert sorted(row.item for row in found.rows) == list(range(tree.n_items))
    for row in found.rows:
        assert row.entropy == pytest.approx(found.entropy[row.item].mean(), abs=1e-8)
        assert found.entropy[row.item, row.level - 1] == found.entropy[row.item].max()
        shares = reference_shares(tree, draws, row.level)[row.item]
        home = frozenset(tree.node(row.home).items.tolist())
        assert row.home_share == pytest.approx(shares.get(home, 0.0))
        others = [share for node, share in shares.items() if node != home]
        assert row.other_share == pytest.approx(max(others, default=0.0))
        assert (row.other is None) == (not others)
    again = unstable_items(relabel_and_shuffle(draws, seed), tree)
    np.testing.assert_array_equal(again.entropy, found.entropy)
    assert [row[:5] for row in again.rows] == [row[:5] for row in found.rows]
    for level in range(1, tree.n_levels + 1):
        at_level = found.at_level(level)
        assert [row.entropy for row in at_level] == sorted(found.entropy[:, level - 1])[::-1]
        assert {row.level for row in at_level} == {level}


@quick
@given(several_trees(1, 1), st.integers(1, 5))
def test_every_item_is_stable_if_all_draws_agree(draws: Paths, times: int) -> None:
    found = unstable_items(np.repeat(draws, times, axis=0), Tree.from_labels(draws[0]))
    assert not found.entropy.any()
    assert {row.home_share for row in found.rows} == {1.0}
    assert "every draw" in str(found)


def test_a_small_case_by_hand() -> None:
    names = ["ant", "bee", "cat", "dog", "elk", "fox"]
    one = [[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 1]]
    other = [[0, 0], [0, 0], [1, 1], [1, 1], [1, 1], [1, 1]]
    tree = Tree.from_labels(one, names=names)
    found = unstable_items([one, other], tree)
    assert found.rows[0] == (2, "cat", 1.0, 1, "1", 0.5, "2", 0.5)
    assert found.entropy[2].tolist() == [1.0, 1.0]
    assert str(found).splitlines()[0] == "cat  1.00 bits  level 1: 1 50%, 2 50%"
    assert repr(found) == "UnstableItems(6 items, 0.167 bits on average)"
    frame = found.to_pandas()
    assert frame["name"].tolist() == ["cat", "ant", "bee", "dog", "elk", "fox"]
    assert frame.columns.tolist() == [
        "item",
        "name",
        "entropy",
        "level",
        "home",
        "home_share",
        "other",
        "other_share",
        "level 1",
        "level 2",
    ]
    assert frame["level 2"].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert frame["other"].dropna().tolist() == ["2"]


def test_a_long_table_is_truncated() -> None:
    rng = np.random.default_rng(0)
    draws = rng.integers(2, size=(20, 50, 1))
    text = str(unstable_items(draws, Tree.from_labels(draws[0])))
    assert len(text.splitlines()) == 22
    assert "+30 more" in text


@pytest.mark.parametrize("block", [1, 50, 2**18])
def test_the_share_is_the_mean_co_occurrence_within_the_node(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_LABELS", block)
    monkeypatch.setattr(blocks, "MIN_BLOCK_DRAWS", 1)
    rng = np.random.default_rng(4)
    draws = rng.integers(0, 5, size=(37, 12))
    draws[:, 11] = np.where(rng.random(37) < 0.4, 9, 2)
    nodes = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 1, 4])
    together = co_occurrence(draws[:, :, None], 1)
    np.fill_diagonal(together, 0.0)
    found = coclustering_share(draws[:, :, None], Tree.from_labels(nodes[:, None]))[:, 0]
    for item, node in enumerate(nodes):
        others = np.flatnonzero((nodes == node) & (np.arange(12) != item))
        alone = [(draw == draw[item]).sum() == 1 for draw in draws]
        expected = together[item, others].mean() if len(others) else np.mean(alone)
        assert found[item] == pytest.approx(expected, abs=1e-12)


def test_the_share_of_many_items_needs_no_matrix_of_pairs() -> None:
    # The matrix would take 20 GB.
    nodes = np.arange(50_000) // 3
    draws = np.stack([nodes, np.arange(50_000), np.zeros(50_000, int)])
    found = coclustering_share(draws[:, :, None], Tree.from_labels(nodes[:, None]))[:, 0]
    np.testing.assert_allclose(found[:-2], 2 / 3)
