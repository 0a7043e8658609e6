"""Selection of the presented draw, and expected losses."""

import math
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbhmc
from diagnostics.runs import make_run
from metrics.trees import Paths, quick, random_draws, relabel, several_trees
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.metrics import binder_loss, co_occurrence, variation_of_information
from rbhmc.posterior import selection
from rbhmc.posterior.selection import expected_loss, select

# Three items, one level: {0, 1}, {2} twice; {0}, {1, 2}; all together.
DRAWS = np.array([[[0], [1], [1]], [[0], [0], [1]], [[0], [0], [0]], [[0], [0], [1]]])
Loss = Literal["binder", "vi"]


def test_expected_binder_by_hand() -> None:
    # P(01) = 3/4, P(12) = 2/4, P(02) = 1/4.
    # {0, 1}, {2}: 1/4 + 2/4 + 1/4 = 1 of 3 pairs. {0}, {1, 2}: 3/4 + 2/4 + 1/4.
    # All together: 1/4 + 2/4 + 3/4.
    losses = expected_loss(DRAWS, DRAWS)
    assert losses == pytest.approx([1.5 / 3, 1 / 3, 1.5 / 3, 1 / 3])
    assert select(DRAWS, criterion="binder") == (0, 1)


def test_expected_vi_by_hand() -> None:
    # For t = {0, 1}, {2}: sizes 2 2 1. Overlap with P: 1 + 3/4 twice, then 1.
    # E log2 |T_i|: item 0 is in nodes of 1 2 3 2, item 1 of 2 2 3 2, item 2 of 2 1 3 1.
    drawn = ((2 + math.log2(3)) + (3 + math.log2(3)) + (1 + math.log2(3))) / 4
    bound = (2 + drawn - 2 * 2 * math.log2(1.75)) / 3
    assert expected_loss(DRAWS[1], DRAWS, loss="vi") == pytest.approx(bound)
    assert select(DRAWS, criterion="vi") == (0, 1)


def test_likelihoods() -> None:
    values = {
        "rcdll": np.array([-3.0, -np.inf, -1.0, -1.0]),
        "cdll": np.array([5.0, 7.0, 7.0, 6.0]),
    }
    for shape, by_rcdll, by_cdll in (((1, 4), (0, 2), (0, 1)), ((2, 2), (1, 0), (0, 1))):
        of_shape: dict[str, Any] = {name: each.reshape(shape) for name, each in values.items()}
        draws = make_run(DRAWS.reshape(*shape, 3, 1), **of_shape)
        assert select(draws, criterion="rcdll") == by_rcdll
        assert select(draws, criterion="cdll") == by_cdll


@quick
@given(several_trees(2, 7))
def test_expected_losses_are_means_over_the_draws(draws: Paths) -> None:
    for level in range(1, draws.shape[2] + 1):
        pairs = [[binder_loss(t, d)[level - 1] for d in draws] for t in draws]
        column = draws[:, :, [level - 1]]
        found = expected_loss(column, column)
        assert found == pytest.approx(np.mean(pairs, axis=1))
        vi = [[variation_of_information(t, d)[level - 1] for d in draws] for t in draws]
        bound = expected_loss(column, column, loss="vi")
        assert (bound <= np.mean(vi, axis=1) + 1e-9).all()
        overlap = co_occurrence(draws, level)
        for tree, value in zip(draws[:, :, level - 1], np.atleast_1d(bound), strict=True):
            same = tree[:, None] == tree
            sizes = [(draw[:, None] == draw).sum(axis=1) for draw in draws[:, :, level - 1]]
            terms = np.log2(same.sum(axis=1)) + np.log2(sizes).mean(axis=0)
            terms -= 2 * np.log2((overlap * same).sum(axis=1))
            assert value == pytest.approx(terms.mean(), abs=1e-9)
    losses: tuple[Loss, ...] = ("binder", "vi")
    for loss in losses:
        by_level = [
            np.array(expected_loss(draws[:, :, [level]], draws[:, :, [level]], loss=loss))
            for level in range(draws.shape[2])
        ]
        found = expected_loss(draws, draws, loss=loss)
        assert found == pytest.approx(np.mean(by_level, axis=0), abs=1e-9)


@quick
@given(several_trees(1, 8), st.sampled_from(["binder", "vi"]), st.integers(0, 2**32))
def test_the_least_expected_loss_is_selected(draws: Paths, loss: Loss, seed: int) -> None:
    losses = expected_loss(draws, draws, loss=loss)
    first = int(np.flatnonzero(losses <= np.min(losses) + 1e-12)[0])
    assert select(draws, criterion=loss) == (0, first)
    assert select(draws[:, None], criterion=loss) == (first, 0)
    other = np.stack([relabel(tree, seed) for tree in draws])
    assert select(other, criterion=loss) == (0, first)
    order = np.random.default_rng(seed).permutation(draws.shape[1])
    _, again = select(draws[:, order], criterion=loss)
    assert losses[again] == pytest.approx(losses[first], abs=1e-9)  # type: ignore[index]


