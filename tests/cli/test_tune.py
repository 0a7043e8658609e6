"""`tune` on the command line: the same answer as in Python, kept, and gone on with."""

from pathlib import Path

import numpy as np
import pytest

import rbhmc
from cli.cases import here

GRID = "--C 1 --margin 2 --margin 5 --levels 2 --jobs 1".split()


def test_it_answers_as_the_function_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 5, axis=0)
    X += np.random.default_rng(0).normal(size=X.shape)
    rows = [f"item {n},{a!r},{b!r}" for n, (a, b) in enumerate(X.tolist())]
    Path("data.csv").write_text("\n".join(["name,a,b", *rows]) + "\n")
    output = here("tune", "data.csv", *GRID, "-o", "kept").output
    model = rbhmc.RBHMC(n_levels=2)
    tuning = rbhmc.tune(X, C=[1.0], margin=[2.0, 5.0], model=model, random_state=0)
    assert str(tuning) in output
    best = f"--C {tuning.best['C']:g}"
    assert f"rbhmc fit data.csv {best}" in output
    assert Path("kept/tuning.png").stat().st_size > 5_000
    # All chains are kept: nothing runs again.
    monkeypatch.delattr(rbhmc.sampling.Chain, "start")
    assert str(tuning) in here("tune", "data.csv", *GRID, "-o", "kept").output
