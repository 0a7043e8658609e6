"""Tables with categories, dates, several units and gaps, from data frame to tree and back."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from palmerpenguins import load_penguins
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score, homogeneity_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import rbhmc
from rbhmc import _core
from rbhmc.columns.encoding import CATEGORY_WEIGHT
from rbhmc.preparation import Preparation
from rbhmc.projection import GRID

QUICK: dict[str, Any] = {"n_chains": 2, "n_draws": 10, "random_state": 0}


def make_frame(n: int = 60, seed: int = 0) -> pd.DataFrame:
    """Three groups that differ in a number, a category and a date."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    return pd.DataFrame(
        {
            "mass": 1000.0 * group + rng.normal(size=n) * 50,
            "length": 0.1 * group + rng.normal(size=n) * 0.01,
            "colour": np.array(["red", "green", "blue"])[group],
            "sex": np.where(rng.random(n) < 0.5, "f", "m"),
            "born": pd.Timestamp("2001-01-01") + pd.to_timedelta(group * 900, unit="D"),
        }
    )


def best_ari(model: rbhmc.RBHMC, classes: Any) -> float:
    depths = range(1, model.tree_.n_levels + 1)
    return max(float(adjusted_rand_score(classes, model.labels_at(each))) for each in depths)


def test_encoding_speaks_of_columns_and_categories() -> None:
    frame = make_frame()
    model = rbhmc.RBHMC(random_state=0).fit(frame)
    assert model.tree_.feature_names == (
        "mass", "length", "colour=blue", "colour=green", "colour=red", "sex=m", "born (year)"
    )  # fmt: skip
    assert homogeneity_score(np.arange(60) % 3, model.labels_) == 1.0
    root = model.tree_.root.centroid
    assert root is not None
    assert root[0] == pytest.approx(frame["mass"].mean())
    assert root[2:5] == pytest.approx([1 / 3] * 3)
    assert list(model.feature_names_in_) == frame.columns.tolist()
    explained = rbhmc.posterior.explain(model, model.tree_.root.children[0])
    assert {feature.name for feature in explained.features} == set(model.tree_.feature_names)


def test_weights_are_those_of_the_factor_analysis_of_mixed_data() -> None:
    frame = make_frame()
    preparation = Preparation(n_pca=None, scale=False).fit(frame)
    prepared = preparation.transform(frame)
    std = prepared.std(axis=0)
    assert std[[0, 1, 6]] == pytest.approx(1.0)
    assert std[5] == pytest.approx(CATEGORY_WEIGHT)
    # Σ_k p_k (1 - p_k) / p_k = K - 1.
    assert (std[2:5] ** 2).sum() == pytest.approx(2 * CATEGORY_WEIGHT**2)
    encoded = preparation.encode(frame)
    np.testing.assert_allclose(preparation.inverse_transform(prepared), encoded)


def test_an_unseen_category_is_none_of_the_known_with_a_warning() -> None:
    frame = make_frame()
    model = rbhmc.RBHMC(**QUICK).fit(frame)
    new = frame.iloc[:2].assign(colour=["violet", "red"])
    with pytest.warns(UserWarning, match="fitted on.*'colour' \\('violet'\\)"):
        encoded = model.preparation_.encode(new)
    assert encoded[:, 2:5].tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    with pytest.warns(UserWarning, match="colour"):
        assert model.predict(new).shape == (2,)


def test_a_text_that_cannot_be_read_is_a_gap_with_a_warning() -> None:
    frame = make_frame()[["mass", "length", "born"]].astype({"mass": str})
    model = rbhmc.RBHMC(**QUICK).fit(frame)
    with pytest.warns(UserWarning, match="are gaps: 'mass' \\(1\\)"):
        encoded = model.preparation_.encode(frame.iloc[:3].assign(mass=["1.5", "about 3", "NA"]))
    assert np.isnan(encoded[:, 0]).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mass": ["31000 g", "31 kg", "31"]}, r"'mass' \(1\) such as '31000 g'"),
        ({"mass": pd.to_datetime(["2001-01-01"] * 3)}, r"'mass' \(3\) such as '2001-01-01'"),
        ({"mass": pd.to_timedelta([6] * 3, unit="h")}, r"'mass' \(3\) such as '0.25 days'"),
        ({"born": [2001.5, 2002, np.nan]}, r"'born' \(2\) such as '2001.5'"),
        ({"tame": pd.to_datetime(["2001-01-01T12:00"] * 3)}, r"'2001-01-01T12:00:00'"),
    ],
)
def test_a_value_of_another_kind_or_unit_is_a_gap_with_a_warning(
    values: dict[str, Any], words: str
) -> None:
    frame = make_frame()[["mass", "born"]].assign(tame=[True, False] * 30)
    preparation = Preparation().fit(frame.assign(mass=[f"{mass} kg" for mass in frame["mass"]]))
    new = frame.iloc[:3].assign(**values)
    with pytest.warns(UserWarning, match=words):
        encoded = preparation.encode(new)
    column = list(frame).index(next(iter(values)))
    assert np.isnan(encoded[0]).tolist() == [at == column for at in range(3)]
    if "31 kg" in new["mass"].tolist():
        assert encoded[1:, 0].tolist() == [31.0, 31.0]


