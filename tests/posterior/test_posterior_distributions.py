"""Posterior distributions of measures."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from metrics.trees import Paths, quick, random_draws, several_trees
from posterior.brute_force import relabel_and_shuffle
from rbhmc import metrics
from rbhmc.posterior import Distribution, measures


@quick
@given(several_trees(1, 6))
def test_every_draw_is_measured(draws: Paths) -> None:
    rng = np.random.default_rng(len(draws))
    X = rng.normal(size=(draws.shape[1], 2))
    classes = rng.integers(3, size=draws.shape[1])
    found = measures(draws, X=X, classes=classes)
    assert set(found) == {"aid", "aod", "f_measure", "purity"}
    slow: dict[str, Callable[[NDArray[Any]], Any]] = {
        "aid": lambda paths: metrics.aid(X, paths),
        "aod": lambda paths: metrics.aod(X, paths),
        "f_measure": lambda paths: metrics.f_measure(paths, classes),
        "purity": lambda paths: metrics.dendrogram_purity(paths, classes),
    }
    for name, measure in slow.items():
        expected = [measure(draw) for draw in draws]
        np.testing.assert_allclose(found[name].values[0], expected, atol=1e-9)
    again = measures(relabel_and_shuffle(draws, 1), X=X)
    assert again["aid"].mean == pytest.approx(found["aid"].mean, nan_ok=True)


def test_chains_and_draws_keep_their_positions() -> None:
    draws = random_draws(0, 3, 5, 8, 2)
    classes = list("aabbccdd")
    found = measures(draws, classes=classes)
    assert found["purity"].values.shape == (3, 5)
    assert found["f_measure"].values.shape == (3, 5, 2)
    assert found["purity"].values[2, 4] == pytest.approx(
        metrics.dendrogram_purity(draws[2, 4], classes)
    )


def test_mean_and_interval() -> None:
    values = np.linspace(0.0, 1.0, 101).reshape(1, 101)
    found = Distribution(values)
    assert found.mean == pytest.approx(0.5)
    assert found.interval() == pytest.approx((0.025, 0.975))
    assert found.interval(0.5) == pytest.approx((0.25, 0.75))
    assert str(found) == "0.5 (0.025 to 0.975)"
    assert repr(found) == "Distribution(0.5 (0.025 to 0.975))"
    levels = Distribution(np.stack([values, values * 2], axis=2))
    np.testing.assert_allclose(levels.mean, [0.5, 1.0])
    low, high = levels.interval(0.5)
    np.testing.assert_allclose(low, [0.25, 0.5])
    np.testing.assert_allclose(high, [0.75, 1.5])
    assert str(levels) == "0.5 (0.025 to 0.975); 1 (0.05 to 1.95)"


def test_undefined_values_are_left_out() -> None:
    found = Distribution(np.array([[1.0, np.nan, 3.0]]))
    assert found.mean == 2.0
    none = Distribution(np.full((2, 2), np.nan))
    assert np.isnan(none.mean)
    assert all(np.isnan(end) for end in none.interval())
    # Without siblings there is no AOD.
    assert np.isnan(measures(np.zeros((2, 3, 1), int), X=np.eye(3))["aod"].mean)
