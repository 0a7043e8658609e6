"""Similarity of items to groups: against the similarity of all pairs."""

import numpy as np
import pytest
from hypothesis import given

import rbhmc
from metrics.trees import Paths, quick
from posterior.brute_force import draws_and_tree
from rbhmc import InvalidInput, Tree
from rbhmc.posterior import group_similarity, item_uncertainty
from rbhmc.posterior.similarity import similarity


def check(draws: object, tree: Tree) -> None:
    """Compare with the means of the similarities of all pairs."""
    pairs = similarity(draws, np.arange(tree.n_items))  # type: ignore[arg-type]
    s = pairs.all / pairs.n_all
    groups = tree.leaves
    found = group_similarity(draws, groups)  # type: ignore[arg-type]
    for item in range(tree.n_items):
        home = int(tree.leaf_labels[item])
        others = groups[home].items[groups[home].items != item]
        assert found.own[item] == pytest.approx(s[item, others].mean() if len(others) else 1.0)
        means = {
            number: s[item, group.items].mean()
            for number, group in enumerate(groups)
            if number != home
        }
        if not means:
            assert (found.other[item], found.other_similarity[item]) == (-1, 0.0)
            continue
        assert found.other_similarity[item] == pytest.approx(max(means.values()))
        assert means[int(found.other[item])] == pytest.approx(max(means.values()))
    assert ((found.uncertainty >= 0.0) & (found.uncertainty <= 1.0)).all()


@quick
@given(draws_and_tree())
def test_means_of_all_pairs(case: tuple[Paths, Paths]) -> None:
    draws, paths = case
    check(draws, Tree.from_labels(paths))


def test_components_count_as_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.repeat([[0.0, 0.0], [4.0, 0.0]], 6, axis=0)
    X += np.random.default_rng(0).normal(size=X.shape)
    model = rbhmc.RBHMC(n_chains=2, n_warmup=10, n_draws=5, random_state=0).fit(X)
    tree = Tree.from_labels(np.arange(12)[:, None] // 4)
    check(model.draws_, tree)
    # Blocks of a few items give the same.
    whole = group_similarity(model.draws_, tree.leaves)
    monkeypatch.setattr(item_uncertainty, "BLOCK_SIMILARITIES", 8)
    for one, other in zip(whole, group_similarity(model.draws_, tree.leaves), strict=True):
        assert np.array_equal(one, other)


def test_a_certain_item_and_one_between_two_groups() -> None:
    one, other = [[0], [0], [0], [1], [1]], [[0], [0], [1], [1], [1]]
    tree = Tree.from_labels(one)
    assert group_similarity([one] * 4, tree.leaves).uncertainty.tolist() == [0.0] * 5
    found = group_similarity([one, other] * 2, tree.leaves).uncertainty
    assert found.argmax() == 2
    assert found[2] == 1.0


def test_groups_that_are_not_a_partition_are_refused() -> None:
    tree = Tree.from_labels([[0], [0], [1]])
    for groups in (tree.leaves[:1], tree.nodes):
        with pytest.raises(InvalidInput, match="must hold each of the 3 items of the draws once"):
            group_similarity([[[0], [0], [1]]], groups)