@quick
@given(several_trees(1, 1), st.integers(1, 4))
def test_equal_draws_have_no_loss(draws: Paths, times: int) -> None:
    repeated = np.repeat(draws, times, axis=0)
    for criterion in ("binder", "vi"):
        assert select(repeated, criterion=criterion) == (0, 0)
    assert expected_loss(draws[0], repeated) == 0.0
    assert expected_loss(draws[0], repeated, loss="vi") == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("n_items", [1, 2])
@pytest.mark.parametrize("shape", [(1,), (5,), (1, 1), (3, 1), (1, 3), (2, 4)])
def test_few_items_draws_and_chains(n_items: int, shape: tuple[int, ...]) -> None:
    draws = random_draws(0, *shape, n_items, 2)
    flat = draws.reshape(-1, n_items, 2)
    last = shape[-1]
    for loss in ("binder", "vi"):
        chain, draw = select(draws, criterion=loss)
        losses = expected_loss(flat, flat, loss=loss)
        assert losses[chain * last + draw] == pytest.approx(np.min(losses))  # type: ignore[index]


def test_chains_are_pooled() -> None:
    together, apart = [[0], [0]], [[0], [1]]
    # Chain 0 has 2 of 3 together; all chains have 5 of 6 apart less one: 2 together, 4 apart.
    chains = np.array([[together, together, apart], [apart, apart, apart]])
    assert select(chains[:1]) == (0, 0)
    assert select(chains) == (0, 2)


def test_candidates_are_spaced_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = random_draws(5, 300, 12, 2)
    losses = np.array(expected_loss(draws, draws, loss="vi"))
    tried = np.linspace(0, 299, 7).round().astype(int)
    assert len(np.unique(draws.reshape(300, -1), axis=0)) == 300
    assert select(draws) == (0, int(np.argmin(losses)))
    for n_candidates, best in (
        (300, np.argmin(losses)),
        (7, tried[losses[tried].argmin()]),
        (1, 0),
    ):
        monkeypatch.setattr(selection, "MAX_CANDIDATES", n_candidates)
        assert select(draws) == (0, int(best))


@pytest.mark.parametrize("n_items", [33, 100])
@pytest.mark.parametrize("criterion", ["binder", "vi"])
def test_four_thousand_draws(n_items: int, criterion: Loss) -> None:
    draws = random_draws(1, 4, 1000, n_items, 3)
    chain, draw = select(draws, criterion=criterion)
    assert 0 <= chain < 4
    assert 0 <= draw < 1000


@quick
@given(several_trees(2, 7), st.sampled_from(["binder", "vi"]))
def test_trees_of_large_tables_are_compared_one_by_one(draws: Paths, loss: Loss) -> None:
    measure = binder_loss if loss == "binder" else variation_of_information
    expected = [np.mean([measure(t, d).mean() for d in draws]) for t in draws]
    places, losses = selection._losses_from_comparisons(TreeBlocks(draws), loss)
    assert places.tolist() == list(range(len(draws)))
    assert losses == pytest.approx(expected, abs=1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "MAX_PAIRWISE_ITEMS", 1)
        _, best = select(draws, criterion=loss)
    assert expected[best] == pytest.approx(min(expected), abs=1e-12)


@quick
@given(several_trees(2, 7), st.sampled_from(["binder", "vi"]))
def test_expected_losses_without_counts_of_pairs(draws: Paths, loss: Loss) -> None:
    by_pairs = expected_loss(draws, draws, loss=loss)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "MAX_PAIRWISE_ITEMS", 0)
        patch.setattr(selection, "_count_pairs", None)
        assert expected_loss(draws, draws, loss=loss) == pytest.approx(by_pairs, abs=1e-12)


def test_one_tree_of_many_items_without_counts_of_pairs() -> None:
    draws = random_draws(2, 20, 200, 2)
    alone = expected_loss(draws[3], draws, loss="vi")
    assert alone == pytest.approx(np.array(expected_loss(draws, draws, loss="vi"))[3], abs=1e-12)


def test_large_tables_respect_the_step_budget() -> None:
    draws = np.random.default_rng(0).integers(0, 3, size=(60, 3000, 1))
    draws[17] = draws[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection, "MAX_STEPS", 3000 * 100)
        chain, best = select(draws)
    assert chain == 0
    assert best in np.linspace(0, 59, 6).round()


def test_draws_of_a_sampler() -> None:
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 3, axis=0)
    runs = [rbhmc.Sampler(X, base_cov=25.0, seed=seed).run(300, burn_in=300) for seed in (0, 1)]
    draws = {"paths": np.stack([run["paths"] for run in runs])}
    groups = np.repeat([0, 1, 2], 3)
    chain, draw = select(draws["paths"])
    assert (binder_loss(draws["paths"][chain, draw], groups) == 0).any()
