"""What runs have left in a folder: for each experiment the numbers of the greatest effort."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rbhmc.reproduce.effort import EFFORTS


@dataclass(frozen=True)
class Record:
    """An experiment that was run: with how much effort, where it is, and its numbers."""

    effort: str
    place: Path
    numbers: Any


def read_records(
    folder: Path, table: str, scheme: str, efforts: Iterable[str] = tuple(EFFORTS)
) -> dict[str, Record]:
    """Read the experiments on a table, by name.

    Parameters
    ----------
    folder : Path
        What `run` was given.
    table, scheme : str
    efforts : iterable of str
        Where an experiment was run with several, the last of these counts.
    """
    found = {}
    for effort in efforts:
        for file in sorted((folder / f"{table}-{scheme}-{effort}").glob("*/numbers.json")):
            numbers = json.loads(file.read_text(encoding="utf-8"))
            found[file.parent.name] = Record(effort, file.parent, numbers)
    return found


def effort_text(name: str) -> str:
    """Say what an effort is.

    Examples
    --------
    >>> effort_text("quick")
    '2,500 + 5,000 sweeps, every 5th kept; 3 repeats on the grid, 6 chains elsewhere'
    """
    effort = EFFORTS[name]
    return (
        f"{effort.n_warmup:,} + {effort.n_sweeps:,} sweeps, every {effort.thin}th kept; "
        f"{effort.n_repeats} repeats on the grid, {effort.n_chains} chains elsewhere"
    )
