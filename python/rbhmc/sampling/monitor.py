"""Progress reports from chains to the process that runs them, and its request to stop them.

Chains in threads share the `Monitor`. A chain that joblib sends to another process exchanges files
with it in a temporary folder that only the user can open: the chain appends its reports to a file
there, and it stops once a file named ``stop`` appears. The folder lies in the run folder if there
is one, so that workers on other machines see it. A worker that cannot see the folder runs without
reports. If the folder is removed, it is created again as long as the run goes on.
"""

import json
import multiprocessing
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

Report = Callable[[int, Mapping[str, Any]], None]
STOP = "stop"
REPORTS = ".reports"
# Seconds between two looks at the reports of other processes.
POLL_SECONDS = 0.1
# Seconds that chains in this process have to end after an error.
END_SECONDS = 10.0
# Seconds without the exchange folder after which a chain takes its run for given up.
LOST_SECONDS = 5.0
# A chain does not append reports to a file of this size, which nobody reads.
MAX_UNREAD_BYTES = 2**16


class Monitor:
    """Passes on the reports of all chains and tells the chains to stop.

    Parameters
    ----------
    report : callable
        Called with the number of a chain and its report, from any thread but never from two at
        once.
    folder : Path, optional
        Where the folder for other processes is created; by default in the system's temporary
        folder.
    """

    def __init__(self, report: Report, folder: Path | None = None) -> None:
        self.stopped = threading.Event()
        self._report = report
        self._folder = folder
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._exchange: TemporaryDirectory[str] | None = None
        self._last: dict[int, Mapping[str, Any]] = {}
        self._workers: dict[int, int] = {}
        self._n_here = 0
        self._lost_folder = False
        self._ended = threading.Condition()

    @property
    def running(self) -> list[int]:
        """Numbers of the chains that have started and not finished, by their last reports."""
        with self._lock:
            return sorted(n for n, now in self._last.items() if now["sweeps"] < now["n_sweeps"])

    def receive(self, number: int, now: Mapping[str, Any]) -> None:
        """Pass on the report of a chain."""
        with self._lock:
            if not self._closed.is_set():
                self._last[number] = now
                self._report(number, now)

    def folder_is_missing(self) -> None:
        """Print once that the run folder has disappeared."""
        with self._lock:
            if not self._lost_folder and not self._closed.is_set():
                self._lost_folder = True
                with suppress(OSError, RuntimeError):
                    print(
                        f"{self._folder} has disappeared: the draws are kept in memory",
                        file=sys.stderr,
                    )

    def stop(self) -> None:
        """Ask all chains to stop after the draw in progress; a signal handler may call this."""
        self.stopped.set()
        if self._exchange is not None:
            with suppress(OSError):
                Path(self._exchange.name, STOP).touch()

    def exchange(self) -> str:
        """Return the folder for chains in other processes; the first call creates it."""
        with self._lock:
            if self._exchange is None:
                self._exchange = TemporaryDirectory(
                    dir=self._folder, prefix=".rbhmc-", suffix=".tmp", ignore_cleanup_errors=True
                )
                threading.Thread(target=self._poll, daemon=True).start()
        if self.stopped.is_set():
            self.stop()
        return self._exchange.name

    def close(self) -> None:
        """Stop the chains that still run, and wait for those in this process."""
        self._collect()
        self._closed.set()
        self.stop()
        with self._lock:
            if self._exchange is not None:
                self._exchange.cleanup()
        with self._ended:
            self._ended.wait_for(lambda: self._n_here == 0, END_SECONDS)

    def chain_starts(self) -> None:
        """Count a chain that starts in this process."""
        with self._ended:
            self._n_here += 1

    def chain_ends(self) -> None:
        """Count a chain that has ended in this process."""
        with self._ended:
            self._n_here -= 1
            self._ended.notify_all()

    def _poll(self) -> None:
        while not self._closed.wait(POLL_SECONDS):
            self._collect()
            if self.stopped.is_set() and any(
                not _is_alive(self._workers[number])
                for number in self.running
                if number in self._workers
            ):
                # The Ctrl-C of a terminal kills the workers of a Dask cluster on this machine, and
                # joblib would wait for them without end.
                signal.raise_signal(signal.SIGINT)
                return

    def _collect(self) -> None:
        """Read the reports of other processes, and remove them."""
        with self._lock:
            if self._exchange is None or self._closed.is_set():
                return
            with suppress(OSError):
                Path(self._exchange.name).mkdir(0o700, exist_ok=True)
            for file in sorted(Path(self._exchange.name).glob(f"*{REPORTS}")):
                read = file.with_suffix(".read")
                # A report that is lost or half written does no harm.
                with suppress(OSError, ValueError):
                    file.replace(read)
                    for line in read.read_text(encoding="utf-8").splitlines():
                        worker, now = json.loads(line)
                        if worker[0] == platform.node():
                            self._workers[int(file.stem)] = worker[1]
                        self.receive(int(file.stem), now)


