"""A fitted model: its tree, names, predictions and draws, and the checks of its parameters."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import rbhmc
from rbhmc.sampling.run_length import count_chains

QUICK: dict[str, Any] = {"n_chains": 2, "n_warmup": 100, "n_draws": 100, "random_state": 0}
CENTRES = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
CLASSES = np.repeat([0, 1, 2], 10)
X = CENTRES[CLASSES] + np.random.default_rng(1).normal(size=(30, 2)) * 0.7


@pytest.fixture(scope="module")
def model() -> rbhmc.RBHMC:
    names = [f"item {n}" for n in range(30)]
    frame = pd.DataFrame(X, index=names, columns=["width", "height"])
    return rbhmc.RBHMC(**QUICK).fit(frame)


def test_separated_clusters_are_found_and_new_items_join_them(model: rbhmc.RBHMC) -> None:
    assert adjusted_rand_score(CLASSES, model.labels_) == 1.0
    assert adjusted_rand_score(CLASSES, model.labels_at(1)) == 1.0
    assert set(model.labels_) == set(range(len(model.tree_.clusters)))
    frame = pd.DataFrame(X, columns=["width", "height"])
    assert (model.predict(frame) == model.labels_).all()
    new = pd.DataFrame(CENTRES, columns=["width", "height"])
    joined = model.predict(new)
    for label, cluster in enumerate(joined):
        assert (model.labels_[label == CLASSES] == cluster).all()


def test_tree_and_draws_carry_the_names(model: rbhmc.RBHMC) -> None:
    assert model.tree_.names[3] == "item 3"
    assert model.draws_.names[3] == "item 3"
    assert model.tree_.feature_names == ("width", "height")
    assert "item 7" in str(model.tree_)


def test_centroids_are_in_the_users_units(model: rbhmc.RBHMC) -> None:
    for node in model.tree_.nodes:
        assert node.centroid is not None
        assert np.allclose(node.centroid, X[node.items].mean(axis=0))


def test_path_probabilities_sum_to_one_and_name_their_columns(model: rbhmc.RBHMC) -> None:
    far = pd.DataFrame([[4.0, 4.0], [100.0, -100.0]], columns=["width", "height"])
    probability = model.predict_path_proba(far)
    assert probability.shape == (2, len(model.path_columns_))
    assert np.allclose(probability.sum(axis=1), 1.0)
    assert (probability >= 0.0).all()
    leaves = [leaf.id for leaf in model.tree_.leaves]
    assert list(model.path_columns_) == [*leaves, "new branch"]
    assert np.array_equal(probability, model.predict_path_proba(far))


def test_the_presented_tree_is_the_consensus_of_the_draws(model: rbhmc.RBHMC) -> None:
    found = rbhmc.posterior.consensus(model.draws_)
    assert [node.items.tolist() for node in model.tree_] == [
        items.tolist() for items in found.nodes
    ]
    assert adjusted_rand_score(model.labels_, found.labels) == 1.0
    for place, node in enumerate(model.tree_):
        for name, values in found.measures().items():
            is_known = not node.is_remainder and not np.isnan(values[place])
            assert getattr(node, name) == (values[place] if is_known else None)
        assert node.is_cluster == found.is_cluster[place]
    assert np.array_equal(model.dendrogram_, found.linkage)
    assert np.array_equal(model.dendrogram_items_, np.arange(30))
    assert not hasattr(model, "selected_")


def test_the_selected_tree_is_a_draw_and_co_occurrence_a_mean_of_all() -> None:
    model = rbhmc.RBHMC(**QUICK, select="vi").fit(X)
    chain, draw = model.selected_
    assert np.array_equal(model.tree_.paths, model.draws_.paths[chain, draw])
    together = rbhmc.metrics.co_occurrence(model.draws_, 1)
    assert together.shape == (30, 30)
    assert together[0, 1] > 0.9 > 0.1 > together[0, 29]
    assert not hasattr(model, "dendrogram_")


def test_a_fit_with_another_select_removes_the_attributes_of_the_first() -> None:
    model = rbhmc.RBHMC(**QUICK).fit(X)
    names = ("dendrogram_", "dendrogram_items_", "selected_")
    assert [hasattr(model, name) for name in names] == [True, True, False]
    model.set_params(select="vi").fit(X)
    assert [hasattr(model, name) for name in names] == [False, False, True]
    model.set_params(select="consensus").fit(X)
    assert [hasattr(model, name) for name in names] == [True, True, False]


@pytest.mark.parametrize("select", ["binder", "vi", "rcdll", "cdll"])
def test_every_criterion_selects_a_draw(select: Any) -> None:
    model = rbhmc.RBHMC(**{**QUICK, "n_draws": 50}, select=select).fit(X)
    if select in ("rcdll", "cdll"):
        values = getattr(model.draws_, select)
        assert values[model.selected_] == values.max()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_chains": 0}, "n_chains is 0"),
        ({"thin": 1.5}, "thin is 1.5"),
        ({"n_chains": "many"}, "n_chains is 'many'; it must be \"auto\" or a whole number"),
        ({"n_warmup": "long"}, "n_warmup is 'long'"),
        ({"init": "kmeans"}, "init is 'kmeans'"),
        ({"n_pca": 3}, "n_pca is 3"),
        ({"scale": -1.0}, "scale is -1.0"),
        ({"select": "last"}, "binder"),
        ({"reference": "never"}, "reference is 'never'; it must be True or False"),
        ({"random_state": -1}, "random_state is -1; it must be from 0 to 4294967295"),
        ({"random_state": "now"}, "random_state is 'now'; it must be a whole number, a numpy"),
        ({"scheme": "best"}, "scheme"),
        ({"initial_paths": np.zeros((3, 4), int)}, "initial_paths"),
        ({"noise_cov": [[1.0], [0.0, 1.0]]}, "noise_cov"),
        ({"n_jobs": "all"}, "n_jobs is 'all'; it must be 1 or more"),
        ({"n_jobs": 1.5}, "n_jobs is 1.5; it must be 1 or more"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(rbhmc.InvalidInput, match=words):
        rbhmc.RBHMC(**{**QUICK, **settings}).fit(X)


@pytest.mark.parametrize(("n_items", "n_chains"), [(1, 16), (400, 16), (401, 8), (100_000, 8)])
def test_the_automatic_number_of_chains(n_items: int, n_chains: int) -> None:
    assert count_chains("auto", n_items) == n_chains


def assert_same_tree(one: rbhmc.RBHMC, other: rbhmc.RBHMC) -> None:
    """Check that two models of the same items have the same draws, labels and supports."""
    assert np.array_equal(one.draws_.paths, other.draws_.paths)
    assert np.array_equal(one.draws_.rcdll, other.draws_.rcdll)
    assert np.array_equal(one.labels_, other.labels_)
    assert np.array_equal(one.dendrogram_, other.dendrogram_)
    for name in ("items", "support", "exact", "height", "is_cluster"):
        ours, theirs = ([getattr(node, name) for node in each.tree_] for each in (one, other))
        assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)), name


WIDE = np.random.default_rng(2).normal(size=(40, 30)) + 5.0 * np.eye(4, 30)[np.arange(40) % 4]
# Columns of the same values in another order: all have the same variance.
GRID_POINTS = np.array([[x, y, (x + y) % 5] for x in range(5) for y in range(5)], float)


@pytest.mark.parametrize(
    "table", [X, WIDE, GRID_POINTS, 1e4 + X], ids=["few", "pca", "grid", "far"]
)
def test_neither_units_nor_the_order_of_columns_matter(table: Any) -> None:
    one = rbhmc.RBHMC(**QUICK).fit(table)
    for factor in (1e-3, 1e3):
        assert_same_tree(one, rbhmc.RBHMC(**QUICK).fit(table * factor))
    order = np.random.default_rng(0).permutation(table.shape[1])
    others = (
        table[:, ::-1],
        np.asfortranarray(table[:, ::-1]),
        table[:, order],
        1e3 * table[:, order],
    )
    for other in others:
        model = rbhmc.RBHMC(**QUICK).fit(other)
        assert_same_tree(one, model)
    new = table[:5] + 0.1
    assert np.array_equal(one.predict(new), model.predict(1e3 * new[:, order]))


def test_means_and_covariances_of_columns_go_with_the_columns() -> None:
    """The second column has the larger variance, so the prepared table has it first."""
    table = X * [1.0, 3.0]
    settings = QUICK | {"n_draws": 20}
    noise, base = np.array([[0.5, 0.1], [0.1, 0.8]]), np.array([2.0, 5.0])
    one = rbhmc.RBHMC(noise_cov=noise, base_cov=base, base_mean=[0.1, 0.2], **settings)
    swapped: dict[str, Any] = {
        "noise_cov": noise[::-1, ::-1],
        "base_cov": base[::-1],
        "base_mean": [0.2, 0.1],
    }
    other = rbhmc.RBHMC(**swapped, **settings)
    assert_same_tree(one.fit(table), other.fit(table[:, ::-1]))
    assert np.array_equal(
        one.predict_path_proba(table + 0.1), other.predict_path_proba(table[:, ::-1] + 0.1)
    )
    # Control: without the exchange the draws differ.
    assert not np.array_equal(
        one.draws_.rcdll, other.set_params(**{"base_cov": base}).fit(table[:, ::-1]).draws_.rcdll
    )


def test_names_may_be_given_with_an_array() -> None:
    model = rbhmc.RBHMC(**QUICK).fit(X, names=[f"n{n}" for n in range(30)])
    assert model.tree_.names[29] == "n29"
    with pytest.raises(rbhmc.InvalidInput, match="names"):
        rbhmc.RBHMC(**QUICK).fit(X, names=["one"])
    with pytest.raises(rbhmc.InvalidInput, match="names is 5; it must be a sequence of 30"):
        rbhmc.RBHMC(**QUICK).fit(X, names=5)  # type: ignore[arg-type]


def test_masked_entries_are_missing() -> None:
    masked = np.ma.masked_greater(X, 5.0)
    with pytest.raises(ValueError, match="NaN"):
        rbhmc.RBHMC(**QUICK, missing="error").fit(masked)
    by_mask = rbhmc.RBHMC(**QUICK).fit(masked)
    by_nan = rbhmc.RBHMC(**QUICK).fit(np.where(X > 5.0, np.nan, X))
    assert np.array_equal(by_mask.draws_.paths, by_nan.draws_.paths)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_units_of_any_size(factor: float) -> None:
    assert np.array_equal(
        rbhmc.RBHMC(**QUICK).fit(X * factor).labels_, rbhmc.RBHMC(**QUICK).fit(X).labels_
    )


def test_measures_ask_for_paths_in_place_of_draws(model: rbhmc.RBHMC) -> None:
    assert rbhmc.metrics.ari(model.tree_.paths, CLASSES)[0] == 1.0
    selected = rbhmc.RBHMC(**QUICK, select="vi").fit(X).selected_
    assert rbhmc.posterior.selection.select(model.draws_.paths) == selected
    assert rbhmc.posterior.selection.select(model.draws_) == selected
    with pytest.raises(rbhmc.InvalidInput, match="paths is a Draws; give its"):
        rbhmc.metrics.is_singular(model.draws_)  # type: ignore[arg-type]
