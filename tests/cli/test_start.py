"""The tree that the chains of a fit start from, on the command line."""

import json
from pathlib import Path

import numpy as np

from cli.cases import QUICK, here, write_table
from rbhmc.cli.run import Run

OPTIONS = "--scheme exact --C 0.8 --init ward".split()


def test_a_run_from_wards_tree_is_recorded_and_continues(tmp_path: Path) -> None:
    data, folder, whole = write_table(tmp_path / "things.csv"), tmp_path / "run", tmp_path / "whole"
    here("fit", data, "--drop", "kind", *QUICK, *OPTIONS, "-o", folder)
    settings = json.loads((folder / "config.json").read_text())["settings"]
    assert settings["init"] == "ward"
    here("fit", "--resume", folder, "--n-draws", 60, "--no-progress")
    here("fit", data, "--drop", "kind", *QUICK, *OPTIONS, "--n-draws", 60, "-o", whole)
    one, other = (Run.open(run).load_draws() for run in (folder, whole))
    assert np.array_equal(one.paths, other.paths)
    assert np.array_equal(one.rcdll, other.rcdll)
