"""The command `tune`: its answer, its checkpoints, and the command that it recommends."""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import rbhmc
from cli.cases import QUICK, invoke

GRID = "--C 1 --margin 2 --margin 5 --n-levels 2 --n-jobs 1".split()


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NDArray[np.float64]:
    """Three groups of items, also in data.csv with a name, a class and a note for each."""
    monkeypatch.chdir(tmp_path)
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 5, axis=0)
    X += np.random.default_rng(0).normal(size=X.shape)
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.insert(0, "name", [f"item {n}" for n in range(15)])
    frame.to_csv("data.csv", index=False)
    frame.assign(kind=np.repeat(["x", "y", "z"], 5), **{"my note": "-"}).to_csv("more.csv")
    return X


def test_the_answer_is_that_of_the_function(
    table: NDArray[np.float64], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = invoke("tune", "data.csv", *GRID, "-o", "kept").output
    model = rbhmc.RBHMC(n_levels=2)
    tuning = rbhmc.tune(table, C=[1.0], margin=[2.0, 5.0], model=model, random_state=0)
    assert str(tuning) in output
    best = " ".join(f"--{name} {value:g}" for name, value in tuning.best.items())
    assert f"rbhmc fit data.csv --n-levels 2 {best}\n" in output
    assert Path("kept/tuning.png").stat().st_size > 5_000
    # All chains are kept: none runs again.
    monkeypatch.delattr(rbhmc.sampling.Chain, "start")
    assert str(tuning) in invoke("tune", "data.csv", *GRID, "-o", "kept").output


def test_the_recommended_command_has_every_option_of_the_table(table: NDArray[np.float64]) -> None:
    options = [
        *"--id-column name --class-column kind --drop".split(),
        "my note",
        *"--drop b --n-pca 1 --scale none".split(),
    ]
    output = invoke("tune", "more.csv", *options, *GRID[:-2], "--drop", "column 1").output
    line = output.splitlines()[-1].strip()
    words = shlex.split(line)
    assert words[:3] == ["rbhmc", "fit", "more.csv"]
    assert "--drop 'my note' --drop b --drop 'column 1'" in line
    for option in ("--id-column name", "--class-column kind", "--n-pca 1", "--scale none"):
        assert option in line
    invoke(*words[1:], *QUICK, "-o", "run")
