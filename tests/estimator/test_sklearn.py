"""Scikit-learn: its own checks of estimators, pipelines, clones, searches, jobs and pickles."""

import pickle
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import rbhmc
from rbhmc._core import SETTINGS
from rbhmc.preparation import Preparation

QUICK: dict[str, Any] = {"n_chains": 2, "n_warmup": 100, "n_draws": 100, "random_state": 0}
X = np.random.default_rng(0).normal(size=(24, 3)) + np.repeat([[0.0], [6.0], [12.0]], 8, axis=0)


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [rbhmc.RBHMC(**QUICK), rbhmc.BHMC(**QUICK), Preparation()]
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


# What the estimator learns from the table, or chooses for the consensus of many short chains.
OWN_DEFAULTS: dict[str, Any] = {
    "n_levels": 4,
    "margin": 1.0,
    "eta_scale": "auto",
    "intercept": "auto",
    "noise_cov": "auto",
    "noise_warmup": 40,
    "base_cov": "auto",
}


@pytest.mark.parametrize("name", SETTINGS)
def test_other_settings_of_the_sampler_have_the_same_defaults(name: str) -> None:
    defaults = rbhmc.Sampler([[0.0]]).settings | OWN_DEFAULTS
    assert rbhmc.RBHMC().get_params()[name] == defaults[name]


def test_the_length_of_a_run_by_default() -> None:
    model = rbhmc.RBHMC(random_state=0).fit(X)
    assert (model.draws_.n_chains, model.draws_.n_draws) == (16, 20)
    run = model.draws_.settings
    assert (run["n_warmup"], run["thin"], run["init"]) == (80, 4, "ward")
    assert "16 chains x 20 draws, every 4 sweeps after 80" in " ".join(model.summary().split())


def test_bhmc_is_rbhmc_with_c_of_zero() -> None:
    plain = rbhmc.BHMC(**QUICK).fit(X)
    zero = rbhmc.RBHMC(**QUICK, C=0.0).fit(X)
    assert np.array_equal(plain.draws_.paths, zero.draws_.paths)
    assert "C" not in plain.get_params()
    for name in ("C", "margin", "eta_scale", "intercept"):
        assert name not in plain.get_params()
        with pytest.raises(TypeError, match=f"RBHMC with C = 0; it has no {name}: use RBHMC"):
            rbhmc.BHMC(**{name: 1.0})


def test_pipeline_clone_set_params_and_grid_search() -> None:
    model = clone(rbhmc.RBHMC(**QUICK)).set_params(n_levels=2, C=0.5)
    pipeline = make_pipeline(StandardScaler(), model).fit(X)
    assert pipeline[-1].labels_.shape == (24,)

    def score(estimator: rbhmc.RBHMC, X: Any, y: Any = None) -> float:
        return -float(estimator.tree_.n_items)

    search = GridSearchCV(rbhmc.RBHMC(**QUICK), {"n_levels": [1, 2]}, scoring=score, cv=2).fit(X)
    assert search.best_params_["n_levels"] in (1, 2)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_number_of_jobs_changes_nothing(n_jobs: int | None) -> None:
    serial = rbhmc.RBHMC(**QUICK).fit(X)
    other = rbhmc.RBHMC(**QUICK, n_jobs=n_jobs).fit(X)
    assert np.array_equal(serial.draws_.paths, other.draws_.paths)
    assert np.array_equal(serial.predict_path_proba(X), other.predict_path_proba(X))


def test_processes_give_the_same_draws() -> None:
    serial = rbhmc.RBHMC(**QUICK).fit(X)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        other = rbhmc.RBHMC(**QUICK).fit(X)
    assert np.array_equal(serial.draws_.rcdll, other.draws_.rcdll)


def test_a_pickled_model_predicts_the_same() -> None:
    model = rbhmc.RBHMC(**QUICK).fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_
    assert np.array_equal(again.predict_path_proba(X), model.predict_path_proba(X))
