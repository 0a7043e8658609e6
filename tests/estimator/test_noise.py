"""A table without groups gets the root alone and a warning; separate groups keep their tree."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

import rbhmc

Floats = NDArray[np.float64]
WARNING = "the table has no more structure than one cloud of its shape"


def noise(shape: str, n_items: int = 60, n_columns: int = 4) -> Floats:
    values: Floats = getattr(np.random.default_rng(1), shape)(size=(n_items, n_columns))
    return values


def assert_root_alone(model: rbhmc.RBHMC, X: Floats) -> None:
    assert [node.id for node in model.tree_.nodes] == ["root"]
    assert [node.id for node in model.tree_.clusters] == ["root"]
    assert model.tree_.n_levels == (1 if model.select == "consensus" else model.n_levels)
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
    with pytest.warns(rbhmc.StructureWarning, match=WARNING):
        model = rbhmc.RBHMC(random_state=0, select=select).fit(X)
    assert_root_alone(model, X)
    page = model.report(tmp_path / "noise.html").read_text("utf-8")
    assert model.reference_ is not None
    assert not model.reference_.is_structured
    assert (model.verdict().tree.status, model.verdict().status) == ("bad", "bad")
    for text in (model.verdict().text, " ".join(model.summary().split()), page):
        assert WARNING in text
        assert "only the root is shown" in text
    if select == "consensus":
        assert len(model.dendrogram_) == len(X) - 1


@pytest.mark.parametrize("shape", ["uniform", "normal"])
@pytest.mark.parametrize("n_columns", [1, 2, 5, 10])
@pytest.mark.parametrize("n_items", [60, 300])
def test_more_columns_and_items_of_noise(shape: str, n_columns: int, n_items: int) -> None:
    X = noise(shape, n_items, n_columns)
    assert_root_alone(rbhmc.RBHMC(random_state=0).fit(X), X)


def test_a_draw_selected_by_its_likelihood_is_shown_with_a_warning() -> None:
    with pytest.warns(rbhmc.StructureWarning):
        model = rbhmc.RBHMC(random_state=0, select="rcdll").fit(noise("uniform"))
    assert np.array_equal(model.tree_.paths, model.draws_.paths[model.selected_])
    assert len(model.tree_.leaves) > 1
    assert model.verdict().text.startswith("do not read this tree: ")
    assert WARNING in model.verdict().tree.text


def test_without_a_reference_noise_keeps_its_tree() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", rbhmc.StructureWarning)
        model = rbhmc.RBHMC(random_state=0, reference=False).fit(noise("normal"))
    assert model.reference_ is None
    assert len(model.tree_) > 1
    assert "was not compared with tables without groups" in model.verdict().tree.text
    assert model.verdict().tree.status != "good"


def test_few_items_are_not_compared() -> None:
    model = rbhmc.RBHMC(random_state=0).fit(noise("normal", n_items=19))
    assert model.reference_ is None
    assert "too few items" in model.verdict().tree.text
    assert rbhmc.RBHMC(random_state=0).fit(noise("normal", n_items=20)).reference_ is not None


def test_groups_are_the_clusters() -> None:
    classes = np.repeat(np.arange(4), 20)
    X: Any = 9.0 * np.eye(4)[classes] + np.random.default_rng(1).normal(size=(80, 4))
    model = rbhmc.RBHMC(random_state=0).fit(X)
    assert adjusted_rand_score(classes, model.labels_) == 1.0
    assert model.reference_ is not None
    assert (model.reference_.n_as_separated, model.reference_.n_as_compact) == (0, 0)
    assert model.verdict().tree.status == "good"
    assert WARNING not in " ".join(model.summary().split())


def test_identical_items_are_one_cluster() -> None:
    model = rbhmc.RBHMC(random_state=0).fit(np.zeros((5, 2)))
    assert [node.id for node in model.tree_.nodes] == ["root"]
    assert set(model.labels_) == {0}
    assert model.verdict().tree.text.startswith("the tree is the root alone")
