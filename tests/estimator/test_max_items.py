"""A model of a sample: the tree is that of the sample, and every item has a label."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rbhmc
from rbhmc import InvalidInput

SHORT: dict[str, Any] = {"n_chains": 2, "n_warmup": 30, "n_draws": 5, "noise_warmup": 10}


def three_groups() -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [12.0, 0.0], [0.0, 15.0]])
    return centres[rng.integers(3, size=150)] + rng.normal(size=(150, 2))


def fit(X: NDArray[np.float64], max_items: int | None) -> rbhmc.RBHMC:
    return rbhmc.RBHMC(max_items=max_items, random_state=0, **SHORT).fit(X, progress=False)


def test_the_tree_is_that_of_the_sample_and_predict_labels_the_others() -> None:
    X = three_groups()
    model = fit(X, 60)
    assert model.tree_.n_items == model.draws_.n_items == len(model.prepared_) == 60
    assert model.draws_.names == tuple(str(item) for item in model.items_)
    assert (np.diff(model.items_) > 0).all()
    assert np.array_equal(model.labels_[model.items_], model.tree_.labels)
    assert np.array_equal(model.labels_, model.predict(X))
    assert np.array_equal(model.leaves_[model.items_], model.tree_.leaf_labels)
    assert len(model.labels_at(1)) == 150
    assert np.array_equal(model.labels_at(1)[model.items_], model.tree_.labels_at(1))
    assert "150 items x 2 features" in model.summary()
    assert "a sample of 60 is fitted" in model.summary()


def test_labels_do_not_depend_on_the_size_of_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    X = three_groups()
    labels = fit(X, 60).labels_
    monkeypatch.setattr("rbhmc.placement.ITEMS_PER_BLOCK", 7)
    assert np.array_equal(fit(X, 60).labels_, labels)


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    X = three_groups()
    limited, full = fit(X, 150), fit(X, None)
    assert np.array_equal(limited.items_, np.arange(150))
    assert np.array_equal(limited.draws_.paths, full.draws_.paths)
    assert np.array_equal(limited.labels_, full.labels_)


@pytest.mark.parametrize("max_items", [1, 0, 2.5, "all"])
def test_another_limit_is_refused(max_items: object) -> None:
    with pytest.raises((InvalidInput, TypeError), match="max_items"):
        rbhmc.RBHMC(max_items=max_items, **SHORT).fit(three_groups())  # type: ignore[arg-type]


def test_by_default_five_thousand_items_are_fitted() -> None:
    X = np.repeat(three_groups(), 34, axis=0)
    settings: dict[str, Any] = {"n_chains": 1, "n_warmup": 1, "n_draws": 1, "noise_warmup": 0}
    model = rbhmc.RBHMC(random_state=0, reference=False, **settings).fit(X, progress=False)
    assert (model.tree_.n_items, len(model.labels_)) == (5_000, 5_100)
