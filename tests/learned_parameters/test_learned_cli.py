"""Learned parameters on the command line, also for degenerate tables."""

import json
from pathlib import Path

import numpy as np
import pytest

from cli.cases import EDGE_TABLES, QUICK, invoke, write_table
from rbhmc.cli.run import Run

LEARN = "--alpha learn --gamma learn --gamma0 learn --noise-cov learn --base-cov learn".split()


def test_a_run_with_learned_parameters_continues(tmp_path: Path) -> None:
    data, folder, whole = write_table(tmp_path / "things.csv"), tmp_path / "run", tmp_path / "whole"
    output = invoke("fit", data, "--drop", "kind", *QUICK, *LEARN, "-o", folder).output
    settings = json.loads((folder / "config.json").read_text())["settings"]
    assert settings["alpha"] == settings["noise_cov"] == "learn"
    assert "learned alpha: " in (folder / "summary.txt").read_text() + output
    invoke("fit", "--resume", folder, "--n-draws", 60, "--no-progress")
    invoke("fit", data, "--drop", "kind", *QUICK, *LEARN, "--n-draws", 60, "-o", whole)
    one, other = (Run.open(run).load_draws().learned for run in (folder, whole))
    assert len(one) == 5
    assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--alpha much", "'much' is not a number or learn"),
        ("--noise-cov data", "'data' is not a number, learn, learn-diagonal or auto"),
        ("--base-cov learn --scheme paper", '--base-cov is "learn"; it must be a fixed value'),
    ],
)
def test_mistakes(tmp_path: Path, option: str, words: str) -> None:
    data = write_table(tmp_path / "things.csv")
    code = 1 if "paper" in option else 2
    output = invoke(
        "fit", data, "--drop", "kind", *option.split(), "-o", tmp_path / "run", code=code
    ).output
    assert words in " ".join(output.replace("│", " ").split())


@pytest.mark.parametrize(("name", "content"), EDGE_TABLES.items())
def test_degenerate_tables(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
    learn = [*LEARN, "--noise-cov", "learn-diagonal"]
    invoke("fit", tmp_path / f"{name}.csv", *QUICK, *learn, "-o", tmp_path / "run")
