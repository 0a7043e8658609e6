"""Every column gets a kind, a role and a reason, in any kind of data frame."""

import re
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray
from scipy.sparse import csr_matrix, dok_array

import rbhmc
from rbhmc.columns import item_index, learn_columns, looks_like_class, raw_columns

FRAME = pd.DataFrame(
    {
        "patient_id": np.arange(100, 112),
        "age": [31, 45, 27, None, 60, 51, 44, 39, 28, 36, 70, 33],
        "sex": ["f", "m"] * 6,
        "smokes": [True, False, None, True] * 3,
        "ward": ["east", "west", "north"] * 4,
        "seen": pd.to_datetime(["2024-01-01", "2024-03-01", None] * 4),
        "pain": pd.Categorical(
            ["low", "high", "some"] * 4, categories=["low", "some", "high"], ordered=True
        ),
        "cost": ["$1,200", "$80", "?", "$950"] * 3,
        "clinic": ["A"] * 12,
        "empty": [None] * 12,
        "note": [f"text {n % 9}" for n in range(12)],
        "row": range(12),
    }
)


def kinds_and_roles(X: Any) -> dict[str, tuple[str, str]]:
    columns = learn_columns(raw_columns(X))
    return {column.name: (column.kind, column.role) for column in columns}


def test_kinds_and_roles() -> None:
    assert kinds_and_roles(FRAME) == {
        "patient_id": ("number", "name"),
        "age": ("number", "feature"),
        "sex": ("category", "feature"),
        "smokes": ("yes/no", "feature"),
        "ward": ("category", "feature"),
        "seen": ("date", "feature"),
        "pain": ("ordered", "feature"),
        "cost": ("number", "feature"),
        "clinic": ("text", "left out"),
        "empty": ("number", "left out"),
        "note": ("text", "left out"),
        "row": ("number", "left out"),
    }


def test_categories_of_polars() -> None:
    names = [f"n{n}" for n in range(12)]
    frame = pl.DataFrame(
        {
            "many": pl.Series(["b", "a", None, "c"] * 3, dtype=pl.Categorical),
            "who": pl.Series(names, dtype=pl.Categorical),
        }
    )
    many, who = learn_columns(raw_columns(frame))
    assert (many.kind, many.values, many.n_gaps) == ("category", ("a", "b", "c"), 3)
    assert who.role == "name"


def test_polars_and_pandas_are_understood_alike() -> None:
    plain = FRAME.drop(columns=["pain"])
    other = pl.DataFrame(
        {
            name: [None if pd.isna(value) else value for value in plain[name]]
            for name in plain.columns
        },
        strict=False,
    ).with_columns(
        pl.Series("pain", FRAME["pain"].tolist(), dtype=pl.Enum(["low", "some", "high"]))
    )
    expected = kinds_and_roles(FRAME)
    assert {name: expected[name] for name in other.columns} == kinds_and_roles(other)
    settings: dict[str, Any] = {"n_chains": 2, "n_draws": 5, "random_state": 0}
    ours = rbhmc.RBHMC(**settings).fit(FRAME[other.columns])
    theirs = rbhmc.RBHMC(**settings).fit(other)
    assert np.array_equal(ours.draws_.paths, theirs.draws_.paths)
    assert ours.tree_.feature_names == theirs.tree_.feature_names


@pytest.mark.parametrize("name", ["id", "item_id", "Index", "row_index", "Part No", "Unnamed: 0"])
def test_numbers_that_identify_items_name_them(name: str) -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5, 9.0], name: [7, 9, 8]})
    assert kinds_and_roles(frame)[name] == ("number", "name")


def test_answers_and_measurements_do_not_identify_items() -> None:
    frame = pd.DataFrame(
        {
            "cancer_yes": [126, 908, 913, 235],
            "cancer_no": [100, 688, 747, 172],
            "price_index": [101, 99, 130, 85],
        }
    )
    assert set(kinds_and_roles(frame).values()) == {("number", "feature")}
    assert kinds_and_roles(frame.rename(columns={"cancer_yes": "cancer_some"}))["cancer_no"] == (
        "number",
        "name",
    )


def test_a_column_does_not_name_items_that_the_index_names() -> None:
    frame = pd.DataFrame({"id": [7, 9, 8], "who": ["x", "y", "z"], "a": [1.5, 2.5, 9.0]})
    named = frame.set_axis(["u", "v", "w"], axis=0)
    model = rbhmc.RBHMC(n_chains=2, n_draws=3, random_state=0).fit(named)
    assert model.tree_.names == ("u", "v", "w")
    roles = [column.role for column in model.preparation_.encoding_.columns]
    assert roles == ["left out", "left out", "feature"]


