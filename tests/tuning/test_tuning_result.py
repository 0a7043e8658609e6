"""The recommendation follows the one-standard-error rule, and gives its reasons."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from rbhmc import InvalidInput
from rbhmc.plots import plot_tuning
from rbhmc.tuning import Trial, Tuning

ITEMS = np.random.default_rng(0).normal(size=40)


def trial(C: float, margin: float | None, behind: float, apart: float, noise: float = 0.0) -> Trial:
    jitter = noise * np.where(np.arange(40) % 2, 1.0, -1.0)
    return Trial(C, margin, ITEMS - behind + jitter, apart, 2.0, 3.0, (2.0, 4.0))


def test_the_least_disagreement_within_one_standard_error_wins() -> None:
    plain = trial(
        0.0, None, 1.0, 0.01
    )  # far below the best density, so its agreement does not count
    best = trial(1.0, 5.0, 0.0, 0.6)
    near = trial(0.3, 5.0, 0.1, 0.3, noise=1.0)  # 0.1 below, standard error 0.158
    clear = trial(0.3, 1.0, 0.1, 0.1, noise=0.5)  # 0.1 below, standard error 0.079
    tuning = Tuning((plain, best, near, clear))
    assert tuning.best_density is best
    assert tuning.within_one_se == (best, near)
    assert tuning.recommended is near
    assert tuning.best == {"C": 0.3, "margin": 5.0}
    words = tuning.recommendation()
    assert words.startswith("Recommended: C = 0.3, margin = 5. 2 settings predict")
    assert "(disagreement 0.30)" in words
    assert "Against BHMC: AID +0%, AOD +0%." in words


def test_bhmc_can_be_recommended_with_a_warning() -> None:
    plain = trial(0.0, None, 0.0, 0.9)
    tuning = Tuning((plain, trial(1.0, 5.0, 2.0, 0.2)))
    assert tuning.best == {"C": 0.0}
    words = tuning.recommendation()
    assert "No other setting predicts held-out items as well" in words
    assert "Margins do not improve the fit of this table." in words
    assert "read any tree of this table with caution" in words


def test_text_and_frame_contain_every_trial() -> None:
    tuning = Tuning((trial(0.0, None, 1.0, 0.5), trial(1.0, 5.0, 0.0, 0.4)))
    lines = str(tuning).splitlines()
    assert lines[2].startswith("* C = 1, margin = 5")
    assert all(len(line) <= 80 for line in lines)
    frame = tuning.to_pandas()
    assert frame["recommended"].tolist() == [False, True]
    assert frame["disagreement"].tolist() == [0.5, 0.4]
    assert repr(tuning) == "Tuning(C = 1, margin = 5 of 2 settings)"


def test_the_figure_frames_the_recommendation() -> None:
    trials = [trial(C, m, abs(C - 1.0), 0.2 * C) for C in (0.5, 1.0) for m in (1.0, 2.0)]
    tuning = Tuning((trial(0.0, None, 3.0, 0.9), *trials))
    axes = plot_tuning(tuning, figure=Figure())
    assert [text.get_text() for text in axes[0].texts] == ["0.50", "● 0.00", "0.50", "● 0.00"]
    assert [len(ax.patches) for ax in axes] == [1, 1]
    with pytest.raises(InvalidInput, match="no pair of C and margin"):
        plot_tuning(Tuning((trial(0.0, None, 0.0, 0.5),)))
