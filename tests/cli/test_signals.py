"""A run continues after SIGKILL; Ctrl-C leaves usable results; SIGTERM saves the chains."""

import json
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

from cli.cases import COMMAND, ENVIRONMENT, invoke, table, write_table
from rbhmc import RBHMC, Tree
from rbhmc.cli.run import Run
from rbhmc.sampling import RunFolder

N_DRAWS = 8_000
# One chain after another, so that one is complete while others are not.
SERIAL = ("--n-jobs", "1", "--no-progress")
OPTIONS = (
    *f"--n-chains 3 --n-warmup 50 --n-draws {N_DRAWS} --thin 4 --n-levels 2".split(),
    *SERIAL,
)


def stopped(folder: Path, number: signal.Signals, *command: object) -> tuple[int, str, str]:
    """Run a command, and send it a signal when its next chain is complete."""
    checkpoints = folder / "runs" / "things" / "checkpoints"

    def n_chains() -> int:
        return len(list(checkpoints.glob("chain-*/state.npz")))

    before, end = n_chains(), time.monotonic() + 60
    with subprocess.Popen(
        [*COMMAND, *map(str, command)],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        while n_chains() == before:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_a_killed_and_interrupted_run_equals_an_undisturbed_one(tmp_path: Path) -> None:
    X = table().set_index("name").drop(columns="kind")
    whole = RBHMC(n_chains=3, n_warmup=50, n_draws=N_DRAWS, thin=4, n_levels=2, random_state=0)
    whole.fit(X)
    write_table(tmp_path / "things.csv")
    run = tmp_path / "runs" / "things"

    first = ("fit", "things.csv", "--drop", "kind", *OPTIONS)
    code, _, _ = stopped(tmp_path, signal.SIGKILL, *first)
    assert code == -signal.SIGKILL
    done = invoke("export", run, "--format", "dot", code=1)
    assert "has no results yet" in " ".join(done.stderr.split())
    assert f"rbhmc fit --resume {run}" in done.stderr

    resume = ("fit", "--resume", "runs/things", *SERIAL)
    code, out, err = stopped(tmp_path, signal.SIGINT, *resume)
    assert code == 130, err
    assert out.startswith("15 items\n")
    assert "Traceback" not in err
    assert "Interrupted: kept " in err
    assert "  rbhmc fit --resume runs/things" in err.splitlines()
    assert_usable(run, whole)

    invoke("fit", "--resume", run, "--no-progress")
    draws = Run.open(run).load_draws()
    assert np.array_equal(draws.paths, whole.draws_.paths)
    assert np.array_equal(draws.rcdll, whole.draws_.rcdll)
    assert Tree.from_json((run / "tree.json").read_text()) == whole.tree_


def test_sigterm_saves_the_chains(tmp_path: Path) -> None:
    write_table(tmp_path / "things.csv")
    first = ("fit", "things.csv", "--drop", "kind", *OPTIONS)
    code, _, err = stopped(tmp_path, signal.SIGTERM, *first)
    assert code == 143, err
    assert "Traceback" not in err
    assert "Ended by a signal: the chains are saved." in " ".join(err.split())
    assert "  rbhmc fit --resume runs/things" in err.splitlines()
    folder = RunFolder.open(tmp_path / "runs" / "things" / "checkpoints")
    assert folder is not None
    saved = folder.store(0).load()
    assert saved is not None
    assert sum(len(chunk["cdll"]) for chunk in saved[1]) == N_DRAWS
    assert not (tmp_path / "runs" / "things" / "labels.csv").exists()


def assert_usable(run: Path, whole: RBHMC) -> None:
    """Check that all results and the restored model come from the draws so far."""
    result = json.loads((run / "config.json").read_text())["result"]
    opened = Run.open(run)
    table = opened.read_table()
    before = sorted((file, file.stat().st_mtime_ns) for file in run.rglob("*"))
    model = opened.restore_model(table)
    draws = model.draws_
    assert (draws.n_chains, draws.n_draws) == (len(result["chains"]), result["n_draws"])
    assert (draws.n_chains, draws.n_draws) != (3, N_DRAWS)
    assert np.array_equal(draws.paths, whole.draws_.paths[result["chains"], : draws.n_draws])
    assert model.tree_ == Tree.from_json((run / "tree.json").read_text())
    assert model.summary() in (run / "summary.txt").read_text(encoding="utf-8")
    assert model.predict_path_proba(table.frame).shape[0] == 15
    assert len((run / "labels.csv").read_text().splitlines()) == 16
    assert sorted((file, file.stat().st_mtime_ns) for file in run.rglob("*")) == before