def test_text_goes_before_numbers_and_one_column_names_the_items() -> None:
    frame = pd.DataFrame(
        {"id": [1, 2, 3], "who": ["x", "y", "z"], "other": ["p", "q", "r"], "a": [1, 5, 2.5]}
    )
    found = {name: role for name, (_, role) in kinds_and_roles(frame).items()}
    assert found == {"id": "left out", "who": "name", "other": "left out", "a": "feature"}
    model = rbhmc.RBHMC(n_chains=2, n_draws=3, random_state=0).fit(frame)
    assert model.tree_.names == ("x", "y", "z")
    # An index with names goes first.
    named = frame.set_axis(["u", "v", "w"], axis=0)
    assert rbhmc.RBHMC(n_chains=2, n_draws=3, random_state=0).fit(named).tree_.names[0] == "u"


def test_a_table_that_only_counts_stays_a_table() -> None:
    assert kinds_and_roles(pd.DataFrame({"a": range(12)})) == {"a": ("number", "feature")}
    equal = pd.DataFrame({"a": [1.0, 1.0], "b": [2.0, 2.0]})
    assert kinds_and_roles(equal) == {"a": ("number", "feature"), "b": ("number", "feature")}


def test_a_column_that_is_mostly_gaps_is_left_out() -> None:
    some = [1.0, 2.5, 4.0, *[None] * 3]
    frame = pd.DataFrame({"few": [*some[:2], *[None] * 4], "some": some, "all": range(3, 9)})
    few, some_column, _ = learn_columns(raw_columns(frame))
    assert (few.role, few.note) == ("left out", "67% gaps")
    assert some_column.role == "feature"


def test_none_is_one_of_several_words_and_a_gap_among_numbers_and_dates() -> None:
    frame = pd.DataFrame(
        {
            "pain": ["none", "mild", "severe"] * 4,
            "drinks": ["None", "beer", "wine", None] * 3,
            "rash": pd.Categorical(["none", "arm", "leg"] * 4),
            "smokes": ["yes", "no", "none"] * 4,
            "age": ["31", "45.5", "none"] * 4,
            "seen": ["2024-01-01", "2024-03-01", "None"] * 4,
        }
    )
    columns = learn_columns(raw_columns(frame))
    assert [(column.kind, column.n_gaps) for column in columns] == [
        ("ordered", 0),
        ("category", 3),
        ("category", 0),
        ("yes/no", 4),
        ("number", 4),
        ("date", 4),
    ]
    assert columns[0].values == ("none", "mild", "severe")
    assert (columns[4].n_unread, columns[4].note) == (0, "")
    # Of new items it is a gap where the table had other words alone.
    without = learn_columns(raw_columns(frame.iloc[[1, 2, 5, 8]]))[0]
    assert np.isnan(without.read(raw_columns(frame)[0])[:3]).tolist() == [True, False, False]


def test_likely_classes_are_named_and_stay_features() -> None:
    frame = pd.DataFrame({"Species": ["a", "b"] * 5, "x": np.arange(10) ** 2.0})
    columns = learn_columns(raw_columns(frame))
    assert [looks_like_class(column) for column in columns] == [True, False]
    assert columns[0].role == "feature"


def test_arrays_have_no_roles_except_for_empty_columns() -> None:
    table = np.array([[0, "x", None], [1, "y", None], [2, "z", None]], object)
    columns = learn_columns(raw_columns(table), find_roles=False)
    assert [column.role for column in columns] == ["feature", "feature", "left out"]


def test_all_bad_columns_are_named_in_one_error() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "tags": [[1], [2]], "more": [{}, {}]})
    with pytest.raises(rbhmc.InvalidInput, match="'tags' holds a list; 'more' holds a dict") as one:
        rbhmc.RBHMC().fit(frame)
    assert "X.drop(columns=['tags', 'more'])" in str(one.value)
    frame = pd.DataFrame({"a": [1.0, np.inf, 2.0], "b": [-np.inf, 2.0, 3.0], "c": [1.0, 2.0, 5.0]})
    with pytest.raises(
        rbhmc.InvalidInput, match="'a' is inf in row 1; 'b' is -inf in row 0"
    ) as two:
        rbhmc.RBHMC().fit(frame)
    assert "X.drop(columns=['a', 'b'])" in str(two.value)


def test_a_table_without_features_is_refused() -> None:
    with pytest.raises(rbhmc.InvalidInput, match="no features: 'who' is all different"):
        rbhmc.RBHMC().fit(pd.DataFrame({"who": ["a", "b", "c"]}))


