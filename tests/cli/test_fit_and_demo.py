"""The commands `fit` and `demo`: degenerate tables, warnings, and the examples."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cli.cases import EDGE_TABLES, QUICK, invoke, write_table
from rbhmc.cli.commands.demo import load_example
from rbhmc.cli.options import fit_settings
from rbhmc.cli.run import Run


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *EDGE_TABLES.items(),
        ("odd-names", 'who,a,"b\nc"\n"x\ny",1,2\n"<&\'""; ☃",2,9\n\x02,7,7\n'),
    ],
)
def test_degenerate_tables_are_fitted(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
    folder = tmp_path / "run"
    invoke("fit", tmp_path / f"{name}.csv", *QUICK, "-o", folder)
    assert json.loads((folder / "config.json").read_text())["result"]["n_draws"] == 40
    for form in ("newick", "dot", "json", "csv", "graphml"):
        invoke("export", folder, "--format", form)


def test_the_tree_has_a_legend(tmp_path: Path) -> None:
    data = write_table(tmp_path / "things.csv")
    output = invoke("fit", data, "--drop", "kind", *QUICK, "-o", tmp_path / "run").output
    words = " ".join(output.split())
    assert "A percentage is the transfer support of a node: how much of the group" in words
    assert "● marks" not in output  # the clusters are the leaves


def test_the_number_of_chains_depends_on_the_table(tmp_path: Path) -> None:
    data = write_table(tmp_path / "things.csv")
    options = "--n-warmup 5 --n-draws 3 --no-progress".split()
    output = invoke("fit", data, "--drop", "kind", *options, "-o", tmp_path / "run").output
    assert "16 chains of 17 sweeps" in output
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["settings"]["n_chains"] == "auto"
    assert config["result"]["chains"] == list(range(16))
    again = invoke("fit", "--resume", tmp_path / "run", "--no-progress").output
    assert "The run is complete, with 3 draws per chain" in " ".join(again.split())


def test_of_a_large_table_a_sample_is_fitted_and_every_item_has_a_place(tmp_path: Path) -> None:
    data, folder = write_table(tmp_path / "things.csv"), tmp_path / "run"
    options = ("--class-column", "kind", "--max-items", 9, *QUICK)
    done = invoke("fit", data, *options, "-o", folder)
    assert "9 items\n├─" in done.output
    labels = pd.read_csv(folder / "labels.csv", dtype={"cluster": str})
    assert labels["item"].tolist() == pd.read_csv(data)["name"].tolist()
    assert labels["cluster"].notna().all()
    assert labels["similarity"].notna().sum() == 9
    assert "15 items x 4 features" in (folder / "summary.txt").read_text()
    assert "a sample of 9 is fitted" in (folder / "summary.txt").read_text()
    model = Run.open(folder).restore_model(Run.open(folder).read_table())
    assert [model.tree_.clusters[label].id for label in model.labels_] == labels["cluster"].tolist()


def test_a_run_from_wards_tree_is_recorded_and_continues(tmp_path: Path) -> None:
    options = "--scheme exact --C 0.8 --init ward".split()
    data, folder, whole = write_table(tmp_path / "things.csv"), tmp_path / "run", tmp_path / "whole"
    invoke("fit", data, "--drop", "kind", *QUICK, *options, "-o", folder)
    settings = json.loads((folder / "config.json").read_text())["settings"]
    assert settings["init"] == "ward"
    invoke("fit", "--resume", folder, "--n-draws", 60, "--no-progress")
    invoke("fit", data, "--drop", "kind", *QUICK, *options, "--n-draws", 60, "-o", whole)
    one, other = (Run.open(run).load_draws() for run in (folder, whole))
    assert np.array_equal(one.paths, other.paths)
    assert np.array_equal(one.rcdll, other.rcdll)


def test_the_demo_of_animals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke("demo", "--no-progress")
    folder = tmp_path / "runs" / "animals"
    assert "Elephant" in done.stdout
    assert (folder / "report.html").as_uri() in done.stdout
    config = json.loads((folder / "config.json").read_text())
    assert config["settings"] == fit_settings({})
    assert "● marks the clusters" in done.stdout
    invoke("demo", "animals", "-o", folder, "--no-progress")
    refused = invoke("demo", "digits", "-o", folder, code=1).output
    # A long folder name breaks the line.
    assert "holds another run" in " ".join(refused.split())


def test_the_example_of_digits() -> None:
    frame, image_shape = load_example("digits")
    assert len(set(frame["name"])) == len(frame) == 200
    assert image_shape == (8, 8)


@pytest.mark.parametrize(("select", "is_advised"), [("vi", True), ("consensus", False)])
def test_longer_chains_are_advised_for_one_draw_only(
    tmp_path: Path, select: str, is_advised: bool
) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "noise.npy", rng.normal(size=(30, 2)))
    options = "--n-warmup 2 --n-draws 8 --n-chains 4 --no-progress --select".split()
    output = invoke("fit", tmp_path / "noise.npy", *options, select, "-o", tmp_path / "run").output
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["result"]["status"] == "bad"
    assert ("Run longer, with twice the draws" in output) is is_advised
