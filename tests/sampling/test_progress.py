"""What a person sees while chains run: bars on a terminal, nothing elsewhere."""

import io
import json
import os
import pty
import select
import socket
import subprocess
import sys
import time
from typing import Any

import joblib
import pytest

from rbhmc.sampling import display, run, run_chains
from rbhmc.sampling.display import Bars, Line, Quiet, make_display
from rbhmc.sampling.hub import Hub
from rbhmc.sampling.link import Link, RemoteLink
from sampling.cases import chains

NOW = {"rcdll": -12.25, "n_components": 3, "n_nodes": 9, "n_draws": 5}

FIT = """
import numpy as np, joblib, sys
import rbhmc
X = np.random.default_rng(5).normal(size=(30, 3)) * 3.0
model = rbhmc.RBHMC(n_chains=2, n_warmup=1000, n_draws=3000, thin=3, random_state=0, n_jobs=2)
with joblib.parallel_config(backend=sys.argv[1]):
    model.fit(X, progress=sys.argv[2] == "True")
"""


def on_a_terminal(command: list[str]) -> str:
    """Run a command whose standard error is a terminal, and return what it wrote there."""
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
            except OSError:  # the other end was closed
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


def test_elsewhere_it_is_quiet() -> None:
    command = [sys.executable, "-c", FIT, "threading", "True"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == done.stdout == ""


def test_many_chains_share_one_bar_and_only_those_at_work_have_their_own() -> None:
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


def test_one_line_where_rich_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(display, "find_spec", lambda name: None)
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
def test_reports_say_how_far_each_chain_is(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
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


def received(hub_reports: list[Any], n: int) -> bool:
    """Wait for reports that come by a socket."""
    for _ in range(100):
        if len(hub_reports) >= n:
            return True
        time.sleep(0.02)
    return False


def test_a_link_that_is_pickled_becomes_a_socket() -> None:
    reports: list[Any] = []
    hub = Hub(lambda number, now: reports.append((number, dict(now))))
    make, arguments = Link(3, hub).__reduce__()
    link = make(*arguments)
    assert isinstance(link, RemoteLink)
    with link:
        assert link.report({"sweeps": 1})
        assert received(reports, 1)
        hub.stop()
        assert received_stop(link)
    assert reports[0] == (3, {"sweeps": 1})
    with make(*arguments) as late:
        assert not late.report({"sweeps": 0})
    hub.close()
    assert hub.lost == []


def received_stop(link: RemoteLink) -> bool:
    for _ in range(100):
        if not link.report({"sweeps": 2}):
            return True
        time.sleep(0.02)
    return False


def test_a_link_without_a_hub_goes_on_in_silence() -> None:
    with RemoteLink(0, ["127.0.0.1"], 1, "secret") as link:
        assert link.report({"sweeps": 1})


def test_strangers_are_ignored(capfd: pytest.CaptureFixture[str]) -> None:
    reports: list[Any] = []
    hub = Hub(lambda number, now: reports.append(number))
    hosts, port, secret = hub.address()
    assert hosts == ["127.0.0.1"]
    for hello in (b"GET / HTTP/1.1\r\n\r\n", b'{"secret": "wrong", "number": 1}\n{"sweeps": 1}\n'):
        with socket.create_connection((hosts[0], port), timeout=5) as stranger:
            stranger.sendall(hello)
            assert stranger.recv(1) == b""
    with RemoteLink(1, hosts, port, secret) as link:
        link.report(json.loads('{"sweeps": 5}'))
        assert received(reports, 1)
    hub.close()
    assert reports == [1]
    assert capfd.readouterr().err == ""
