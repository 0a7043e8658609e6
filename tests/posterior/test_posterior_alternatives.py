"""Camps of chains: found where there are two answers, and not where there is one."""

import importlib
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

import rbhmc
from rbhmc.posterior import alternatives
from rbhmc.posterior.alternatives import chain_distances, find_camps, mean_silhouette

FIRST, SECOND = np.repeat([0, 1, 0, 1], 8), np.repeat([0, 0, 1, 1], 8)


def crossed_chains(n_by_first: int, n_by_second: int, *, share: float, seed: int = 0) -> Any:
    """Return chains that divide by one trait and then by the other; a share of items is astray."""
    rng = np.random.default_rng(seed)
    chains = []
    for chain in range(n_by_first + n_by_second):
        traits = (FIRST, SECOND) if chain < n_by_first else (SECOND, FIRST)
        draws = []
        for _ in range(10):
            wrong = rng.random((2, 32)) < share
            top, below = (
                np.where(astray, rng.integers(0, 2, 32), trait)
                for trait, astray in zip(traits, wrong, strict=True)
            )
            draws.append(np.stack([top, 2 * top + below], axis=1))
        chains.append(draws)
    return np.array(chains)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1])
def test_two_hierarchies_are_two_answers(share: float) -> None:
    """Either trait may come first: no tree has both divisions at its top."""
    found = alternatives(crossed_chains(9, 7, share=share))
    assert [each.chains for each in found] == [tuple(range(9)), tuple(range(9, 16))]
    assert [each.weight for each in found] == [9 / 16, 7 / 16]
    assert [each.n_draws for each in found] == [90, 70]
    for each, trait in zip(found, (FIRST, SECOND), strict=True):
        top = {tuple(node.items.tolist()) for node in each.tree.nodes_at(1)}
        assert top == {tuple(np.flatnonzero(trait == side).tolist()) for side in (0, 1)}
        supports = [each.tree.node(id).support for id in each.tree.root.children]
        assert min(share for share in supports if share is not None) > 0.8


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_one_hierarchy_is_one_answer(share: float) -> None:
    (found,) = alternatives(crossed_chains(16, 0, share=share))
    assert (found.weight, found.n_draws, found.chains) == (1.0, 160, tuple(range(16)))


def test_one_chain_apart_is_no_camp() -> None:
    assert len(alternatives(crossed_chains(15, 1, share=0.1))) == 1
    assert len(alternatives(crossed_chains(1, 0, share=0.1))) == 1
    assert len(alternatives(crossed_chains(1, 0, share=0.1)[0])) == 1


def test_three_camps() -> None:
    both = crossed_chains(6, 6, share=0.1)
    four = np.repeat([0, 1, 2, 3], 8)[None, None, :, None] * np.ones((4, 10, 1, 2), int)
    found = alternatives(np.concatenate([both, four]))
    assert sorted(len(each.chains) for each in found) == [4, 6, 6]


def test_the_silhouette_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(16, 3))
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    camps = np.repeat([0, 1, 2], [6, 5, 5])
    expected = silhouette_score(distances, camps, metric="precomputed")
    assert mean_silhouette(distances, camps) == pytest.approx(expected)
    # Points without groups are no camps.
    assert not find_camps(distances).any()


def test_distances_of_a_sample_of_items(monkeypatch: pytest.MonkeyPatch) -> None:
    chains = crossed_chains(2, 2, share=0.1)
    whole = chain_distances(chains)
    module = importlib.import_module("rbhmc.posterior.alternatives")
    monkeypatch.setattr(module, "MAX_COMPARED_ITEMS", 16)
    sampled = chain_distances(chains)
    assert sampled == pytest.approx(whole, abs=0.1)
    assert not np.array_equal(sampled, whole)


def test_groups_that_one_level_cannot_show_are_several_answers() -> None:
    """Four groups at the corners of a square, one level: some chains merge two of them."""
    rng = np.random.default_rng(0)
    corners = np.array([[0.0, 0.0], [0.0, 8.0], [8.0, 0.0], [8.0, 8.0]])
    X = np.repeat(corners, 25, axis=0) + rng.normal(size=(100, 2))
    names = [f"item {i}" for i in range(100)]
    model = rbhmc.RBHMC(n_levels=1, random_state=2).fit(X, names=names)
    found = model.alternatives()
    assert len(found) > 1
    assert sum(each.weight for each in found) == pytest.approx(1.0)
    assert sorted(chain for each in found for chain in each.chains) == list(range(16))
    assert found[0].tree.names == tuple(names)
    # With the default levels there is one answer, which the model presents.
    model = rbhmc.RBHMC(random_state=0).fit(X)
    (only,) = model.alternatives()
    assert only.tree is model.tree_
