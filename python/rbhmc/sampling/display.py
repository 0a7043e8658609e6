"""How far each chain is, for a person at a terminal: one bar a chain."""

import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Protocol

from rbhmc.sampling.progress import ProgressLine

# Of more chains than these, only those at work have a bar of their own.
MANY = 8


class Display(Protocol):
    """Shows reports of chains until it is closed."""

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        """Take a report of a chain."""

    def close(self) -> None:
        """Leave the last state on the screen."""


def make_display(n_chains: int, progress: bool) -> Display:
    """Choose bars by rich, one line where it is not installed, or silence where nobody looks."""
    if not progress:
        return Quiet()
    if find_spec("rich") is None:
        return Line(n_chains) if sys.stderr.isatty() else Quiet()
    from rich.console import Console

    console = Console(stderr=True)
    return Bars(n_chains, console) if console.is_terminal or console.is_jupyter else Quiet()


class Quiet:
    """Shows nothing."""

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        """Leave it."""

    def close(self) -> None:
        """Leave it."""


class Line:
    """One line for all chains together; the figures are those of the chain of highest RCDLL."""

    def __init__(self, n_chains: int) -> None:
        self._now: dict[int, Mapping[str, Any]] = {}
        self._n_chains = n_chains
        self._line = ProgressLine(label=f"{n_chains} chains")

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        """Add up all chains."""
        self._now[number] = {**self._now.get(number, {}), **now}
        known = [now for now in self._now.values() if "rcdll" in now]
        if known:
            best = max(known, key=lambda now: now["rcdll"])
            sweeps = sum(now["sweeps"] for now in self._now.values())
            self._line({**best, "sweeps": sweeps, "n_sweeps": self._n_chains * now["n_sweeps"]})

    def close(self) -> None:
        """Nothing is left open."""


class Bars:
    """A bar for each chain: share done, sweeps a second, time left, RCDLL, components, nodes."""

    def __init__(self, n_chains: int, console: Any) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._n_chains = n_chains
        self._tasks: dict[int, Any] = {}
        self._starts: dict[int, tuple[float, int]] = {}
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[words]}"),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=False,
            refresh_per_second=8,
        )
        self._all = self._bars.add_task(
            f"{n_chains} chains", total=n_chains, words="", visible=n_chains > MANY
        )
        self._bars.start()

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        """Move the bar of a chain."""
        if number not in self._tasks:
            self._starts[number] = time.monotonic(), now["sweeps"]
            self._tasks[number] = self._bars.add_task(
                f"chain {number}", total=now["n_sweeps"], words=""
            )
        task = self._tasks[number]
        finished = now["sweeps"] >= now["n_sweeps"]
        self._bars.update(task, completed=now["sweeps"])
        if "rcdll" in now:
            self._bars.update(task, words=self._words(number, now))
        if finished and self._n_chains > MANY and self._bars.tasks:
            self._bars.update(task, visible=False)
            ended = sum(task.finished for task in self._bars.tasks[1:])
            self._bars.update(self._all, completed=ended)

    def close(self) -> None:
        """Stop redrawing."""
        self._bars.stop()

    def _words(self, number: int, now: Mapping[str, Any]) -> str:
        start, n_before = self._starts[number]
        speed = (now["sweeps"] - n_before) / max(time.monotonic() - start, 1e-9)
        return (
            f"{speed:,.0f} sweeps/s, RCDLL {now['rcdll']:.1f}, "
            f"{now['n_components']} components, {now['n_nodes']} nodes"
        )
