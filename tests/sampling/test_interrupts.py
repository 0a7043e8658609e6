"""Ctrl-C keeps complete draws; a second one aborts; failures and dead workers are named."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import rbhmc
from rbhmc.sampling import Chain, ChainError, RunFolder, run, run_chains, truncate_to_common_length
from sampling.cases import QUICK, X, chains
from sampling.watching import Recorder, stop_after

LONG = {**QUICK, "n_draws": 10**6}


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_ctrl_c_leaves_a_fitted_model(monkeypatch: pytest.MonkeyPatch, n_jobs: int) -> None:
    recorder = Recorder(2, n_jobs)
    monkeypatch.setattr(run, "make_display", lambda n_chains, progress: recorder)
    with pytest.warns(
        RuntimeWarning, match=r"interrupted: chains 0, 1, 2, 3 had .* of 1000000"
    ) as told:
        model = rbhmc.RBHMC(**LONG, n_jobs=n_jobs).fit(X)
    assert {Path(each.filename) for each in told} == {Path(__file__)}
    assert 0 < model.draws_.n_draws < 10**6
    assert model.draws_.n_chains == n_jobs
    assert model.labels_.shape == (20,)
    whole = rbhmc.RBHMC(**{**LONG, "n_draws": model.draws_.n_draws}).fit(X)
    assert np.array_equal(model.draws_.paths, whole.draws_.paths[:n_jobs])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_stops_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    with joblib.parallel_config(backend="loky"):
        reports, results = stop_after(monkeypatch, chains(2, n_draws=10**7), n_jobs=2, n_reports=3)
    assert {number for number, _ in reports} == {0, 1}
    assert all(0 < len(chunk["cdll"]) < 10**7 for chunk in results)


def test_ctrl_c_before_the_first_draw_gives_no_model() -> None:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt, match="before the first draw"):
        rbhmc.RBHMC(**{**LONG, "n_warmup": 10**9}).fit(X)


def test_a_second_ctrl_c_aborts() -> None:
    for seconds in (0.5, 0.7):
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), pytest.warns(RuntimeWarning, match="interrupted"):
        # The first draw takes too many sweeps to complete: the first Ctrl-C waits for it a little.
        run_chains([Chain(X, seed=0, n_draws=2, thin=10**9)], n_jobs=1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_signal_handlers_do_not_change_outside_the_main_thread() -> None:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.extend(run_chains(chains(2), n_jobs=2)))
    thread.start()
    thread.join()
    assert [len(chunk["cdll"]) for chunk in results] == [30, 30]


def chunk(n: int) -> dict[str, Any]:
    return {"cdll": np.arange(n, dtype=float), "paths": np.zeros((n, 2, 1), np.int32)}


@pytest.mark.parametrize(
    ("lengths", "n_chains", "n_draws"),
    [((10, 0, 0), 1, 10), ((10, 9, 8), 3, 8), ((9, 2, 2, 2), 1, 9), ((4, 3, 0), 2, 3)],
)
def test_chains_are_truncated_to_one_length(
    lengths: tuple[int, ...], n_chains: int, n_draws: int
) -> None:
    with pytest.warns(RuntimeWarning, match=f"{n_draws} draws of each of {n_chains} chains"):
        kept = truncate_to_common_length([chunk(n) for n in lengths], 10)
    assert [len(chunk["cdll"]) for chunk in kept.values()] == [n_draws] * n_chains
    assert all(lengths[number] >= n_draws for number in kept)


def test_a_failing_chain_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = [*chains(2), Chain(X, seed=9, n_draws=3, settings={"n_levels": 2, "nothing": 1})]
    with pytest.raises(ChainError, match=r"chain 2 failed: TypeError: .*nothing"):
        run_chains(bad, n_jobs=2)


def test_invalid_settings_raise_invalid_input() -> None:
    with pytest.raises(rbhmc.InvalidInput, match="alpha"):
        run_chains(chains(2, alpha=-1.0))


def test_no_chain_outlives_its_run() -> None:
    bad = Chain(X, seed=9, n_draws=3, settings={"nothing": 1})
    with pytest.raises(ChainError, match="chain 1 failed"):
        run_chains([*chains(1, n_draws=10**7), bad], n_jobs=2)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.25


def test_a_handler_of_the_user_gets_ctrl_c() -> None:
    def handler(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handler)
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt), pytest.warns(RuntimeWarning, match="interrupted"):
            run_chains(chains(1, n_draws=10**7), n_jobs=1)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("settings", "options", "words"),
    [
        ({"select": "bogus"}, {}, "select is 'bogus'"),
        ({}, {"names": ["one"]}, "names has 1 entries"),
        ({"noise_cov": object()}, {}, "noise_cov"),
    ],
)
def test_invalid_arguments_are_found_before_sampling(
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, Any],
    options: dict[str, Any],
    words: str,
) -> None:
    monkeypatch.delattr(Chain, "start")
    with pytest.raises(rbhmc.InvalidInput, match=words):
        rbhmc.RBHMC(**QUICK, **settings).fit(X, **options)


def test_a_failed_fit_leaves_the_model_unchanged() -> None:
    model = rbhmc.RBHMC(**QUICK).fit(X)
    before = model.predict_path_proba(X)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_warmup=10**9).fit(X * 5.0 + 1.0)
    assert np.array_equal(model.predict_path_proba(X), before)


WORKER_DEATH = """
import sys
from pathlib import Path

