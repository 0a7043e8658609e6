"""Every figure takes a fitted model."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

import rbhmc
from rbhmc import plots
from rbhmc.metrics import co_occurrence

X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 4, axis=0) + np.random.default_rng(0).normal(
    size=(12, 2)
)
FIGURES: dict[str, Callable[..., Any]] = {
    "tree": plots.plot_tree,
    "co_occurrence": plots.plot_co_occurrence,
    "traces": plots.plot_traces,
    "plane": plots.plot_plane,
}


@pytest.fixture(scope="module", params=[0.0, 1.0])
def model(request: pytest.FixtureRequest) -> rbhmc.RBHMC:
    settings: dict[str, Any] = {"n_chains": 2, "n_warmup": 100, "n_draws": 50, "random_state": 0}
    return rbhmc.RBHMC(**settings, C=request.param).fit(X)


@pytest.mark.parametrize("kind", FIGURES)
def test_a_fitted_model_is_drawn(model: rbhmc.RBHMC, kind: str) -> None:
    for ax in np.atleast_1d(FIGURES[kind](model)).flat:
        assert ax.figure is not None


@pytest.mark.parametrize("kind", FIGURES)
def test_a_model_that_is_not_fitted_is_refused(kind: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        FIGURES[kind](rbhmc.RBHMC())


@pytest.mark.parametrize("level", [1, 2, -1])
def test_the_map_of_a_model_is_its_co_occurrence(model: rbhmc.RBHMC, level: int) -> None:
    ax = plots.plot_co_occurrence(model, level=level, ax=Figure().add_subplot())
    raw_level = level if level > 0 else model.tree_.n_levels
    shares = co_occurrence(model.draws_, raw_level)
    order = np.concatenate([leaf.items for leaf in model.tree_.leaves])
    assert np.array_equal(np.asarray(ax.images[0].get_array()), shares[np.ix_(order, order)])


def test_the_plane_of_a_regularised_model_is_shaded(model: rbhmc.RBHMC) -> None:
    ax = plots.plot_plane(model, ax=Figure().add_subplot())
    dots = [each for each in ax.collections if isinstance(each, PathCollection)]
    points = np.concatenate([np.asarray(each.get_offsets()) for each in dots])
    assert np.array_equal(np.unique(points, axis=0), np.unique(model.prepared_, axis=0))
    assert bool(ax.images) is (model.C > 0.0)
