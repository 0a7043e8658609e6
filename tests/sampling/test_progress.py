"""Progress of chains: bars on a terminal, nothing elsewhere, reports from other processes."""

import io
import os
import pickle
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib
import psutil  # type: ignore[import-untyped]
import pytest

from rbhmc.sampling import progress, run, run_chains
from rbhmc.sampling.monitor import Abandoned, FileReporter, Monitor, Reporter
from rbhmc.sampling.progress import Bars, Line, Quiet, make_display
from sampling.cases import chains

NOW = {"rcdll": -12.25, "n_components": 3, "n_nodes": 9, "n_draws": 5}

# The table has no groups, which a comparison with references would say.
FIT = """
import numpy as np, joblib, sys
import rbhmc
X = np.random.default_rng(5).normal(size=(30, 3)) * 3.0
settings = {'n_warmup': 1000, 'n_draws': 3000, 'thin': 3, 'random_state': 0}
model = rbhmc.RBHMC(n_chains=2, reference=False, n_jobs=2, **settings)
with joblib.parallel_config(backend=sys.argv[1]):
    model.fit(X, progress=sys.argv[2] == "True")
"""


def on_a_terminal(command: list[str]) -> str:
    """Run a command whose standard error is a terminal, and return its output there."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": "140", "TERM": "xterm"}
    process = subprocess.Popen(command, stderr=theirs, env=environment)
    os.close(theirs)
    written = b""
    while True:
        ready, _, _ = select.select([ours], [], [], 0.1)
        if ready:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            written += chunk
        elif process.poll() is not None:
            break
    assert process.wait() == 0, written
    os.close(ours)
    return written.decode()


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_terminal_shows_a_bar_for_each_chain(backend: str) -> None:
    text = on_a_terminal([sys.executable, "-c", FIT, backend, "True"])
    for words in ("chain 0", "chain 1", "sweeps/s", "RCDLL", "components", "nodes", "100 %"):
        assert words in text, text


def test_progress_can_be_turned_off() -> None:
    assert on_a_terminal([sys.executable, "-c", FIT, "threading", "False"]) == ""


def test_nothing_is_shown_without_a_terminal() -> None:
    command = [sys.executable, "-c", FIT, "threading", "True"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == done.stdout == ""


def test_with_many_chains_only_running_ones_have_a_bar() -> None:
    from rich.console import Console

    console = Console(file=io.StringIO(), force_terminal=True, width=140)
    bars = Bars(20, console)
    for number in range(12):
        bars.show(number, {"sweeps": 0, "n_sweeps": 10})
        bars.show(number, {"sweeps": 10 if number < 11 else 4, "n_sweeps": 10, **NOW})
    bars._bars.refresh()
    bars.close()
    file = console.file
    assert isinstance(file, io.StringIO)
    last = file.getvalue().rpartition("20 chains")[2]
    assert "chain 11" in last
    assert "chain 3" not in last
    assert "55 %" in last


def test_one_line_is_shown_without_rich(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "find_spec", lambda name: None)
    assert isinstance(make_display(2, True), Quiet)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = make_display(2, True)
    assert isinstance(line, Line)
    monkeypatch.setattr(line._line, "_start", time.monotonic() - 10.0)
    line.show(0, {"sweeps": 50, "n_sweeps": 100, **NOW})
    line.show(1, {"sweeps": 100, "n_sweeps": 100, **NOW, "rcdll": -99.0})
    line.close()
    text = capsys.readouterr().err
    assert "2 chains:  75%, 150 of 200 sweeps" in text
    assert "RCDLL -12.2" in text


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_reports_count_the_sweeps_of_each_chain(
    monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    from sampling.watching import Recorder

    recorder = Recorder(1, 99)
    monkeypatch.setattr(run, "make_display", lambda n_chains, progress: recorder)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        run_chains(chains(3))
    for number in range(3):
        own = [now for chain, now in recorder.reports if chain == number]
        assert own[0]["sweeps"] == 0
        assert own[-1]["sweeps"] == own[-1]["n_sweeps"] == 130
        assert [now["sweeps"] for now in own] == sorted(now["sweeps"] for now in own)


def wait_for(condition: Callable[[], bool]) -> bool:
    """Wait until a condition holds; return whether it does."""
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.02)
    return False


def in_another_process(reporter: Reporter) -> FileReporter:
    """Return the reporter as another process unpickles it."""
    copy = pickle.loads(pickle.dumps(reporter))
    assert isinstance(copy, FileReporter)
    return copy


def test_a_pickled_reporter_exchanges_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[Any] = []
    monitor = Monitor(lambda number, now: reports.append((number, dict(now))), tmp_path)
    now = {"sweeps": 1, "n_sweeps": 9}
    with in_another_process(Reporter(3, monitor)) as reporter:
        assert reporter.report(now)
        assert reporter.report(now | {"sweeps": 2})
        assert wait_for(lambda: len(reports) == 2)
        assert monitor.running == [3]
        monitor.stop()
        assert not reporter.report(now | {"sweeps": 9})
    with in_another_process(Reporter(4, monitor)) as late:
        assert not late.report(now)
    monitor.close()
    assert [(number, report["sweeps"]) for number, report in reports] == [
        (3, 1),
        (3, 2),
        (3, 9),
        (4, 1),
    ]
    assert not list(tmp_path.iterdir())
    assert reporter.report(now)
    monkeypatch.setattr("rbhmc.sampling.monitor.LOST_SECONDS", 0.0)
    with pytest.raises(Abandoned):
        reporter.report(now)


def test_the_exchange_folder_is_private_and_comes_back(tmp_path: Path) -> None:
    monitor = Monitor(lambda number, now: None, tmp_path)
    with in_another_process(Reporter(0, monitor)) as reporter:
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        shutil.rmtree(folder)
        assert reporter.report({"sweeps": 1, "n_sweeps": 2})
        assert wait_for(folder.is_dir)
        assert folder.stat().st_mode & 0o777 == 0o700
        monitor.stop()
        assert not reporter.report({"sweeps": 1, "n_sweeps": 2})
    monitor.close()


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_no_process_listens(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    """No process of a run waits for connections from a network."""
    open_ports: list[Any] = []
    seen: set[int] = set()

    class Watcher(Quiet):
        def show(self, number: int, now: Any) -> None:
            process = psutil.Process()
            for each in (process, *process.children(recursive=True)):
                if each.pid not in seen:
                    seen.add(each.pid)
                    with suppress(psutil.Error):
                        open_ports.extend(each.net_connections("inet"))

    monkeypatch.setattr(run, "make_display", lambda n_chains, progress: Watcher())
    with joblib.parallel_config(backend=backend):
        run_chains(chains(2, n_draws=2_000), n_jobs=2)
    assert seen
    assert not open_ports


def test_a_worker_that_cannot_see_the_folder_runs_without_reports(tmp_path: Path) -> None:
    with FileReporter(0, str(tmp_path / "elsewhere"), os.getpid()) as reporter:
        assert reporter.report({"sweeps": 1, "n_sweeps": 2})
    assert not list(tmp_path.iterdir())


def test_unread_reports_do_not_grow_without_bound(tmp_path: Path) -> None:
    with FileReporter(0, str(tmp_path), 0) as reporter:
        for _ in range(20):
            assert reporter.report({"note": "x" * 2**13})
    (file,) = tmp_path.iterdir()
    assert file.stat().st_size < 2**17


ORPHANS = """
import sys
import joblib, numpy as np
from rbhmc.sampling import Chain, run_chains

class Announcer:
    def show(self, number, now):
        if now["sweeps"] > 0:
            print("running", flush=True)
    def close(self):
        pass

import rbhmc.sampling.run as run
run.make_display = lambda n_chains, progress: Announcer()
X = np.random.default_rng(5).normal(size=(20, 3))
with joblib.parallel_config(backend="loky"):
    run_chains([Chain(X, seed=n, n_draws=10**8) for n in (0, 1)], n_jobs=2)
"""


def test_chains_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    with subprocess.Popen(
        [sys.executable, "-c", ORPHANS],
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"running\n"
        workers = psutil.Process(process.pid).children(recursive=True)
        assert workers
        process.kill()
    working = [worker for worker in workers if worker.is_running()]

    def idle() -> bool:
        before = [sum(w.cpu_times()[:2]) for w in working if w.is_running()]
        time.sleep(0.2)
        return before == [sum(w.cpu_times()[:2]) for w in working if w.is_running()]

    try:
        assert wait_for(idle)
    finally:
        for worker in working:
            if worker.is_running():
                worker.kill()