import joblib, numpy as np, psutil
from rbhmc.sampling import Chain, ChainError, RunFolder, chain_store, run, run_chains

class Killer:
    left = 40
    def show(self, number, now):
        self.left -= 1
        if self.left == 0:
            workers = [p for p in psutil.Process().children() if "loky" in str(p.cmdline())]
            max(workers, key=lambda p: p.cpu_times().user).kill()
    def close(self):
        pass

chain_store.CHECKPOINT_SECONDS = 0.2
run.make_display = lambda n_chains, progress: Killer()
X = np.random.default_rng(5).normal(size=(20, 3))
folder = RunFolder.create(Path(sys.argv[1]), {}, 10**7)
try:
    with joblib.parallel_config(backend="loky"):
        run_chains([Chain(X, seed=n, n_draws=10**6) for n in (0, 1)], n_jobs=2, folder=folder)
except ChainError as error:
    print(error)
"""


def test_a_dead_worker_is_reported_and_the_checkpoints_are_kept(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WORKER_DEATH, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "a worker died while chains 0, 1 were running" in run.stdout, run.stderr
    assert "keeps the draws so far" in run.stdout
    assert "Terminated" in run.stdout
    assert list(tmp_path.glob("chain-*/draws-*.npz"))


TERMINAL = """
import sys
from pathlib import Path

import joblib, numpy as np
from rbhmc.sampling import Chain, RunFolder, run, run_chains

class Announcer:
    working = set()
    def show(self, number, now):
        if now.get("n_draws", 0) > 0 and number not in self.working:
            self.working.add(number)
            print("draws", flush=True)
    def close(self):
        pass

run.make_display = lambda n_chains, progress: Announcer()
X = np.random.default_rng(5).normal(size=(20, 3))
folder = RunFolder.create(Path(sys.argv[2]), {}, 10**7)
if sys.argv[1] == "dask":
    from distributed import Client, LocalCluster
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    client = Client(cluster)
try:
    with joblib.parallel_config(backend=sys.argv[1]):
        results = run_chains(
            [Chain(X, seed=n, n_draws=10**7) for n in range(3)], n_jobs=2, folder=folder
        )
    print([len(chunk["cdll"]) for chunk in results], flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def press_ctrl_c_in_a_terminal(folder: Path, backend: str) -> tuple[str, list[int]]:
    """Return the output of TERMINAL, and the draws that the folder keeps of each chain."""
    command = [sys.executable, "-c", TERMINAL, backend, str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["draws\n"] * 2
        # A terminal sends SIGINT to the whole process group.
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    kept = [RunFolder(folder, {"inputs": {}}).store(number).load() for number in range(3)]
    assert not list(folder.glob(".rbhmc-*"))
    return out, [0 if one is None else sum(len(c["cdll"]) for c in one[1]) for one in kept]


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
def test_ctrl_c_in_a_terminal_keeps_the_draws_of_all_processes(
    tmp_path: Path, backend: str
) -> None:
    out, n_kept = press_ctrl_c_in_a_terminal(tmp_path, backend)
    # An idle worker of a multiprocessing pool may die of Ctrl-C and end the run; the run folder
    # keeps the draws.
    expected = [f"{n_kept}\n"] + ["interrupted\n"] * (backend == "multiprocessing")
    assert out in expected
    # The third chain was queued and never started.
    assert min(n_kept[:2]) > 0 == n_kept[2]


def test_ctrl_c_in_a_terminal_kills_the_workers_of_dask_but_does_not_hang(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    out, n_kept = press_ctrl_c_in_a_terminal(tmp_path, "dask")
    assert out == "interrupted\n"
    assert n_kept[2] == 0
