"""Gaps: draws for each chain, what they cost, and items that are dropped or refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import rbhmc
from rbhmc.preparation import Preparation

QUICK: dict[str, Any] = {"n_chains": 2, "n_draws": 10, "random_state": 0}
IRIS = load_iris().data


def with_gaps(share: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    is_gap = rng.random(IRIS.shape) < share
    is_gap[np.arange(150), rng.integers(4, size=150)] = False
    return np.where(is_gap, np.nan, IRIS)


def make_frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    group = np.arange(60) % 3
    colour = np.array(["red", "green", "blue"], object)[group]
    colour[::7] = None
    mass = 5.0 * group + rng.normal(size=60)
    mass[::5] = np.nan
    return pd.DataFrame(
        {"mass": mass, "length": group + 0.1 * rng.normal(size=60), "colour": colour}
    )


def test_draws_differ_only_where_there_are_gaps() -> None:
    frame = make_frame()
    preparation = Preparation().fit(frame)
    encoded = preparation.encode(frame)
    is_gap = np.isnan(encoded)
    one, again, other = (preparation.fill(encoded, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert np.array_equal(one[~is_gap], encoded[~is_gap])
    assert np.array_equal(other[~is_gap], encoded[~is_gap])
    assert (one[is_gap[:, 0], 0] != other[is_gap[:, 0], 0]).all()
    # Numbers stay within what was seen, and a category is one of the three.
    assert (
        np.nanmin(encoded[:, 0]) <= one[:, 0].min() <= one[:, 0].max() <= np.nanmax(encoded[:, 0])
    )
    assert set(one[:, 2:].ravel()) == {0.0, 1.0}
    assert (one[:, 2:].sum(axis=1) == 1.0).all()
    # Other columns tell the group, and with it the category.
    expected = preparation.fill(encoded)
    group = np.arange(60) % 3
    assert (expected[is_gap[:, 2], 2:].argmax(axis=1) == 2 - group[is_gap[:, 2]]).all()


def test_a_fit_with_gaps_is_the_same_again() -> None:
    X = with_gaps(0.2)
    one = rbhmc.RBHMC(**QUICK).fit(X)
    other = rbhmc.RBHMC(**QUICK, n_jobs=2).fit(X)
    assert np.array_equal(one.draws_.rcdll, other.draws_.rcdll)
    assert np.isfinite(one.prepared_).all()
    assert (one.predict(X) == one.labels_).all()


def test_a_run_with_gaps_is_resumed(tmp_path: Path) -> None:
    X = with_gaps(0.2)
    whole = rbhmc.RBHMC(**QUICK).fit(X)
    rbhmc.RBHMC(**{**QUICK, "n_draws": 4}).fit(X, checkpoint_dir=tmp_path / "run")
    resumed = rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path / "run", resume=True)
    assert np.array_equal(whole.draws_.rcdll, resumed.draws_.rcdll)


def test_supports_fall_as_gaps_rise() -> None:
    complete = rbhmc.RBHMC(random_state=0).fit(IRIS)

    def mean_support(share: float) -> float:
        draws = rbhmc.RBHMC(random_state=0).fit(with_gaps(share)).draws_
        nodes = rbhmc.posterior.with_support_from(complete.tree_, draws).nodes[1:]
        return float(np.mean([node.support for node in nodes if node.support is not None]))

    none, some, many = (mean_support(share) for share in (0.0, 0.2, 0.4))
    assert none > some > many


def test_new_items_may_have_gaps() -> None:
    model = rbhmc.RBHMC(random_state=0).fit(IRIS)
    new = IRIS[[0, 60, 120]].copy()
    new[:, 1] = np.nan
    assert (model.predict(new) == model.labels_[[0, 60, 120]]).all()
    assert np.allclose(model.predict_path_proba(new).sum(axis=1), 1.0)


def test_items_with_gaps_can_be_dropped() -> None:
    X = with_gaps(0.05)
    complete = ~np.isnan(X).any(axis=1)
    model = rbhmc.RBHMC(**QUICK, missing="drop").fit(X)
    assert ((model.labels_ >= 0) == complete).all()
    assert model.tree_.n_items == complete.sum()
    assert model.tree_.names == tuple(str(n) for n in np.flatnonzero(complete))
    plain = rbhmc.RBHMC(**QUICK).fit(X[complete])
    assert np.array_equal(model.draws_.paths, plain.draws_.paths)
    assert (model.predict(X)[complete] == model.labels_[complete]).all()
    with pytest.raises(rbhmc.InvalidInput, match="leaves no items"):
        rbhmc.RBHMC(missing="drop").fit([[1.0, np.nan], [np.nan, 2.0]])


def test_gaps_can_be_refused() -> None:
    with pytest.raises(
        rbhmc.InvalidInput, match=r"19 rows have gaps, in mass \(12\), colour \(9\);"
    ):
        rbhmc.RBHMC(missing="error").fit(make_frame())
    model = rbhmc.RBHMC(**QUICK, missing="error").fit(IRIS)
    new = IRIS[:3].copy()
    new[1, 2] = np.nan
    for method in (model.predict, model.predict_path_proba, model.preparation_.transform):
        with pytest.raises(rbhmc.InvalidInput, match=r"1 row has gaps, in x2 \(1\);"):
            method(new)
    with pytest.raises(rbhmc.InvalidInput, match="missing is 'mean'"):
        rbhmc.RBHMC(missing="mean").fit(IRIS)  # type: ignore[arg-type]


def test_empty_columns_are_left_out() -> None:
    X = np.column_stack([IRIS, np.full(150, np.nan)])
    model = rbhmc.RBHMC(**QUICK).fit(X)
    assert np.array_equal(model.draws_.paths, rbhmc.RBHMC(**QUICK).fit(IRIS).draws_.paths)
    line = model.preparation_.describe_columns().splitlines()[-1]
    assert line.split() == ["x4", "left", "out", "number", "150", "empty"]


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, "", "NA", "?", "-"])
def test_all_kinds_of_gaps(gap: object) -> None:
    frame = pd.DataFrame(
        {"a": [gap, 1.5, 2.5, 9.0, 8.5], "b": [1.0, 2.0, 3.0, 9.0, 8.0]}, dtype=object
    )
    assert np.isnan(Preparation().fit(frame).encode(frame)).tolist()[0] == [True, False]


def test_categories_with_gaps_are_counted() -> None:
    frame = make_frame().assign(member=lambda each: (each["length"] > 0.5).astype(float))
    frame.loc[::6, "member"] = np.nan
    tree = rbhmc.RBHMC(**QUICK).fit(frame).tree_
    assert tree.features is not None
    assert tree.features.is_binary.tolist() == [False, False, True, True, True, True]
    text = str(tree.describe())
    assert "colour = " in text
    assert "colour=" not in text


def test_gaps_among_zeros_and_ones_are_zeros_and_ones() -> None:
    X = np.heaviside(IRIS - IRIS.mean(axis=0), 1.0)
    X[::9, 1] = np.nan
    preparation = Preparation().fit(X)
    assert set(preparation.fill(X, seed=1).ravel()) == {0.0, 1.0}
    assert 0.0 < preparation.fill(X)[::9, 1].mean() < 1.0