def test_descriptions_have_the_units_of_the_values() -> None:
    rng = np.random.default_rng(0)
    areas = np.r_[rng.normal(50, 3, 20), rng.normal(200, 3, 20)]
    frame = pd.DataFrame({"area": [f"{area:.0f} m²" for area in areas], "rooms": areas // 25})
    model = rbhmc.RBHMC(random_state=0, n_chains=2, n_draws=5).fit(frame)
    assert model.tree_.feature_names == ("area (m²)", "rooms")
    assert re.search(r"area \(\d+ m²\)", str(model.tree_))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pd.DataFrame([[1.0, 2.0]] * 9, columns=["a", "a"]), "several columns of X are called 'a'"),
        (pd.Series(np.arange(9.0)), r"X is a Series.*: give X.to_frame\(\)"),
        (pl.Series(np.arange(9.0)), r"X is a Series.*: give X.to_frame\(\)"),
        (pl.LazyFrame({"a": [1.0, 2.0]}), r"X is a LazyFrame.*: give X.collect\(\)"),
        ({"a": [1.0, 2.0]}, r"X is a dict.*: give pandas.DataFrame\(X\)"),
        ([{"a": 1.0}, {"a": 2.0}], r"X is a list.*: give pandas.DataFrame\(X\)"),
        (np.zeros(9, [("a", float)]), r"X is a ndarray.*: give pandas.DataFrame\(X\)"),
        ((row for row in np.eye(3)), r"X is a generator.*: give list\(X\)"),
        ("animals.csv", r"X is a str.*: give pandas.read_csv\(X\), or use the command"),
        (None, "X is a NoneType.*: give an array or a data frame"),
        (["a cat", "a dog"], r"X is a list.*: give \[\[text\] for text in X\], or numbers made"),
        (np.array(["a cat", "a dog"]), r"X is a ndarray.*: give \[\[text\] for text in X\]"),
        (pa.RecordBatch.from_pydict({"a": [1.0]}), r"X is a RecordBatch.*give X.to_pandas\(\)"),
        ([[10**400, 1], [2, 3]], "X has a value of more than 1.8e308 in size"),
        (pd.DataFrame({"a": [], "b": []}), "X has no rows"),
        (pd.DataFrame(), "X has no columns"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else None,
)
def test_tables_that_are_none_are_refused_in_words(X: Any, words: str) -> None:
    with pytest.raises(rbhmc.InvalidInput, match=words):
        rbhmc.RBHMC().fit(X)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ("a long text", r"X is a str.*: give pandas.read_csv\(X\)"),
        (csr_matrix(np.eye(9)), r"X is a csr_matrix.*: give X.toarray\(\), or of a large sparse"),
        (dok_array(np.eye(9)), r"X is a dok_array.*: give X.toarray\(\)"),
        (pa.RecordBatch.from_pydict({"a": range(9)}), r"X is a RecordBatch.*give X.to_pandas\(\)"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else None,
)
def test_they_are_refused_before_a_sample_is_taken(X: Any, words: str) -> None:
    with pytest.raises(rbhmc.InvalidInput, match=words):
        rbhmc.RBHMC(max_items=2).fit(X)


@pytest.mark.parametrize(
    "values", [[1 + 2j, 3j, 4.0], [np.complex64(2), 1.0, 2.0], pd.array([1j, 2j, 3j])]
)
def test_complex_numbers_are_refused_with_the_name_of_their_column(values: Any) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "z": values})
    with pytest.raises(rbhmc.InvalidInput, match=r"'z' holds a complex.*X.drop\(columns=\['z'\]\)"):
        rbhmc.RBHMC().fit(frame)


def test_odd_columns_of_arrays_are_named_too() -> None:
    table = np.array([[1.0, b"x", "a", {}], [2.0, b"y", "b", {}]], object)
    with pytest.raises(rbhmc.InvalidInput, match="'x1' holds a bytes; 'x3' holds a dict") as error:
        rbhmc.RBHMC().fit(table)
    assert "numpy.delete(X, [1, 3], axis=1)" in str(error.value)
    with pytest.raises(rbhmc.InvalidInput, match="'x0' holds a bytes_"):
        rbhmc.RBHMC().fit(np.array([[b"1"], [b"2"]]))


