"""SIGTERM and SIGHUP save the chains; long sweeps and draws do not delay signals or checkpoints."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbhmc
from rbhmc.sampling import Chain, RunFolder, chain_store, run, run_chains
from sampling.cases import X, assert_same_chunks, chains
from sampling.watching import Recorder

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

SCRIPT = """
import signal, sys
from pathlib import Path
from rbhmc.sampling import RunFolder, run, run_chains
from sampling.cases import chains

class Announcer:
    said = False
    def show(self, number, now):
        if now.get("n_draws", 0) > 0 and not self.said:
            self.said = True
            print("draws", flush=True)
    def close(self):
        pass

run.make_display = lambda n_chains, progress: Announcer()
# A parent such as nohup may ignore it.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
folder = RunFolder.create(Path(sys.argv[1]), {}, 10**7)
run_chains(chains(2, n_draws=10**7), n_jobs=2, folder=folder)
"""


@on_posix
def test_a_signal_saves_the_chains(tmp_path: Path) -> None:
    """SIGHUP here; SIGTERM in the tests of the command line."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "draws\n"
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 129, err
    assert "Traceback" not in err
    saved = RunFolder(tmp_path, {"inputs": {}}).store(0).load()
    assert saved is not None
    chunk = saved[1][0]
    whole = run_chains(chains(1, n_draws=len(chunk["cdll"])))[0]
    assert_same_chunks(chunk, whole)


@on_posix
def test_handlers_of_the_program_are_left_alone(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, {}, 30)
    handled: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: handled.append(number))
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        run_chains(chains(1), folder=folder)
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(handled) == 2


# A sweep of this table takes half a minute: a discriminant has a covariance of 3,000 dimensions.
WIDE = np.random.default_rng(0).normal(size=(10, 3000)) * 5.0


def press_ctrl_c_after(seconds: float) -> list[float]:
    """Press Ctrl-C, and return a list that gets the time when it was pressed."""
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(seconds, press).start()
    return pressed


def test_a_signal_is_noticed_within_a_long_sweep(tmp_path: Path) -> None:
    sampler = rbhmc.Sampler(WIDE, alpha=5.0)
    before = sampler.to_bytes()
    pressed = press_ctrl_c_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        sampler.sweep(100)
    assert time.monotonic() - pressed[0] < 2.0
    # The sweep is taken back to the bit, with the random stream.
    again = rbhmc.Sampler.from_bytes(before)
    again.sweep(sampler.n_sweeps)
    assert sampler.to_bytes() == again.to_bytes()

    pressed = press_ctrl_c_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            sampler.apply("margins")
    assert time.monotonic() - pressed[0] < 2.0
    sampler.check()


def test_ctrl_c_ends_chains_of_long_sweeps(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, {}, 9)
    chain = Chain(WIDE, seed=0, n_draws=9, thin=50, settings={"alpha": 5.0})
    pressed = press_ctrl_c_after(0.3)
    results = run_chains([chain], n_jobs=1, folder=folder)
    assert time.monotonic() - pressed[0] < 3.0
    assert len(results[0]["cdll"]) == 0
    saved = folder.store(0).load()
    assert saved is not None
    assert saved[0].n_sweeps < 50


def test_a_draw_longer_than_the_interval_is_saved_and_continues_to_the_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain_store, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr("rbhmc.sampling.chain.PATIENCE_SECONDS", 0.0)
    folder = RunFolder.create(tmp_path, {}, 3)
    n_saved = []
    save = chain_store.ChainStore.save

    def count(store: Any, sampler: rbhmc.Sampler, chunk: Any) -> None:
        n_saved.append(len(chunk["cdll"]))
        save(store, sampler, chunk)

    monkeypatch.setattr(chain_store.ChainStore, "save", count)
    chain = Chain(X, seed=1, n_draws=3, n_warmup=40, thin=4000)
    kept = run_chains([chain], folder=folder)[0]
    assert len(n_saved) > 3  # some of them within a draw
    assert_same_chunks(kept, run_chains([chain])[0])


@pytest.mark.parametrize("in_progress", [3, 7, -1])
def test_only_a_part_of_a_draw_can_be_in_progress(in_progress: int) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="in_progress"):
        rbhmc.Sampler(X).run(2, thin=3, in_progress=in_progress)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_folder_that_disappears_loses_no_draws(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    n_jobs: int,
) -> None:
    monkeypatch.setattr(chain_store, "CHECKPOINT_SECONDS", 0.05)
    folder = RunFolder.create(tmp_path / "run", {}, 5_000)

    class Remover(Recorder):
        def show(self, number: int, now: Any) -> None:
            if now.get("n_draws", 0) > 0:
                shutil.rmtree(tmp_path / "run", ignore_errors=True)

    monkeypatch.setattr(run, "make_display", lambda n_chains, progress: Remover(0, 0))
    with pytest.warns(RuntimeWarning, match="has disappeared while the chains ran: nothing was"):
        kept = run_chains(chains(2, n_draws=5_000), n_jobs=n_jobs, folder=folder)
    for one, other in zip(kept, run_chains(chains(2, n_draws=5_000)), strict=True):
        assert_same_chunks(one, other)
    assert capfd.readouterr().err.count("the draws are kept in memory") == 1
    assert not (tmp_path / "run").exists()


def test_no_jobs_are_refused() -> None:
    with pytest.raises(rbhmc.InvalidInput, match="n_jobs is 0; it must be"):
        run_chains(chains(1), n_jobs=0)
