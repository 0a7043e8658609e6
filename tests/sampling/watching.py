"""A display that records reports and presses Ctrl-C."""

import os
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from rbhmc.sampling import Chain, RunFolder, run, run_chains
from rbhmc.sampling.chain_store import DrawChunk

Reports = list[tuple[int, dict[str, Any]]]


class Recorder:
    """A display that records all reports.

    It presses Ctrl-C once `n_working` chains have each reported `n_reports` times that they have
    draws.
    """

    def __init__(self, n_reports: int, n_working: int) -> None:
        self.reports: Reports = []
        self.closed = False
        self._n_reports = n_reports
        self._n_working = n_working
        self._counts: Counter[int] = Counter()
        self._pressed = False

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        self.reports.append((number, dict(now)))
        self._counts[number] += now.get("n_draws", 0) > 0
        ready = sum(count >= self._n_reports for count in self._counts.values())
        if ready >= self._n_working and not self._pressed:
            self._pressed = True
            os.kill(os.getpid(), signal.SIGINT)

    def close(self) -> None:
        self.closed = True


def stop_after(
    monkeypatch: pytest.MonkeyPatch,
    chains: Sequence[Chain],
    *,
    n_reports: int,
    n_jobs: int,
    folder: RunFolder | None = None,
) -> tuple[Reports, list[DrawChunk]]:
    """Press Ctrl-C once each of the first `n_jobs` chains has reported so many times."""
    recorder = Recorder(n_reports, n_jobs)
    monkeypatch.setattr(run, "make_display", lambda n_chains, progress: recorder)
    results = run_chains(chains, n_jobs=n_jobs, folder=folder)
    assert recorder.closed
    return recorder.reports, results
