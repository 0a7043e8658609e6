"""Tuning end to end: separated groups are found, runs resume, errors name the argument."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import dblquad

import rbhmc
from rbhmc import RBHMC, InvalidInput
from rbhmc.predictive import learn_predictive

QUICK: dict[str, Any] = {"n_folds": 3, "n_warmup": 100, "n_draws": 30, "thin": 2, "random_state": 0}


def groups(seed: int = 0) -> NDArray[np.float64]:
    centres = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 8, axis=0)
    return np.asarray(centres + np.random.default_rng(seed).normal(size=centres.shape))


def test_trees_of_separated_groups_agree_with_margins() -> None:
    tuning = rbhmc.tune(groups(), C=[1.0], margin=[5.0], **QUICK)
    plain, trial = tuning.trials
    assert (plain.C, plain.margin) == (0.0, None)
    assert trial.disagreement < 0.2 < plain.disagreement
    assert len(trial.ln_density) == 24
    assert np.isfinite(trial.ln_density).all()
    assert len(trial.n_nodes) == RBHMC().n_levels
    again = rbhmc.tune(groups(), C=[1.0], margin=[5.0], **QUICK)
    assert [t.ln_density.tolist() for t in again.trials] == [
        t.ln_density.tolist() for t in tuning.trials
    ]


def test_a_complete_tuning_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid: dict[str, Any] = {"C": [0.3, 1.0], "margin": [2.0]}
    whole = rbhmc.tune(groups(), **grid, **QUICK, checkpoint_dir=tmp_path)
    monkeypatch.delattr(rbhmc.sampling.Chain, "start")
    again = rbhmc.tune(groups(), **grid, **QUICK, checkpoint_dir=tmp_path, resume=True)
    assert str(again) == str(whole)
    with pytest.raises(InvalidInput, match="was started with"):
        rbhmc.tune(groups(1), **grid, **QUICK, checkpoint_dir=tmp_path, resume=True)


def test_a_stopped_tuning_raises_keyboard_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbhmc.sampling.run.run_chains", lambda chains, **_: [None] * len(chains))
    with pytest.raises(KeyboardInterrupt, match="stopped before all chains were complete"):
        rbhmc.tune(groups(), C=[1.0], margin=[2.0], **QUICK)


def test_other_settings_come_from_the_model() -> None:
    model = RBHMC(n_levels=2, n_pca=1, alpha="learn")
    tuning = rbhmc.tune(groups(), C=[1.0], margin=[2.0], model=model, **QUICK)
    assert len(tuning.recommended.n_nodes) == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"C": []}, "C is .* a list of numbers to try"),
        ({"margin": 5.0}, "margin is 5.0; it must be a list"),
        ({"C": [0.0, 1.0]}, "C contains 0, which is BHMC and is always tried"),
        ({"C": [-1.0]}, "C is -1"),
        ({"n_folds": 2}, "n_folds is 2; it must be a whole number, 3 at least"),
        ({"n_folds": 13}, "24 items are too few for 13 folds; there must be 26"),
        ({"n_draws": 0}, "n_draws is 0"),
        ({"resume": True}, "resume is True, but checkpoint_dir is None"),
    ],
)
def test_errors_name_the_argument(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        rbhmc.tune(groups(), **QUICK | options)


@pytest.mark.parametrize("alpha", [0.35, "learn"])
def test_the_density_integrates_to_one(alpha: Any) -> None:
    X = groups()[::3] / 3.0
    settings: dict[str, Any] = {key: getattr(RBHMC(), key) for key in rbhmc._core.SETTINGS}
    settings |= {"n_levels": 2, "alpha": alpha, "noise_cov": [0.5, 1.5], "base_cov": 4.0}
    paths = np.column_stack([np.arange(8) // 3, np.arange(8) // 2 + 10 * (np.arange(8) // 3)])
    predictive = learn_predictive(
        X, paths.astype(np.int32), settings, n_draws=2, n_warmup=5, thin=1
    )

    def density(y: float, x: float) -> float:
        return float(np.exp(predictive.ln_density(np.array([[x, y]]))[0]))

    total, _ = dblquad(density, -12, 12, -12, 12, epsabs=1e-3)
    assert total == pytest.approx(1.0, abs=5e-3)
