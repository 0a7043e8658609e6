"""The summary and the figure of a fitted model, and the supports of its tree."""

from typing import Any

import numpy as np
import pytest

import rbhmc

pyplot = pytest.importorskip("matplotlib.pyplot")
X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 4, axis=0) + np.random.default_rng(0).normal(
    size=(12, 2)
)


@pytest.fixture(scope="module", params=[0.0, 1.0])
def model(request: pytest.FixtureRequest) -> rbhmc.RBHMC:
    settings: dict[str, Any] = {"n_chains": 2, "n_warmup": 100, "n_draws": 50, "random_state": 0}
    return rbhmc.RBHMC(**settings, C=request.param).fit(X)


def test_plot_tree_draws_the_presented_tree(model: rbhmc.RBHMC) -> None:
    assert model.plot_tree().figure is not None
    pyplot.close("all")


def test_the_summary_holds_tree_diagnostics_and_verdict(model: rbhmc.RBHMC) -> None:
    text = model.summary()
    assert text.startswith("12 items x 2 features, times ")
    assert str(model.tree_) in text
    assert "R-hat" in text
    assert model.verdict().text.replace("\n", " ") in " ".join(text.split())


def test_one_of_each_is_named_in_the_singular() -> None:
    settings: dict[str, Any] = {"n_levels": 1, "n_chains": 1, "n_draws": 1, "thin": 1}
    model = rbhmc.RBHMC(**settings, random_state=0).fit([[0.0]])
    text = " ".join(model.summary().split())
    assert text.startswith("1 item x 1 feature, times 1; RBHMC, 1 level, C = 1")
    assert "1 chain x 1 draw, every sweep after 80" in text


def test_diagnostics_are_computed_once(model: rbhmc.RBHMC) -> None:
    assert model.diagnostics() is model.diagnostics()


def test_the_tree_carries_the_support_of_each_node(model: rbhmc.RBHMC) -> None:
    expected = rbhmc.posterior.support(model.tree_, model.draws_)
    for node in model.tree_:
        if node.is_remainder:
            assert (node.support, node.exact) == (None, None)
        else:
            assert (node.support, node.exact) == pytest.approx(expected[node.id])
    assert {node.id for node in model.tree_} == expected.keys()
    again = rbhmc.posterior.with_support_from(model.tree_, model.draws_)
    for one, other in zip(model.tree_, again, strict=True):
        assert one.support == pytest.approx(other.support)
    assert model.tree_ == rbhmc.Tree.from_json(model.tree_.to_json())


def test_methods_of_a_model_that_is_not_fitted_say_so() -> None:
    for name in ("plot_tree", "summary", "diagnostics"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(rbhmc.RBHMC(), name)()
