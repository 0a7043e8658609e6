"""The progress of chains on a terminal: one bar for each chain, or one line of text for all."""

import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Protocol, TextIO

# With more chains than this, only running chains have a bar.
MAX_BARS = 8


class Display(Protocol):
    """Shows the reports of chains until it is closed."""

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        """Show the report of a chain."""

    def close(self) -> None:
        """Leave the last state on the screen."""


def make_display(n_chains: int, progress: bool) -> Display:
    """Return bars if rich is installed, otherwise one line; nothing if there is no terminal."""
    if not progress:
        return Quiet()
    if find_spec("rich") is None:
        return Line(n_chains) if sys.stderr.isatty() else Quiet()
    from rich.console import Console

    console = Console(stderr=True)
    return Bars(n_chains, console) if console.is_terminal or console.is_jupyter else Quiet()


class Quiet:
    """A display that shows nothing."""

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class ProgressLine:
    """A `progress` for `Sampler.run`: one line of text that is rewritten in place.

    It prints nothing if `file` is not a terminal, or if the run takes less than a second.

    Parameters
    ----------
    file : text file, optional
        Where to print; by default standard error.
    label : str
        Text at the start of the line.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> sampler = rbhmc.Sampler(np.eye(3))
    >>> draws = sampler.run(50, progress=rbhmc.ProgressLine(label="chain 0"))
    """

    def __init__(self, file: TextIO | None = None, *, label: str = "sampling") -> None:
        self._file = sys.stderr if file is None else file
        self._label = label
        self._start = time.monotonic()
        self._shown = False

    def __call__(self, now: Mapping[str, float]) -> None:
        """Show a report of `Sampler.run`."""
        if not self._file.isatty():
            return
        seconds = time.monotonic() - self._start
        finished = now["sweeps"] >= now["n_sweeps"]
        if self._shown or seconds > 1.0:
            self._file.write("\r\033[K" + self._text(now, seconds))
            self._shown = True
        if finished and self._shown:
            self._file.write("\n")
        self._file.flush()

    def _text(self, now: Mapping[str, float], seconds: float) -> str:
        share = now["sweeps"] / max(now["n_sweeps"], 1)
        speed = now["sweeps"] / max(seconds, 1e-9)
        left = (now["n_sweeps"] - now["sweeps"]) / max(speed, 1e-9)
        return (
            f"{self._label}: {share:4.0%}, {now['sweeps']:,} of {now['n_sweeps']:,} sweeps, "
            f"{speed:,.0f} a second, {left:.0f} s left; {now['n_components']} components, "
            f"{now['n_nodes']} nodes, RCDLL {now['rcdll']:.1f}"
        )


class Line:
    """One line for all chains, with the RCDLL and sizes of the chain of highest RCDLL."""

    def __init__(self, n_chains: int) -> None:
        self._now: dict[int, Mapping[str, Any]] = {}
        self._n_chains = n_chains
        self._line = ProgressLine(label=f"{n_chains} chains")

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        """Add the report to the sums over all chains."""
        self._now[number] = {**self._now.get(number, {}), **now}
        known = [now for now in self._now.values() if "rcdll" in now]
        if known:
            best = max(known, key=lambda now: now["rcdll"])
            sweeps = sum(now["sweeps"] for now in self._now.values())
            self._line({**best, "sweeps": sweeps, "n_sweeps": self._n_chains * now["n_sweeps"]})

    def close(self) -> None:
        """Do nothing."""


class Bars:
    """A bar for each chain: percentage, sweeps per second, time left, RCDLL, components, nodes."""

    def __init__(self, n_chains: int, console: Any) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._n_chains = n_chains
        self._tasks: dict[int, Any] = {}
        self._starts: dict[int, tuple[float, int]] = {}
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[state]}"),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=False,
            refresh_per_second=8,
        )
        self._all = self._bars.add_task(
            f"{n_chains} chains", total=n_chains, state="", visible=n_chains > MAX_BARS
        )
        self._bars.start()

    def show(self, number: int, now: Mapping[str, Any]) -> None:
        """Move the bar of a chain."""
        if number not in self._tasks:
            self._starts[number] = time.monotonic(), now["sweeps"]
            self._tasks[number] = self._bars.add_task(
                f"chain {number}", total=now["n_sweeps"], state=""
            )
        task = self._tasks[number]
        finished = now["sweeps"] >= now["n_sweeps"]
        self._bars.update(task, completed=now["sweeps"])
        if "rcdll" in now:
            self._bars.update(task, state=self._state(number, now))
        if finished and self._n_chains > MAX_BARS and self._bars.tasks:
            self._bars.update(task, visible=False)
            n_finished = sum(task.finished for task in self._bars.tasks[1:])
            self._bars.update(self._all, completed=n_finished)

    def close(self) -> None:
        """Stop redrawing."""
        self._bars.stop()

    def _state(self, number: int, now: Mapping[str, Any]) -> str:
        start, n_before = self._starts[number]
        speed = (now["sweeps"] - n_before) / max(time.monotonic() - start, 1e-9)
        return (
            f"{speed:,.0f} sweeps/s, RCDLL {now['rcdll']:.1f}, "
            f"{now['n_components']} components, {now['n_nodes']} nodes"
        )
