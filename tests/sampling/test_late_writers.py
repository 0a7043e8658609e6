"""Chains belong to their run, chain and process: late writers and copies are refused."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import rbhmc
from rbhmc.sampling import RunFolder, run_chains
from rbhmc.sampling.chain_store import GENERATION, FolderMissing, Superseded
from sampling.cases import QUICK, X, assert_same_chunks, chains

# A worker of a killed process: it has no lock, and saves its chain at every moment.
WORKER = """
import sys
from pathlib import Path
from rbhmc.sampling import RunFolder
from rbhmc.sampling.chain import run_chain
from rbhmc.sampling.monitor import Monitor, Reporter
from sampling.cases import chains

folder = RunFolder.open(Path(sys.argv[1]))
with folder.locked():
    store = folder.store(0)
store.seconds = 0.0
run_chain(chains(1, n_draws=10**6)[0], Reporter(0, Monitor(lambda *_: None)), store)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_worker_that_wakes_after_a_resume_stops_by_itself(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", {}, 6_000)
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, str(folder.path)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    ) as worker:
        state, end = folder.path / "chain-0" / "state.npz", time.monotonic() + 60
        while not state.exists():
            assert worker.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
        worker.send_signal(signal.SIGSTOP)
        resumed = run_chains(chains(1, n_draws=6_000), folder=folder)
        saved = {file: file.read_bytes() for file in state.parent.iterdir()}
        worker.send_signal(signal.SIGCONT)
        _, err = worker.communicate(timeout=60)
    assert worker.returncode == 1
    assert "was resumed by another process" in err
    # What the new process saved is as it was; a chunk that no state lists does no harm.
    assert {file: file.read_bytes() for file in saved} == saved
    for again in (
        run_chains(chains(1, n_draws=6_000), folder=folder),
        run_chains(chains(1, 6_000)),
    ):
        assert_same_chunks(again[0], resumed[0])


def test_an_old_generation_writes_nothing(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, {}, 10)
    sampler: Any = rbhmc.Sampler(X)
    with folder.locked():
        old = folder.store(0)
        old.save(sampler, sampler.run(3))
    with folder.locked():
        new = folder.store(0)
        assert new.load() is not None
        new.save(sampler, sampler.run(4))
    before = {file: file.read_bytes() for file in (tmp_path / "chain-0").iterdir()}
    with pytest.raises(Superseded):
        old.save(sampler, sampler.run(2))
    with pytest.raises(Superseded):
        old.save_result(1)
    assert {file: file.read_bytes() for file in (tmp_path / "chain-0").iterdir()} == before


@pytest.mark.parametrize("content", ["", "x", "-1", "1e9", "9" * 5000])
def test_a_forged_generation_is_refused(tmp_path: Path, content: str) -> None:
    folder = RunFolder.create(tmp_path, {}, 10)
    (tmp_path / GENERATION).write_text(content)
    with pytest.raises(rbhmc.InvalidCheckpoint, match="must hold a whole number"):
        run_chains(chains(1), folder=folder)
    (tmp_path / GENERATION).unlink()
    with pytest.raises(FolderMissing, match="there is no"):
        run_chains(chains(1), folder=folder)


def test_a_chain_copied_over_another_is_refused(tmp_path: Path) -> None:
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    shutil.rmtree(tmp_path / "chain-0")
    shutil.copytree(tmp_path / "chain-1", tmp_path / "chain-0")
    with pytest.raises(rbhmc.InvalidCheckpoint, match=r"chain-0.*another chain"):
        rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path, resume=True)


def test_chunks_of_another_chain_are_refused(tmp_path: Path) -> None:
    rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path)
    for file in (tmp_path / "chain-1").glob("draws-*.npz"):
        shutil.copy(file, tmp_path / "chain-0" / file.name)
    with pytest.raises(rbhmc.InvalidCheckpoint, match=r"chain-0.*SHA-256"):
        rbhmc.RBHMC(**QUICK).fit(X, checkpoint_dir=tmp_path, resume=True)


def test_a_state_of_another_position_is_refused(tmp_path: Path) -> None:
    """A sampler that is not where the draws end would repeat or skip draws."""
    folder = RunFolder.create(tmp_path, {}, 30)
    run_chains(chains(1), folder=folder)
    store = folder.store(0)
    sampler: Any = store.load()[0]  # type: ignore[index]
    sampler.sweep(3)
    store.save(sampler, sampler.run(0))
    with pytest.raises(rbhmc.InvalidCheckpoint, match="sweeps"):
        run_chains(chains(1, n_draws=40), folder=folder)
