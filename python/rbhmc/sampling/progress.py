"""A line of text that says how far a run is."""

import sys
import time
from collections.abc import Mapping
from typing import TextIO


class ProgressLine:
    """A `progress` for `Sampler.run`: one line, rewritten in place.

    Quiet where `file` is no terminal, and for the first second, so that short runs print nothing.

    Parameters
    ----------
    file : text file, optional
        Standard error where absent.
    label : str
        What stands at the start of the line.

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
        """Show the present state of a run, as `Sampler.run` reports it."""
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
