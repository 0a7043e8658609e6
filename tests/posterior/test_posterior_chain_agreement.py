"""Agreement between chains: supports of chains, the error of their mean, effective chains."""

from typing import Any

import numpy as np
import pytest

import rbhmc
from rbhmc.posterior import consensus
from rbhmc.posterior.chain_agreement import chain_agreement

STARTS = np.repeat(np.arange(8), 2)


def distances_of(chain_values: Any, n_draws: int = 10) -> Any:
    """Return the distances of one node of 101 items, constant within chains."""
    return np.repeat(np.asarray(chain_values)[:, None, None], n_draws, axis=1)


def test_a_node_of_one_chain_of_eight_is_not_certain() -> None:
    """One chain repeats the node in all of its draws."""
    found = chain_agreement(
        distances_of([0] + [100] * 7, n_draws=1000), np.array([101]), np.arange(8)
    )
    assert found.support.mean() == found.share[0] == 1 / 8
    # The error of a share of 1/8 over eight chains, whatever the number of draws.
    assert found.error[0] == pytest.approx(np.sqrt(1 / 8 * 7 / 8 / 7))
    assert found.effective_chains[0] == 8


def test_the_error_is_that_of_independent_means() -> None:
    """The stated error is the standard deviation of the support over replications."""
    rng = np.random.default_rng(0)
    supports, errors = [], []
    for _ in range(300):
        # Every start shifts both of its chains.
        values = rng.integers(20, 60, 8)[STARTS] + rng.integers(0, 20, 16)
        found = chain_agreement(distances_of(values), np.array([101]), STARTS)
        supports.append(found.support.mean())
        errors.append(found.error[0])
    assert np.std(supports) == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=0.15)


@pytest.mark.parametrize(
    ("values", "effective"),
    [(np.repeat([0, 90, 10, 50, 20, 70, 5, 99], 2), 8), (np.tile([0, 90], 8), 16)],
    ids=["the start decides", "the start does not matter"],
)
def test_effective_chains(values: Any, effective: float) -> None:
    found = chain_agreement(distances_of(values), np.array([101]), STARTS)
    # Variances over eight means and over 16 chains have other denominators.
    assert found.effective_chains[0] == pytest.approx(effective, abs=0.6)


def test_unanimous_chains_have_no_error() -> None:
    found = chain_agreement(distances_of([3] * 16), np.array([101]), STARTS)
    assert (found.error[0], found.effective_chains[0], found.share[0]) == (0.0, 16.0, 1.0)


def test_a_chain_has_found_what_half_of_its_draws_have_nearly() -> None:
    distances = np.array([[[0], [10], [11], [50]], [[11], [0], [50], [50]]])
    found = chain_agreement(distances, np.array([100]), np.arange(2))
    assert found.share[0] == 0.5


def test_one_chain_has_no_error() -> None:
    found = chain_agreement(distances_of([3]), np.array([101]), np.arange(1))
    assert np.isnan(found.error[0])
    X = np.repeat([[0.0], [9.0]], 6, axis=0) + np.arange(12)[:, None] / 40
    tree = rbhmc.RBHMC(n_chains=1, random_state=0).fit(X).tree_
    assert {node.support_error for node in tree} == {None}
    assert tree.root.chain_share == 1.0


def test_the_support_of_the_consensus_is_the_mean_of_its_chains() -> None:
    rng = np.random.default_rng(3)
    draws = rng.integers(0, 3, size=(4, 5, 12, 1))
    found = consensus(draws)
    np.testing.assert_allclose(found.support, found.chains.support.mean(axis=0))
    alone = consensus(draws[:1])
    assert alone.chains.support.shape == (1, len(alone.nodes))
    assert np.isnan(alone.measures()["support_error"]).all()
