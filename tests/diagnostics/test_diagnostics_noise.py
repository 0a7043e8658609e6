"""A tree of noise is presented with a warning, and what its draws agree on is the root alone."""

from typing import Any

import numpy as np
import pytest

import rbhmc

QUICK: dict[str, Any] = {"n_warmup": 1000, "n_draws": 100, "random_state": 0}
WARNING = "No node of this tree is found again in the draws"


@pytest.mark.parametrize("shape", ["uniform", "normal"])
def test_noise_is_called_noise(shape: str) -> None:
    X = getattr(np.random.default_rng(1), shape)(size=(60, 4))
    model = rbhmc.RBHMC(**QUICK).fit(X)
    assert WARNING in model.summary()
    assert len(model.consensus().leaves) == 1
    assert max(node.support or 0.0 for node in model.tree_ if node.parent) < 0.5


def test_groups_are_not() -> None:
    X = np.repeat(9.0 * np.eye(4), 20, axis=0) + np.random.default_rng(1).normal(size=(80, 4))
    assert WARNING not in rbhmc.RBHMC(**QUICK).fit(X).summary()
    assert WARNING not in rbhmc.RBHMC(**QUICK).fit(np.zeros((5, 2))).summary()
