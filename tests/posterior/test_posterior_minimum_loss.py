"""The tree of least expected loss, among the draws and beyond."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.trees import Paths, quick, random_draws, several_trees
from posterior.brute import all_trees, disguised
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.metrics.pairs import pair_counts
from rbhmc.posterior import minimum_loss_tree
from rbhmc.posterior.minimum_loss import best_draw
from rbhmc.posterior.selection import Loss, expected_loss, select

LOSSES: tuple[Loss, ...] = ("vi", "binder")


def noisy(seed: int, n_draws: int, n_items: int, astray: float) -> Paths:
    """Draws of one tree, in each of which some items have gone elsewhere."""
    rng = np.random.default_rng(seed)
    base = np.arange(n_items)[:, None] % np.array([2, 4, 12])
    draws = np.repeat(base[None], n_draws, axis=0)
    gone = rng.random((n_draws, n_items)) < astray
    draws[gone] = base[rng.integers(n_items, size=gone.sum())]
    return draws


@quick
@given(several_trees(1, 8), st.sampled_from(LOSSES), st.integers(0, 2**32))
def test_it_is_never_worse_than_any_draw(draws: Paths, loss: Loss, seed: int) -> None:
    tree = minimum_loss_tree(draws, loss=loss)
    assert tree.paths.shape == draws.shape[1:]
    least = np.min(expected_loss(draws, draws, loss=loss))
    found = expected_loss(tree.paths, draws, loss=loss)
    assert found <= least + 1e-12
    assert minimum_loss_tree(disguised(draws, seed), loss=loss) == tree


@pytest.mark.parametrize("loss", LOSSES)
def test_it_is_better_than_all_draws_of_a_noisy_chain(loss: Loss) -> None:
    draws = noisy(0, 300, 60, 0.15)
    chain, draw = select(draws, criterion=loss)
    assert chain == 0
    tree = minimum_loss_tree(draws, loss=loss)
    of_draw = expected_loss(draws[draw], draws, loss=loss)
    found = expected_loss(tree.paths, draws, loss=loss)
    assert found < 0.96 * float(of_draw)
    truth = np.arange(60)[:, None] % np.array([2, 4, 12])
    assert found <= expected_loss(truth, draws, loss=loss) + 1e-12


@pytest.mark.parametrize("loss", LOSSES)
def test_it_is_mostly_the_best_of_all_trees(loss: Loss) -> None:
    # 5 items and 2 levels have few enough trees to try them all.
    everything = all_trees(5, 2)
    assert len(everything) == 358
    n_best = 0
    for seed in range(40):
        draws = random_draws(seed, 12, 5, 2)
        least = np.min(expected_loss(everything, draws, loss=loss))
        found = expected_loss(minimum_loss_tree(draws, loss=loss).paths, draws, loss=loss)
        assert found >= least - 1e-12
        n_best += bool(found <= least + 1e-12)
    assert n_best >= 36


@quick
@given(several_trees(1, 8), st.sampled_from(LOSSES))
def test_the_best_draw_is_the_one_that_is_selected(draws: Paths, loss: Loss) -> None:
    blocks = TreeBlocks(draws)
    found = best_draw(blocks, pair_counts(blocks, range(blocks.n_levels)), loss)
    _, draw = select(draws, criterion=loss)
    expected = expected_loss(draws[draw], draws, loss=loss)
    assert expected_loss(found.T, draws, loss=loss) == pytest.approx(expected, abs=1e-12)


@quick
@given(several_trees(1, 6))
def test_pairs_are_counted(draws: Paths) -> None:
    counts = pair_counts(TreeBlocks(draws), range(draws.shape[2]))
    for level in range(draws.shape[2]):
        column = draws[:, :, level]
        together = (column[:, :, None] == column[:, None]).sum(axis=0)
        np.testing.assert_array_equal(counts[level], together)


def test_items_that_are_the_same_in_all_draws_lose_nothing() -> None:
    draws = np.repeat(noisy(1, 1, 30, 0.3), 5, axis=0)
    for loss in LOSSES:
        tree = minimum_loss_tree(draws, loss=loss)
        assert expected_loss(tree.paths, draws, loss=loss) == pytest.approx(0.0, abs=1e-12)