def _is_alive(pid: int) -> bool:
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


class Reporter:
    """The monitor as one chain uses it, in the process of the monitor."""

    def __init__(self, number: int, monitor: Monitor) -> None:
        self.number = number
        self._monitor = monitor

    def report(self, now: Mapping[str, Any]) -> bool:
        """Report the progress of the chain; return False if the chain is to stop."""
        self._monitor.receive(self.number, now)
        return not self._monitor.stopped.is_set()

    def folder_is_missing(self) -> None:
        """Tell the user that the run folder has disappeared."""
        self._monitor.folder_is_missing()

    def __enter__(self) -> Self:
        self._monitor.chain_starts()
        return self

    def __exit__(self, *_: object) -> None:
        self._monitor.chain_ends()

    def __reduce__(self) -> tuple[Any, ...]:
        return FileReporter, (self.number, self._monitor.exchange(), os.getpid())


class Abandoned(Exception):
    """The process that started the chain has ended or has given up the run."""


class FileReporter(Reporter):
    """The monitor as one chain uses it, in another process: files in the exchange folder."""

    def __init__(self, number: int, exchange: str, owner: int) -> None:
        self.number = number
        self._arguments = number, exchange, owner
        self._folder = Path(exchange)
        parent = multiprocessing.parent_process()
        self._owner = owner if parent is not None and parent.pid == owner else None
        self._sees_folder = False
        self._last_seen = time.monotonic()

    def report(self, now: Mapping[str, Any]) -> bool:
        """Append a report to the chain's file; return False if the chain is to stop."""
        if self._owner is not None and not _is_alive(self._owner):
            raise Abandoned("the process that started it has ended")
        if not self._sees_folder:
            return True
        if not self._folder.parent.is_dir():
            # The run folder has disappeared; the run has not ended.
            self._sees_folder = False
            return True
        if not self._folder.is_dir():
            if time.monotonic() - self._last_seen < LOST_SECONDS:
                return True
            raise Abandoned("the process that started it has given up the run")
        self._last_seen = time.monotonic()
        reports = self._folder / f"{self.number}{REPORTS}"
        with suppress(OSError), reports.open("a", encoding="utf-8") as file:
            if file.tell() < MAX_UNREAD_BYTES:
                worker = platform.node(), os.getpid()
                file.write(json.dumps([worker, dict(now)]) + "\n")
        return not (self._folder / STOP).exists()

    def folder_is_missing(self) -> None:
        """Leave it to the process that started the chain, which finds out at its end."""

    def __enter__(self) -> Self:
        # Ctrl-C, and the end of a terminal, reach all of its processes, but the monitor decides who
        # stops. Both stay ignored after the chain: an idle worker that died of them would take
        # others with it.
        is_child = multiprocessing.parent_process() is not None
        if is_child and threading.current_thread() is threading.main_thread():
            for name in {"SIGINT", "SIGHUP", "SIGBREAK"} & signal.Signals.__members__.keys():
                signal.signal(signal.Signals[name], signal.SIG_IGN)
        self._sees_folder = self._folder.is_dir()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the reports to the monitor."""

    def __reduce__(self) -> tuple[Any, ...]:
        return FileReporter, self._arguments
