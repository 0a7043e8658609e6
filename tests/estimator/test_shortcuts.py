"""The figures and texts that a fitted model offers by itself."""

from collections.abc import Iterator
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


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.mark.parametrize(
    "name",
    [
        "plot_tree",
        "plot_co_occurrence",
        "plot_co_occurrence_grid",
        "plot_traces",
        "plot_tree_size",
        "plot_plane",
    ],
)
def test_figures(model: rbhmc.RBHMC, name: str) -> None:
    axes = np.atleast_1d(getattr(model, name)())
    for ax in axes.flat:
        assert ax.get_figure(root=True) is not None


def test_the_summary_says_everything(model: rbhmc.RBHMC) -> None:
    text = model.summary()
    assert text.startswith("12 items x 2 features, times ")
    assert str(model.tree_) in text
    assert "R-hat" in text
    assert str(model.diagnostics().verdict.text.split()[-1]) in text.split()[-1]


def test_the_tree_carries_how_sure_each_node_is(model: rbhmc.RBHMC) -> None:
    found = rbhmc.posterior.support(model.tree_, model.draws_)
    shares = {node.id: (node.support, node.at_level, node.overlap) for node in model.tree_}
    assert shares == found
    assert model.tree_ == rbhmc.Tree.from_json(model.tree_.to_json())


def test_the_consensus_takes_its_options(model: rbhmc.RBHMC) -> None:
    assert model.consensus() == rbhmc.posterior.consensus(model.draws_)
    greedy = model.consensus(greedy=True, threshold=0.1)
    assert greedy == rbhmc.posterior.consensus(model.draws_, greedy=True, threshold=0.1)


def test_a_model_that_is_not_fitted_says_so() -> None:
    for name in ("plot_tree", "plot_traces", "plot_plane", "summary", "diagnostics"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(rbhmc.RBHMC(), name)()
