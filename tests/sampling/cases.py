"""Shared by the tests of chains: a table that is quick to sample, and comparisons of draws."""

from typing import Any

import numpy as np

import rbhmc
from rbhmc.sampling import Chain

X = np.random.default_rng(5).normal(size=(20, 3)) * 3.0
QUICK: dict[str, Any] = {
    "n_chains": 4,
    "n_warmup": 40,
    "n_draws": 30,
    "thin": 3,
    "random_state": 7,
}


def chains(n: int, n_draws: int = 30, **settings: Any) -> list[Chain]:
    """Return chains with different seeds."""
    return [
        Chain(X, seed=seed, n_warmup=40, n_draws=n_draws, thin=3, settings=settings)
        for seed in range(n)
    ]


def assert_same_chunks(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for key in one:
        np.testing.assert_array_equal(one[key], other[key], err_msg=key)


def assert_same_model(one: rbhmc.RBHMC, other: rbhmc.RBHMC) -> None:
    assert np.array_equal(one.draws_.paths, other.draws_.paths)
    assert np.array_equal(one.draws_.rcdll, other.draws_.rcdll)
    assert np.array_equal(one.draws_.path_acceptance, other.draws_.path_acceptance, equal_nan=True)
    assert one.tree_ == other.tree_
    assert np.array_equal(one.dendrogram_, other.dendrogram_)
    assert np.array_equal(one.labels_, other.labels_)
    assert np.array_equal(one.predict_path_proba(X), other.predict_path_proba(X))