@pytest.mark.parametrize("type_", [pa.date32(), pa.date64(), pa.timestamp("s", "UTC")])
def test_dates_of_arrow_are_dates(type_: Any) -> None:
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-03", None]), dtype="datetime64[ns]")
    arrow = pa.array([None if pd.isna(day) else day.date() for day in days], pa.date32())
    frame = pd.DataFrame({"day": pd.array(arrow.cast(type_), dtype=pd.ArrowDtype(type_))})
    (day,) = learn_columns(raw_columns(frame), find_roles=False)
    assert (day.kind, day.n_gaps, day.note) == ("date", 1, "as days from 2020-01-01")
    assert day.read(raw_columns(frame)[0])[:2].tolist() == [0.0, 2.0]


def test_an_array_of_another_library_is_an_array() -> None:
    X = np.random.default_rng(0).normal(size=(12, 2))
    model, same = (
        rbhmc.RBHMC(n_chains=2, n_draws=3, random_state=0).fit(each)
        for each in (X, xarray.DataArray(X))
    )
    assert np.array_equal(model.draws_.paths, same.draws_.paths)


def test_durations_of_numpy_are_durations() -> None:
    hours = np.array([[np.timedelta64(6, "h")], [np.timedelta64("NaT")], [timedelta(1)]], object)
    (column,) = raw_columns(hours)
    assert (column.form, column.unit) == ("number", "days")
    np.testing.assert_array_equal(column.values, [0.25, np.nan, 1.0])


@pytest.mark.parametrize("library", [pd, pl])
def test_durations_are_days(library: Any) -> None:
    hours = [timedelta(hours=6 * n) for n in range(5)]
    frame = library.DataFrame({"stay": [*hours, None], "age": [3, 1, 4, 1, 5, 9]})
    stay = learn_columns(raw_columns(frame))[0]
    assert (stay.feature_names, stay.note, stay.n_gaps) == (("stay (days)",), "in days", 1)
    assert stay.read(raw_columns(frame)[0])[:5].tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_periods_are_dates() -> None:
    frame = pd.DataFrame({"month": pd.period_range("2020-01", periods=5, freq="M")})
    month = learn_columns(raw_columns(frame))[0]
    assert (month.kind, month.note) == ("date", "as days from 2020-01-01")
    assert month.read(raw_columns(frame)[0]).tolist() == [0.0, 31.0, 60.0, 91.0, 121.0]


def test_items_named_by_days_have_no_time_of_day() -> None:
    index = pd.date_range("2020-01-31", periods=2)
    names = ("2020-01-31", "2020-02-01")
    assert item_index(pd.DataFrame({"a": [1, 2]}, index))[0] == names
    # So are columns, and names that are given.
    columns = raw_columns(pd.DataFrame(np.eye(2), columns=index))
    assert tuple(column.name for column in columns) == names
    for given in (index, index.to_numpy(), index.tz_localize("Asia/Tokyo"), index.to_pydatetime()):
        model = rbhmc.RBHMC(n_chains=1, n_draws=1, random_state=0).fit(np.eye(2), names=given)
        assert model.tree_.names == names
    hours = pd.DatetimeIndex(["2020-01-31", "2020-01-31 05:00", None])
    assert item_index(pd.DataFrame({"a": [1, 2, 3]}, hours))[0] == (
        "2020-01-31 00:00:00", "2020-01-31 05:00:00", "NaT"
    )  # fmt: skip


def test_the_gaps_of_an_array_are_counted() -> None:
    table = np.ma.masked_equal([[0.0, 5.0, 9.0], [1.0, 6.0, 9.0], [7.0, 7.0, 9.0]] * 2, 7.0)
    found = rbhmc.preparation.Preparation().fit(table).encoding_.columns
    assert [(column.kind, column.n_gaps) for column in found] == [
        ("yes/no", 2),
        ("number", 2),
        ("number", 0),
    ]


def test_long_categories_are_cut_with_a_mark() -> None:
    frame = pd.DataFrame({"type": ["Homicide", "Officer-involved shooting"] * 3})
    described = rbhmc.preparation.Preparation().fit(frame).describe_columns()
    assert described.endswith("Homicide, Officer-involved sh…")


def test_new_items_that_are_not_a_table_are_refused_in_words() -> None:
    model = rbhmc.RBHMC(random_state=0, n_chains=2, n_draws=5).fit(FRAME)
    with pytest.raises(rbhmc.InvalidInput, match=r"X is a Series.*, or X.to_frame\(\).T if"):
        model.predict(FRAME.iloc[0])
    assert model.predict(FRAME.iloc[0].to_frame().T) == model.predict(FRAME.iloc[:1])


def test_dropping_every_row_is_refused() -> None:
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, np.nan], "b": [np.nan, 2.0, np.nan, 5.0]})
    with pytest.raises(rbhmc.InvalidInput, match="leaves no items"):
        rbhmc.RBHMC(missing="drop").fit(frame)
