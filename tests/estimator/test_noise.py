"""A table of noise gets the root alone and a warning; separate groups keep their tree."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbhmc

QUICK: dict[str, Any] = {"n_warmup": 1000, "n_draws": 100, "random_state": 0}
WARNING = "No node of the selected draw recurs in the other draws"


def noise(shape: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    values: np.ndarray[Any, np.dtype[np.float64]] = getattr(np.random.default_rng(1), shape)(
        size=(60, 4)
    )
    return values


@pytest.mark.parametrize("shape", ["uniform", "normal"])
@pytest.mark.parametrize("select", ["vi", "binder"])
def test_noise_gets_the_root_alone(shape: str, select: Any, tmp_path: Path) -> None:
    X = noise(shape)
    model = rbhmc.RBHMC(**QUICK, select=select).fit(X)
    assert not model.stability_.is_stable
    assert [node.id for node in model.tree_.nodes] == ["root"]
    assert set(model.labels_) == {0}
    assert len(rbhmc.posterior.consensus(model.draws_).leaves) == 1
    text = " ".join(model.summary().split())
    assert WARNING in text
    assert "only the root is shown" in text
    assert (model.predict(X) == 0).all()
    assert np.allclose(model.predict_path_proba(X).sum(axis=1), 1.0)
    assert WARNING in model.report(tmp_path / "noise.html").read_text("utf-8")


def test_a_draw_selected_by_its_likelihood_is_shown_with_a_warning() -> None:
    model = rbhmc.RBHMC(**QUICK, select="rcdll").fit(noise("uniform"))
    assert np.array_equal(model.tree_.paths, model.draws_.paths[model.selected_])
    assert len(model.tree_.leaves) > 1
    text = " ".join(model.summary().split())
    assert WARNING in text
    assert "the tree shows a single draw" in text


@pytest.mark.parametrize(
    "X",
    [
        np.repeat(9.0 * np.eye(4), 20, axis=0) + np.random.default_rng(1).normal(size=(80, 4)),
        np.zeros((5, 2)),
    ],
    ids=["groups", "identical"],
)
def test_groups_and_identical_items_have_no_warning(X: Any) -> None:
    model = rbhmc.RBHMC(**QUICK).fit(X)
    assert model.stability_.is_stable
    assert np.array_equal(model.tree_.paths, model.draws_.paths[model.selected_])
    assert WARNING not in " ".join(model.summary().split())
