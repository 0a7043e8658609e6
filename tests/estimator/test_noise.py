"""Noise in four and more columns gets the root alone; separate groups keep their tree."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

import rbhmc

Floats = NDArray[np.float64]
WARNING = "No node of the tree recurs in the draws"


def noise(shape: str, n_items: int = 60, n_columns: int = 4) -> Floats:
    values: Floats = getattr(np.random.default_rng(1), shape)(size=(n_items, n_columns))
    return values


def assert_root_alone(model: rbhmc.RBHMC, X: Floats) -> None:
    assert [node.id for node in model.tree_.nodes] == ["root"]
    assert [node.id for node in model.tree_.clusters] == ["root"]
    assert set(model.labels_) == {0}
    assert str(model.tree_) in model.summary()
    assert (model.predict(X) == 0).all()
    assert (model.predict(X + 0.1) == 0).all()
    assert model.path_columns_ == ("root", "new branch")
    assert np.allclose(model.predict_path_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("shape", ["uniform", "normal"])
@pytest.mark.parametrize("select", ["consensus", "vi", "binder"])
def test_noise_gets_the_root_alone(shape: str, select: Any, tmp_path: Path) -> None:
    X = noise(shape)
    model = rbhmc.RBHMC(random_state=0, select=select).fit(X)
    assert_root_alone(model, X)
    page = model.report(tmp_path / "noise.html").read_text("utf-8")
    text = " ".join(model.summary().split())
    if select != "consensus" and (model.draws_.paths[model.selected_] == 0).all():
        assert WARNING not in text and WARNING not in page  # the draw is one path itself
        return
    assert not model.stability_.is_stable
    assert WARNING in text
    assert "only the root is shown" in text
    assert WARNING in page


@pytest.mark.parametrize("shape", ["uniform", "normal"])
@pytest.mark.parametrize("n_columns", [5, 10])
@pytest.mark.parametrize("n_items", [60, 300])
def test_more_columns_and_items_of_noise(shape: str, n_columns: int, n_items: int) -> None:
    X = noise(shape, n_items, n_columns)
    assert_root_alone(rbhmc.RBHMC(random_state=0).fit(X), X)


def test_a_draw_selected_by_its_likelihood_is_shown_with_a_warning() -> None:
    model = rbhmc.RBHMC(random_state=0, select="rcdll").fit(noise("uniform"))
    assert np.array_equal(model.tree_.paths, model.draws_.paths[model.selected_])
    assert len(model.tree_.leaves) > 1
    text = " ".join(model.summary().split())
    assert WARNING in text
    assert "the tree shows a single draw" in text


def test_groups_are_the_clusters() -> None:
    classes = np.repeat(np.arange(4), 20)
    X: Any = 9.0 * np.eye(4)[classes] + np.random.default_rng(1).normal(size=(80, 4))
    model = rbhmc.RBHMC(random_state=0).fit(X)
    assert adjusted_rand_score(classes, model.labels_) == 1.0
    assert model.stability_.is_stable
    assert WARNING not in " ".join(model.summary().split())


def test_identical_items_are_one_cluster() -> None:
    model = rbhmc.RBHMC(random_state=0).fit(np.zeros((5, 2)))
    assert [node.id for node in model.tree_.nodes] == ["root"]
    assert set(model.labels_) == {0}
    assert model.stability_.is_stable
    assert WARNING not in " ".join(model.summary().split())
