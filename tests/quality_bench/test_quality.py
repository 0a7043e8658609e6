"""The tables of `make quality`, its records and its goals, with a stand-in for a fitted model."""

import dataclasses
import doctest
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

import dendrograms
import quality
import quality_records
import quality_rows
import rbhmc
from class_tables import SOURCES, ClassTable, read_tables, standardise
from quality_goals import list_goals
from quality_records import Records, cut_by_silhouette, measure_model
from quality_rows import ALL_PARTS, VARIANTS, Row, collect, with_error


def make_table(name: str = "blobs", *, held_out: bool = False) -> ClassTable:
    """Return three groups that every method finds."""
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], 10)
    X = 20.0 * np.eye(3)[classes] + rng.normal(size=(30, 3))
    return ClassTable(name, name, X, classes, held_out)


def fit_stand_in(X: Any) -> Any:
    """Return an object with the attributes of a fitted model, from average linkage."""
    merges = linkage(X, "average")
    labels = fcluster(merges, 3, "maxclust")
    paths = np.stack([labels, labels], axis=1)
    return SimpleNamespace(
        dendrogram_=merges,
        labels_=labels,
        tree_=rbhmc.Tree.from_labels(paths),
        draws_=SimpleNamespace(paths=np.tile(paths, (2, 60, 1, 1))),
        prepared_=X,
        predict=lambda X: labels,
    )


def test_tables_are_divided_once_and_for_all() -> None:
    names = [source.name for source in SOURCES]
    assert len(set(names)) == len(names)
    held_out = {source.group or source.name for source in SOURCES if source.held_out}
    assert held_out == {
        "new thyroid",
        "movement libras",
        "vowel",
        "segment",
        "penbased",
        "Fashion-100",
        "Fashion-1000",
    }
    assert not any(source.held_out for source in SOURCES if source.looked_at)


def test_held_out_tables_are_not_read_unless_asked_for() -> None:
    assert not list(read_tables(["segment"]))
    assert [table.name for table in read_tables(["iris", "wine"])] == ["iris", "wine"]
    assert [table.name for table in read_tables(["iris", "wine"], max_items=160)] == ["iris"]


def test_standardise_leaves_out_constant_columns() -> None:
    X = standardise(np.array([[1.0, 5.0], [3.0, 5.0]]))
    np.testing.assert_array_equal(X, [[-1.0], [1.0]])


def test_silhouette_finds_the_number_of_groups() -> None:
    table = make_table()
    labels = cut_by_silhouette(table.X, linkage(table.X, "ward"))
    assert len(np.unique(labels)) == 3


def test_measures_of_a_model() -> None:
    table = make_table()
    record = measure_model(fit_stand_in(table.X), table)
    for measure in ("F", "ARI", "cut F", "purity", "tree F", "tree purity", "predict"):
        assert record[measure] == pytest.approx(1.0)
    assert (record["n_clusters"], record["n_nodes"]) == (3, 4)


def test_distances_are_measured_on_some_tables() -> None:
    table = dataclasses.replace(make_table(), group="Fashion-100")
    record = measure_model(fit_stand_in(table.X), table)
    assert record["AID draws zero"] == pytest.approx(record["AID tree zero"])
    assert record["AOD tree zero"] == pytest.approx(record["AOD tree skip"])


def test_a_model_without_a_dendrogram_has_no_cut() -> None:
    table = make_table()
    model = fit_stand_in(table.X)
    del model.dendrogram_
    record = measure_model(model, table)
    assert np.isnan(record["cut F"])
    assert record["tree F"] == pytest.approx(1.0)


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Replace `RBHMC` by the stand-in, and return the settings of each fit."""
    settings_of_fits = []

    class StandIn:
        def __init__(self, **settings: Any) -> None:
            self.settings = settings

        def fit(self, X: Any, *, progress: bool) -> None:
            settings_of_fits.append(self.settings)
            vars(self).update(vars(fit_stand_in(X)))

    monkeypatch.setattr(rbhmc, "RBHMC", StandIn)
    monkeypatch.delitem(quality_records.LINKAGES, "genieclust")
    return settings_of_fits


def test_records_are_computed_once(tmp_path: Path, fitted: list[dict[str, Any]]) -> None:
    tables = [make_table("one"), make_table("two")]
    rows = collect(tables, Records(tmp_path), range(2))
    assert [(row.name, row.n_items, row.n_classes) for row in rows] == [
        ("one", 30, 3),
        ("two", 30, 3),
    ]
    assert len(fitted) == 4
    assert collect(tables, Records(tmp_path), range(2), ALL_PARTS) == rows
    assert len(fitted) == 4
    other = dataclasses.replace(tables[0], X=tables[0].X + 1.0)
    collect([other], Records(tmp_path), range(2))
    assert len(fitted) == 6


def test_the_command_prints_what_is_asked_for(
    tmp_path: Path,
    fitted: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--tables", "iris", "wine", "segment", "--seeds", "2", "--ablation"]
    monkeypatch.setattr("sys.argv", ["quality.py", *options, "--folder", str(tmp_path)])
    quality.main()
    printed = capsys.readouterr().out
    assert "| **mean of 2** |" in printed
    assert "mean gain in purity on Ward" in printed
    assert "| no intercept |" in printed
    assert "segment" not in printed  # it is held out
    assert "## Distances" not in printed
    assert len(fitted) == 2 * 2 * len(VARIANTS)
    assert {"random_state": 1, "n_jobs": -1, "C": 0.0} in fitted


@pytest.mark.parametrize("module", [dendrograms, quality_rows])
def test_the_examples_hold(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0


def make_row(name: str, ours: float, ward: float) -> Row:
    others = {f"{key}": ward for key in ("silhouette F", "Ward cut F", "Ward purity")}
    return Row(name, 10, 2, [[{"F": ours, "cut F": ours, "purity": ours}]], [others])


def test_goals() -> None:
    rows = [make_row("iris", 0.9, 0.8), make_row("wine", 0.7, 0.73), make_row("digits", 0.8, 0.9)]
    goals = {goal.text: goal for goal in list_goals(rows)}
    assert goals["mean gain in F of the clusters on Ward + silhouette"].value < 0.0
    worst = goals["least gain in best cut F on Ward, on wine"]
    assert worst.value == pytest.approx(-0.03)
    assert "missed" in str(worst)
    assert str(goals["digits, best cut F"]).startswith("- met")
    assert not any("Kemp" in text for text in goals)


def test_rows_average_samples_over_seeds_first() -> None:
    row = Row("two samples", 10, 2, [[{"F": 0.0}, {"F": 1.0}], [{"F": 1.0}, {"F": 1.0}]])
    assert row.values("F") == [0.5, 1.0]
    assert with_error([0.5, np.nan]) == "0.500"
    assert with_error([np.nan]) == "–"