def test_texts_in_place_of_dates_and_of_numbers_are_read() -> None:
    frame = make_frame()[["mass", "born"]]
    preparation = Preparation().fit(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoded = preparation.encode(frame.astype(str))
    np.testing.assert_allclose(encoded, preparation.encode(frame))


def test_an_unseen_number_among_categories_is_named_as_it_is_written() -> None:
    frame = make_frame()
    preparation = Preparation().fit(frame)
    with pytest.warns(UserWarning, match="fitted on.*'colour' \\('3'\\)"):
        preparation.encode(frame.assign(colour=3))


def test_units_do_not_matter_if_columns_count_alike() -> None:
    frame = make_frame()
    other = frame.assign(mass=frame["mass"] / 1000.0, length=frame["length"] * 100.0)
    one, two = (rbhmc.RBHMC(**QUICK).fit(each) for each in (frame, other))
    assert np.array_equal(one.draws_.paths, two.draws_.paths)


# Two clusters of iris, one species and the other two, have 0.57.
@pytest.mark.parametrize(
    ("load", "counts_alike", "least"),
    [(load_wine, True, 0.75), (load_breast_cancer, True, 0.60), (load_iris, False, 0.56)],
)
def test_units_are_judged(load: Any, counts_alike: bool, least: float) -> None:
    bunch = load(as_frame=True)
    model = rbhmc.RBHMC(random_state=0).fit(bunch.data)
    preparation = model.preparation_
    assert (preparation.weights_ is not None) == counts_alike
    assert preparation.units_.startswith(
        "columns are standardised: otherwise"
        if counts_alike
        else "columns are not standardised: no unit"
    )
    assert preparation.units_ in " ".join(model.summary().split())
    assert (
        max(best_ari(model, bunch.target), adjusted_rand_score(bunch.target, model.labels_)) > least
    )


def test_penguins_with_all_their_columns() -> None:
    penguins = load_penguins()
    model = rbhmc.RBHMC(random_state=0).fit(penguins.drop(columns="species"))
    assert best_ari(model, penguins["species"]) >= 0.75


def test_standardize_can_be_asked_for() -> None:
    X = load_iris().data
    on, off, auto = (rbhmc.RBHMC(**QUICK, standardize=how).fit(X) for how in ("on", "off", "auto"))
    assert np.array_equal(off.draws_.paths, auto.draws_.paths)
    assert not np.array_equal(on.prepared_, off.prepared_)
    assert on.preparation_.units_ == "columns are standardised: as asked"
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(
        Preparation(standardize="on").fit_transform(X),
        Preparation().fit_transform(scaled),
        atol=1e-8,
    )
    with pytest.raises(rbhmc.InvalidInput, match="standardize is 'yes'"):
        rbhmc.RBHMC(standardize="yes").fit(X)  # type: ignore[arg-type]


def test_in_a_pipeline_with_pandas_output() -> None:
    frame = make_frame()[["mass", "length"]]
    pipeline = make_pipeline(StandardScaler(), rbhmc.RBHMC(**QUICK)).set_output(transform="pandas")
    model = pipeline.fit(frame)[-1]
    assert model.tree_.feature_names == ("mass", "length")
    assert pipeline.predict(frame).tolist() == model.labels_.tolist()
    table = Preparation().set_output(transform="pandas").fit_transform(frame)
    assert sorted(table.columns) == ["length", "mass"]
    assert repr(rbhmc.RBHMC(n_levels=2)) == "RBHMC(n_levels=2)"


def test_sample_weight_is_refused() -> None:
    with pytest.raises(rbhmc.InvalidInput, match="does not take sample_weight"):
        rbhmc.RBHMC(**QUICK).fit(make_frame(), sample_weight=np.ones(60))
    with pytest.raises(TypeError, match="unexpected keyword arguments: weights"):
        rbhmc.RBHMC(**QUICK).fit(make_frame(), weights=np.ones(60))


def test_numbers_in_a_data_frame_give_the_draws_of_the_array() -> None:
    X = load_iris().data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = rbhmc.RBHMC(**QUICK).fit(pd.DataFrame(X, columns=list("abcd")))
    assert np.array_equal(frame.draws_.rcdll, rbhmc.RBHMC(**QUICK).fit(X).draws_.rcdll)


@pytest.mark.parametrize("load", [load_iris, load_digits, rbhmc.datasets.load_animals])
def test_tables_in_one_unit_give_the_same_draws_as_without_any_of_this(load: Any) -> None:
    X = load().data[:120]
    auto = rbhmc.RBHMC(**QUICK).fit(X)
    preparation = auto.preparation_
    assert preparation.weights_ is None and preparation.imputer_ is None
    # The table of the sampler is the one of before: centred, projected if wide, times one factor.
    table = X[:, preparation.order_]
    if preparation.pca_ is None:
        projected = table - table.mean(axis=0)
    else:
        projected = _core.project(
            np.ascontiguousarray(table), preparation.pca_.mean_, preparation.pca_.components_
        )
    expected = np.rint(projected * preparation.factor_ * GRID) / GRID
    assert np.array_equal(auto.prepared_, expected)
    plain = rbhmc.RBHMC(**QUICK, standardize="off", missing="error").fit(X)
    assert np.array_equal(auto.draws_.paths, plain.draws_.paths)
    assert np.array_equal(auto.draws_.rcdll, plain.draws_.rcdll)
    # A control, which must differ.
    other = rbhmc.RBHMC(**QUICK, standardize="on").fit(X)
    assert not np.array_equal(auto.draws_.rcdll, other.draws_.rcdll)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_mixed_frame_in_a_pipeline(library: str) -> None:
    frame = make_frame() if library == "pandas" else pl.from_pandas(make_frame())
    same = FunctionTransformer().set_output(transform=library)
    pipeline = make_pipeline(same, rbhmc.RBHMC(**QUICK)).fit(frame)
    model = pipeline[-1]
    assert pipeline.predict(frame).tolist() == model.labels_.tolist()
    assert "60 items x 5 features" in model.summary()
    assert "colour feature category blue, green, red" in " ".join(model.summary().split())
    assert "colour" in model._repr_html_()
