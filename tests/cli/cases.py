"""Shared by the tests of the command line: a small table, quick settings, ways to run commands."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from rbhmc.cli.app import app

QUICK = (
    "--n-chains 2 --n-warmup 60 --n-draws 40 --thin 2 --n-levels 2 --random-state 3 --no-progress"
).split()
# Degenerate tables that can be fitted.
EDGE_TABLES = {
    "one-row": "a,b\n1,2\n",
    "one-column": "a\n1\n2\n9\n",
    "equal": "a,b\n1,2\n1,2\n1,2\n",
    "huge": "a,b\n1e150,2\n-1e150,2\n3,2\n",
}
COMMAND = [sys.executable, "-m", "rbhmc"]
ENVIRONMENT = {**os.environ, "COLUMNS": "80", "TERMINAL_WIDTH": "80"}


def table() -> pd.DataFrame:
    """Three groups of five items with four features, and their groups as classes."""
    rng = np.random.default_rng(11)
    centres = np.repeat(
        np.array([[0.0] * 4, [8.0, 8.0, 0.0, 0.0], [0.0, -9.0, 9.0, 0.0]]), 5, axis=0
    )
    frame = pd.DataFrame(
        centres + rng.normal(size=(15, 4)), columns=["mass", "length", "age", "x y"]
    )
    frame.insert(0, "name", [f"thing {n}" for n in range(15)])
    frame.insert(3, "kind", np.repeat(["ant", "bee", "cow"], 5))
    return frame


def write_table(path: Path) -> Path:
    table().to_csv(path, index=False)
    return path


def invoke(*arguments: object, code: int = 0) -> Any:
    """Run a command in this process, which is faster, and check its exit code."""
    result = invoke_any(*arguments)
    assert result.exit_code == code, result.output
    return result


def invoke_any(*arguments: object) -> Any:
    """Run a command in this process, and check that it ends without a traceback."""
    result: Any = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if not isinstance(result.exception, SystemExit | None):
        raise AssertionError(result.output) from result.exception
    return result


def run_process(*arguments: object, code: int = 0, cwd: Path | None = None) -> Any:
    """Run a command in a process of its own, and check its exit code."""
    done = subprocess.run(
        [*COMMAND, *(str(argument) for argument in arguments)],
        capture_output=True,
        encoding="utf-8",
        env=ENVIRONMENT,
        timeout=120,
        cwd=cwd,
    )
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done
