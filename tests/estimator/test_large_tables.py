"""Tables with many items: a sample is linked, the others are attached, and no N² array is made."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import rbhmc
from rbhmc.posterior import similarity

CENTRES = np.array([[0.0, 0.0], [15.0, 0.0], [0.0, 15.0]])


def make_table(n_items: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    classes = rng.integers(3, size=n_items)
    return CENTRES[classes] + rng.normal(size=(n_items, 2)), classes


def test_no_array_of_all_pairs_is_made() -> None:
    n_items = 6_000
    X, classes = make_table(n_items)
    settings: Any = {"n_chains": 1, "n_warmup": 2, "n_draws": 2, "thin": 1, "max_items": None}
    model = rbhmc.RBHMC(random_state=0, **settings)
    tracemalloc.start()
    try:
        model.fit(X)
        model.predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Two counts of the pairs of 5,000 items with four bytes each, and their distances with eight.
    assert peak < 16 * 5_000**2 + 2**25
    assert len(model.dendrogram_items_) == 5_000
    assert model.dendrogram_.shape == (4_999, 4)
    assert model.labels_.shape == (n_items,)
    assert len(classes) == sum(node.size for node in model.tree_.clusters)


def test_items_outside_the_sample_have_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "MAX_PAIRWISE_ITEMS", 60)
    X, classes = make_table(300)
    model = rbhmc.RBHMC(random_state=0).fit(X)
    assert len(model.dendrogram_items_) == 60
    assert (np.diff(model.dendrogram_items_) > 0).all()
    assert model.dendrogram_.shape == (59, 4)
    assert adjusted_rand_score(classes, model.labels_) == 1.0
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.predict(X + 0.1), model.labels_)
    again = rbhmc.RBHMC(random_state=0).fit(X)
    assert again.tree_ == model.tree_
    assert np.array_equal(again.dendrogram_items_, model.dendrogram_items_)
