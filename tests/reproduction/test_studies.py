"""A study gives the same values in one run, after a kill, resumed, and in processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import rbhmc
from paper.studies import StudyRun, run_study
from rbhmc.sampling import Chain, ChainError
from rbhmc.sampling import run as sampling_run
from sampling.cases import X
from sampling.measures import fails, sizes
from sampling.watching import Recorder

ROOT = Path(__file__).parents[2]
PYTHONPATH = [ROOT / "tests", ROOT / "benches"]
GRID: dict[str, Any] = {"C": [0.0, 1.0], "margin": [1.0, 5.0]}
QUICK: dict[str, Any] = {"n_repeats": 2, "n_warmup": 20, "n_draws": 30, "random_state": 0}


def test_each_setting_and_repeat_is_a_chain() -> None:
    runs = run_study(X, GRID, sizes, **QUICK)
    assert [(run.settings["C"], run.settings["margin"], run.repeat) for run in runs] == [
        (C, margin, repeat) for C in (0.0, 1.0) for margin in (1.0, 5.0) for repeat in (0, 1)
    ]
    seeds = np.random.RandomState(0).randint(0, 2**63 - 1, size=8, dtype=np.int64)
    for run, seed in zip(runs, seeds, strict=True):
        draws: Any = rbhmc.Sampler(X, **run.settings, seed=int(seed)).run(30, burn_in=20)
        assert run.values == sizes(draws)


def test_a_list_of_settings_and_processes() -> None:
    cells: list[dict[str, Any]] = [{"C": 0.0, "n_levels": 2}, {"noise_cov": np.eye(3)}]
    runs = run_study(X, cells, sizes, **QUICK, settings={"alpha": 0.5})
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert [
            run.values for run in run_study(X, cells, sizes, **QUICK, settings={"alpha": 0.5})
        ] == [run.values for run in runs]


def test_a_stopped_study_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = {**QUICK, "n_draws": 20000}
    whole = run_study(X, GRID, sizes, **long)
    with monkeypatch.context() as patch:
        recorder = Recorder(1, 3)
        patch.setattr(sampling_run, "make_display", lambda n_chains, progress: recorder)
        with pytest.warns(RuntimeWarning, match="interrupted: [1-7] of 8 chains are measured"):
            partial = run_study(X, GRID, sizes, **long, checkpoint_dir=tmp_path)
    assert whole[: len(partial)] == partial
    assert whole == run_study(X, GRID, sizes, **long, checkpoint_dir=tmp_path, resume=True)
    assert len(list(tmp_path.rglob("result.json"))) == 8
    assert not list(tmp_path.rglob("*.npz"))
    # All values are kept, so no chain runs again.
    monkeypatch.delattr(Chain, "start")
    assert whole == run_study(X, GRID, sizes, **long, checkpoint_dir=tmp_path, resume=True)


KILLED = """
import sys
import numpy as np
from sampling.cases import X
from sampling.measures import sizes
from paper.studies import run_study
print("ready", flush=True)
run_study(X, {"C": [0.0, 1.0]}, sizes, n_repeats=4, n_draws=20000, random_state=0, n_jobs=1,
          checkpoint_dir=sys.argv[1], resume=True)
"""


def test_a_killed_study_resumes(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, PYTHONPATH))}
    for seconds in (0.8, 1.6, 2.4):
        command = [sys.executable, "-c", KILLED, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
    settings: dict[str, Any] = {"n_repeats": 4, "n_draws": 20000, "random_state": 0}
    grid = {"C": [0.0, 1.0]}
    assert list(folder.rglob("result.json"))
    resumed = run_study(X, grid, sizes, **settings, checkpoint_dir=folder, resume=True)
    assert resumed == run_study(X, grid, sizes, **settings)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"grid": {"C": [0.0, 2.0]}}, "cells"),
        ({"measure": fails}, "measure = "),
        ({"X": X * 2.0}, r"X \(SHA-256\)"),
        ({"settings": {"alpha": 0.5}}, "alpha = null, and now it is 0.5"),
        ({"n_draws": 60}, "n_draws = 30, and now it is 60"),
    ],
)
def test_another_study_is_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    given = {"X": X, "grid": GRID, "measure": sizes, **QUICK}
    run_study(**given, checkpoint_dir=tmp_path)
    with pytest.raises(rbhmc.InvalidInput, match=words):
        run_study(**given | changes, checkpoint_dir=tmp_path, resume=True)


def test_a_failing_measure_is_named() -> None:
    with pytest.raises(ChainError, match="chain 0 failed: ZeroDivisionError"):
        run_study(X, GRID, fails, n_jobs=1, **QUICK)


@pytest.mark.parametrize("grid", [{"C": []}, []])
def test_an_empty_grid_is_refused(grid: Any) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="grid is empty"):
        run_study(X, grid, sizes, **QUICK)
    with pytest.raises(rbhmc.InvalidInput, match="n_repeats is 0"):
        run_study(X, GRID, sizes, n_repeats=0)


def test_runs_with_equal_values_are_equal() -> None:
    assert StudyRun({"C": 1.0}, 0, 2.0) == StudyRun({"C": 1.0}, 0, 2.0)


def test_errors_name_the_argument(tmp_path: Path) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="grid\\['scheme'\\] is one string"):
        run_study(X, {"scheme": "exact"}, sizes)
    with pytest.raises(rbhmc.InvalidInput, match="n_draws is 0"):
        run_study(X, GRID, sizes, n_draws=0)
    with pytest.raises(rbhmc.InvalidInput, match="measure is a lambda"):
        run_study(X, GRID, lambda draws: 1, checkpoint_dir=tmp_path)
    with pytest.raises(rbhmc.InvalidInput, match="the return value of measure"):
        run_study(X, {"C": [0.0]}, lambda draws: object(), n_draws=2)


def test_a_measure_may_return_none() -> None:
    runs = run_study(X, {"C": [0.0]}, lambda draws: None, n_draws=2)
    assert [run.values for run in runs] == [None]
    runs = run_study(X, {"C": [0.0]}, lambda draws: {1: (1, np.int32(2))}, n_draws=2)
    assert [run.values for run in runs] == [{"1": [1, 2]}]
