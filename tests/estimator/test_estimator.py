"""A fitted model: its tree, names, predictions and draws, and the checks of its parameters."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import rbhmc

QUICK: dict[str, Any] = {"n_chains": 2, "n_warmup": 300, "n_draws": 300, "random_state": 0}
CENTRES = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
CLASSES = np.repeat([0, 1, 2], 10)
X = CENTRES[CLASSES] + np.random.default_rng(1).normal(size=(30, 2)) * 0.7


@pytest.fixture(scope="module")
def model() -> rbhmc.RBHMC:
    names = [f"item {n}" for n in range(30)]
    frame = pd.DataFrame(X, index=names, columns=["width", "height"])
    return rbhmc.RBHMC(**QUICK).fit(frame)


def test_separated_clusters_are_found_and_new_items_join_them(model: rbhmc.RBHMC) -> None:
    assert adjusted_rand_score(CLASSES, model.labels_at(1)) == 1.0
    assert set(model.labels_) == set(range(len(model.tree_.leaves)))
    frame = pd.DataFrame(X, columns=["width", "height"])
    assert (model.predict(frame) == model.labels_).mean() >= 0.9
    new = pd.DataFrame(CENTRES, columns=["width", "height"])
    joined = model.predict(new)
    for label, leaf in enumerate(joined):
        assert (model.labels_[label == CLASSES] == leaf).any()


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
    assert list(model.path_columns_[: len(leaves)]) == leaves
    assert "new branch at root" in model.path_columns_
    assert np.array_equal(probability, model.predict_path_proba(far))


def test_the_selected_tree_is_a_draw_and_co_occurrence_a_mean_of_all(
    model: rbhmc.RBHMC,
) -> None:
    chain, draw = model.selected_
    assert np.array_equal(model.tree_.paths, model.draws_.paths[chain, draw])
    together = rbhmc.metrics.co_occurrence(model.draws_, 1)
    assert together.shape == (30, 30)
    assert together[0, 1] > 0.9 > 0.1 > together[0, 29]


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
        ({"n_warmup": "long"}, "n_warmup is 'long'; it must be \"auto\" or a whole number"),
        ({"n_pca": 3}, "n_pca is 3"),
        ({"scale": -1.0}, "scale is -1.0"),
        ({"select": "last"}, "binder"),
        ({"scheme": "best"}, "scheme"),
        ({"initial_paths": np.zeros((3, 3), int)}, "initial_paths"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(rbhmc.InvalidInput, match=words):
        rbhmc.RBHMC(**{**QUICK, **settings}).fit(X)


def test_automatic_lengths_are_recorded_and_in_the_summary() -> None:
    model = rbhmc.RBHMC(n_chains=1, n_draws=2, random_state=0).fit(X)
    assert (model.draws_.settings["n_warmup"], model.draws_.settings["thin"]) == (20_000, 40)
    assert "2 draws, every 40 sweeps after 20,000" in " ".join(model.summary().split())


def test_units_do_not_matter() -> None:
    one = rbhmc.RBHMC(**QUICK).fit(X)
    for factor in (1e-3, 1e3):
        other = rbhmc.RBHMC(**QUICK).fit(X * factor)
        assert np.array_equal(one.labels_, other.labels_)
        assert np.array_equal(one.draws_.paths, other.draws_.paths)


@pytest.mark.parametrize("n", [2, 3])
def test_few_and_identical_items(n: int) -> None:
    model = rbhmc.RBHMC(**QUICK).fit(np.ones((n, 2)))
    assert model.labels_.shape == (n,)
    assert np.isfinite(model.predict_path_proba(np.zeros((1, 2)))).all()


def test_names_may_be_given_with_an_array() -> None:
    model = rbhmc.RBHMC(**QUICK).fit(X, names=[f"n{n}" for n in range(30)])
    assert model.tree_.names[29] == "n29"
    with pytest.raises(rbhmc.InvalidInput, match="names"):
        rbhmc.RBHMC(**QUICK).fit(X, names=["one"])


def test_masked_entries_are_missing() -> None:
    with pytest.raises(ValueError, match="NaN"):
        rbhmc.RBHMC(**QUICK).fit(np.ma.masked_greater(X, 5.0))


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_units_of_any_size(factor: float) -> None:
    assert np.array_equal(
        rbhmc.RBHMC(**QUICK).fit(X * factor).labels_, rbhmc.RBHMC(**QUICK).fit(X).labels_
    )


def test_measures_ask_for_paths_in_place_of_draws(model: rbhmc.RBHMC) -> None:
    assert rbhmc.metrics.ari(model.tree_.paths, CLASSES)[0] == 1.0
    assert rbhmc.posterior.selection.select(model.draws_.paths) == model.selected_
    assert rbhmc.posterior.selection.select(model.draws_) == model.selected_
    with pytest.raises(rbhmc.InvalidInput, match="paths is a Draws; give its"):
        rbhmc.metrics.is_singular(model.draws_)  # type: ignore[arg-type]
