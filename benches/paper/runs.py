"""Runs of the experiments: `run_experiments` writes them to a folder, `read_records` reads them."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paper.experiment import EFFORTS, Experiment, Section
from paper.experiments import case, co_occurrences, convergence, f_measures, sensitivity
from paper.tables import Table
from rbhmc import InvalidInput
from rbhmc._files import write_atomically

EXPERIMENTS: dict[str, Callable[[Experiment], Section]] = {
    "convergence": convergence,
    "sensitivity": sensitivity,
    "case": case,
    "fmeasure": f_measures,
    "cooccurrence": co_occurrences,
}


@dataclass(frozen=True)
class Record:
    """An experiment that was run: its effort, its folder and its numbers."""

    effort: str
    folder: Path
    numbers: Any


def run_experiments(
    table: Table,
    folder: Path,
    *,
    experiments: Iterable[str] = tuple(EXPERIMENTS),
    scheme: str = "paper",
    effort: str = "quick",
    n_jobs: int | None = None,
    progress: bool = True,
) -> list[Section]:
    """Run experiments, and write the figures, numbers and text of each to its folder.

    A run that was stopped or killed continues; chains that are complete are not run again.

    Parameters
    ----------
    table : Table
    folder : Path
        Folder of all runs.
    experiments : iterable of str
        Keys of EXPERIMENTS.
    scheme : {"paper", "collapsed", "exact"}
    effort : {"quick", "medium", "paper"}
    n_jobs, progress
        As in `RBHMC`.
    """
    if effort not in EFFORTS:
        raise InvalidInput(f"effort is {effort!r}; it must be one of {', '.join(EFFORTS)}")
    names = list(experiments)
    for name in names:
        if name not in EXPERIMENTS:
            raise InvalidInput(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    sections = []
    for name in names:
        own = run_folder(folder, table.name, scheme, effort) / name
        own.mkdir(parents=True, exist_ok=True)
        experiment = Experiment(table, EFFORTS[effort], scheme, own, n_jobs, progress)
        section = EXPERIMENTS[name](experiment)
        write_atomically(own / "numbers.json", json.dumps(section.numbers, indent=1).encode())
        text = f"## {section.title}\n\n{section.text}\n"
        write_atomically(own / "section.md", text.encode())
        sections.append(section)
    return sections


def run_folder(folder: Path, table: str, scheme: str, effort: str) -> Path:
    """Return the folder of the experiments on a table with a scheme and an effort."""
    return folder / f"{table}-{scheme}-{effort}"


def read_records(
    folder: Path, table: str, scheme: str, efforts: Iterable[str] = tuple(EFFORTS)
) -> dict[str, Record]:
    """Read the experiments on a table, by name.

    Parameters
    ----------
    folder : Path
        Folder of all runs.
    table, scheme : str
    efforts : iterable of str
        If an experiment was run with several, the last of these counts.
    """
    records = {}
    for effort in efforts:
        for file in sorted(run_folder(folder, table, scheme, effort).glob("*/numbers.json")):
            numbers = json.loads(file.read_text(encoding="utf-8"))
            records[file.parent.name] = Record(effort, file.parent, numbers)
    return records


def describe_effort(name: str) -> str:
    """Describe an effort.

    Examples
    --------
    >>> describe_effort("quick")
    '2,500 + 5,000 sweeps, every 5th kept; 3 repeats on the grid, 6 chains elsewhere'
    """
    effort = EFFORTS[name]
    return (
        f"{effort.n_warmup:,} + {effort.n_sweeps:,} sweeps, every {effort.thin}th kept; "
        f"{effort.n_repeats} repeats on the grid, {effort.n_chains} chains elsewhere"
    )
