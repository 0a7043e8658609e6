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
from rbhmc.plots.regions import extend, find_regions, learn_discriminants, plane_of
from support import ONE_DRAW

X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 4, axis=0) + np.random.default_rng(0).normal(
    size=(12, 2)
)
FIGURES: dict[str, Callable[..., Any]] = {
    "tree": plots.plot_tree,
    "co_occurrence": plots.plot_co_occurrence,
    "traces": plots.plot_traces,
    "plane": plots.plot_plane,
}


QUICK: dict[str, Any] = {"n_chains": 2, "n_warmup": 100, "n_draws": 50, "random_state": 0}


@pytest.fixture(scope="module", params=[0.0, 1.0])
def model(request: pytest.FixtureRequest) -> rbhmc.RBHMC:
    return rbhmc.RBHMC(**QUICK, C=request.param).fit(X)


@pytest.fixture(scope="module")
def one_draw() -> rbhmc.RBHMC:
    return rbhmc.RBHMC(**QUICK, **ONE_DRAW).fit(X)


def test_traces_of_the_diagnostics_are_those_of_the_model(model: rbhmc.RBHMC) -> None:
    found = plots.plot_traces(model.diagnostics().values)
    for panel, same in zip(plots.plot_traces(model), found, strict=True):
        assert panel.get_ylabel() == same.get_ylabel()
        for line, other in zip(panel.lines, same.lines, strict=True):
            assert np.array_equal(line.get_ydata(), other.get_ydata())


@pytest.mark.parametrize("kind", FIGURES)
def test_a_fitted_model_is_drawn(model: rbhmc.RBHMC, kind: str) -> None:
    for ax in np.atleast_1d(FIGURES[kind](model)).flat:
        assert ax.figure is not None


@pytest.mark.parametrize("kind", FIGURES)
def test_a_model_that_is_not_fitted_is_refused(kind: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        FIGURES[kind](rbhmc.RBHMC())


@pytest.mark.parametrize("level", [1, 2, -1])
def test_the_map_of_a_draw_is_the_co_occurrence(one_draw: rbhmc.RBHMC, level: int) -> None:
    ax = plots.plot_co_occurrence(one_draw, level=level, ax=Figure().add_subplot())
    raw_level = level if level > 0 else one_draw.tree_.n_levels
    shares = co_occurrence(one_draw.draws_, raw_level)
    order = np.concatenate([leaf.items for leaf in one_draw.tree_.leaves])
    assert np.array_equal(np.asarray(ax.images[0].get_array()), shares[np.ix_(order, order)])


def test_the_map_of_a_consensus_is_the_similarity(model: rbhmc.RBHMC) -> None:
    ax = plots.plot_co_occurrence(model, ax=Figure().add_subplot())
    draws = model.draws_
    levels = sum(co_occurrence(draws, level) for level in range(1, draws.n_levels + 1))
    c = draws.components
    components = (c[..., :, None] == c[..., None, :]).mean(axis=(0, 1))
    shares = (levels + components) / (draws.n_levels + 1)
    order = np.concatenate([leaf.items for leaf in model.tree_.leaves])
    found = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(found, shares[np.ix_(order, order)], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_every_item_is_in_the_region_of_its_cluster(seed: int) -> None:
    # The groups are on a line, so that boundaries through the mean would cut the middle one.
    rng = np.random.default_rng(seed)
    line = np.repeat([[0.0, 0.0], [10.0, 0.0], [20.0, 0.0]], 20, axis=0)
    fitted = rbhmc.RBHMC(random_state=seed).fit(line + rng.normal(size=line.shape))
    tree, points = fitted.tree_, fitted.prepared_
    assert fitted.labels_.tolist() == np.repeat([0, 1, 2], 20).tolist()
    vectors, intercept = learn_discriminants(fitted)
    extended = extend(points, intercept)
    regions, _ = find_regions(points[:, None], extended, tree, tree.clusters, vectors)
    assert regions[:, 0].tolist() == [tree.clusters[label].id for label in fitted.labels_]


def test_the_plane_of_a_regularised_model_is_shaded(model: rbhmc.RBHMC) -> None:
    ax = plots.plot_plane(model, ax=Figure().add_subplot())
    dots = [each for each in ax.collections if isinstance(each, PathCollection)]
    points = np.concatenate([np.asarray(each.get_offsets()) for each in dots])
    assert np.array_equal(np.unique(points, axis=0), np.unique(model.prepared_, axis=0))
    assert bool(ax.images) is (model.C > 0.0)


def test_the_plane_of_many_columns_is_the_one_of_largest_variance() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 4)) @ np.diag([1.0, 1.0, 1.0, 0.1])
    table[:, 3] += 8.0 * (np.arange(60) % 2)
    table[:, 2] += 5.0 * (np.arange(60) % 3 == 0)
    model = rbhmc.RBHMC(**QUICK, standardize="off").fit(table)
    rotation, names = plane_of(model)
    assert np.allclose(rotation.T @ rotation, np.eye(4))
    variances = (model.prepared_ @ rotation).var(axis=0)
    assert np.all(np.diff(variances) <= 0.0)
    assert names[0].startswith("Component 1 (")
    ax = plots.plot_plane(model, ax=Figure().add_subplot())
    assert [ax.get_xlabel(), ax.get_ylabel()] == names


def test_two_columns_are_shown_as_they_are(model: rbhmc.RBHMC) -> None:
    rotation, names = plane_of(model)
    assert np.array_equal(rotation, np.eye(2))
    assert len(names) == 2


def test_one_item_has_no_dendrogram() -> None:
    model = rbhmc.RBHMC(n_chains=1, n_draws=1, random_state=0).fit([[0.0]])
    with pytest.raises(rbhmc.InvalidInput, match="needs at least two items; the model has one"):
        plots.plot_dendrogram(model)
