"""Features that separate nodes, in the user's units."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import rbhmc
from metrics.trees import Paths
from posterior.brute_force import as_draws
from rbhmc import InvalidInput
from rbhmc.posterior import explain
from support import SAMPLER_DEFAULTS

QUICK: dict[str, Any] = {
    **SAMPLER_DEFAULTS,
    "n_levels": 1,
    "n_chains": 2,
    "n_warmup": 300,
    "n_draws": 300,
}
CENTRES = np.array([[0.0, 10.0, 3.0], [8.0, 10.0, 3.0], [0.0, 18.0, 3.0]])
CLASSES = np.repeat([0, 1, 2], [12, 9, 7])
NOISE = np.random.default_rng(1).normal(size=(28, 3)) * [0.5, 0.4, 0.0]
X = pd.DataFrame(CENTRES[CLASSES] + NOISE, columns=["width", "weight", "legs"])


@pytest.fixture(scope="module")
def model() -> rbhmc.RBHMC:
    return rbhmc.RBHMC(**QUICK, random_state=0).fit(X)


def with_draws(model: rbhmc.RBHMC, paths: Paths) -> rbhmc.RBHMC:
    """Return the same model with other draws."""
    other = rbhmc.RBHMC(**QUICK)
    other.__dict__.update(model.__dict__)
    other.draws_ = as_draws(paths)
    return other


def test_differences_of_means(model: rbhmc.RBHMC) -> None:
    tree = model.tree_
    assert [node.size for node in tree.leaves] == [12, 9, 7]
    found = explain(model, "1", "2")
    assert found.n_apart == found.n_draws == 300
    means = X.groupby(CLASSES).mean().to_numpy()
    by_name = {feature.name: feature for feature in found.features}
    assert by_name.keys() == {"width", "weight"}  # a constant column of a data frame is left out
    for column, name in enumerate(["width", "weight"]):
        assert by_name[name].difference == pytest.approx(means[0, column] - means[1, column])
        assert by_name[name].low <= by_name[name].difference <= by_name[name].high
    assert found.features[0].name == "width"
    assert found.features[0].share > 0.95
    assert sum(feature.share for feature in found.features) == pytest.approx(1.0)
    deviations = by_name["width"].difference / X["width"].std(ddof=0)
    assert by_name["width"].deviations == pytest.approx(deviations)
    assert found.node == "1"
    assert found.others == ("2",)


def test_a_constant_column_separates_nothing() -> None:
    model = rbhmc.RBHMC(**QUICK, random_state=0).fit(X.to_numpy())
    by_name = {feature.name: feature for feature in explain(model, "1", "2").features}
    assert by_name["x2"].share == 0.0
    assert by_name["x0"].share > 0.95


def test_a_pair_the_other_way_round_has_the_other_sign(model: rbhmc.RBHMC) -> None:
    one, other = explain(model, "1", "3"), explain(model, "3", "1")
    for a, b in zip(one.features, other.features, strict=True):
        assert a.name == b.name
        assert (a.difference, a.low, a.high) == pytest.approx((-b.difference, -b.high, -b.low))
        assert a.share == pytest.approx(b.share)


def test_siblings_are_taken_together(model: rbhmc.RBHMC) -> None:
    found = explain(model, "3")
    assert found.others == ("1", "2")
    rest = X[CLASSES != 2].mean() - X[CLASSES == 2].mean()
    weight = next(feature for feature in found.features if feature.name == "weight")
    assert weight.difference == pytest.approx(-rest["weight"])
    assert found.features[0] == weight
    text = str(found).splitlines()
    assert text[0] == "3 less 1, 2: apart in 100% of 300 draws"
    assert text[1].startswith("weight  +")
    assert repr(found) == "Explanation('3' against ('1', '2'), 2 features)"
    frame = found.to_pandas()
    assert frame["name"].tolist()[0] == "weight"
    assert frame["share"].is_monotonic_decreasing


def test_principal_components_go_back_to_the_columns() -> None:
    # Two components represent three columns exactly, because two of them are proportional.
    table = X[["width", "weight"]].assign(copy=X["width"] * 3)
    model = rbhmc.RBHMC(**QUICK, n_pca=2, random_state=0).fit(table)
    for leaf in model.tree_.leaves:
        found = explain(model, leaf.id)
        inside = np.isin(np.arange(28), leaf.items)
        expected = table[inside].mean() - table[~inside].mean()
        assert len(model.tree_.leaves) > 1
        for feature in found.features:
            assert feature.difference == pytest.approx(expected[feature.name])


def test_uncertain_items_widen_the_interval(model: rbhmc.RBHMC) -> None:
    # In every third draw one item of the first class is with the second.
    draws = np.zeros((1, 300, 28, 1), np.int64) + CLASSES[:, None]
    sure = explain(with_draws(model, draws), "1", "2").features[0]
    assert sure.low == sure.difference == sure.high
    draws[:, ::3, 0] = 1
    unsure = explain(with_draws(model, draws), "1", "2").features[0]
    assert unsure.difference == pytest.approx(sure.difference)
    means = X["width"].groupby(draws[0, 0, :, 0]).mean()
    ends = sorted([sure.difference, means[0] - means[1]])
    assert (unsure.low, unsure.high) == pytest.approx(ends)


def test_a_node_within_another_is_compared_with_the_rest(model: rbhmc.RBHMC) -> None:
    # Classes 0 and 1 form a node, and class 0 a node within it.
    paths = np.stack([CLASSES // 2, CLASSES // 2 + 2 * (np.arange(28) < 12)], axis=1)
    draws = np.tile(paths, (1, 40, 1, 1))
    widths = X["width"].groupby(CLASSES).mean()
    found = explain(with_draws(model, draws), "1", "2")
    assert found.n_apart == 40
    assert found.features[0].difference == pytest.approx(widths[0] - widths[1])
    back = explain(with_draws(model, draws), "2", "1")
    assert back.features[0].difference == pytest.approx(widths[1] - widths[0])


def test_nodes_that_are_never_apart_have_no_differences(model: rbhmc.RBHMC) -> None:
    found = explain(with_draws(model, np.zeros((1, 50, 28, 2), np.int64)), "1")
    assert (found.n_draws, found.n_apart) == (50, 0)
    assert np.isnan([feature.difference for feature in found.features]).all()
    assert "apart in 0% of 50 draws" in str(found)


def test_invalid_input(model: rbhmc.RBHMC) -> None:
    with pytest.raises(InvalidInput, match="root has no siblings"):
        explain(model, "root")
    with pytest.raises(InvalidInput, match="'root' and node '1' share items"):
        explain(model, "root", "1")
    with pytest.raises(KeyError, match="no node '9'"):
        explain(model, "1", "9")
    with pytest.raises(ValueError, match="not fitted"):
        explain(rbhmc.RBHMC(), "1")
