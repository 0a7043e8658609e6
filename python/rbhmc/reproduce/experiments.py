"""The list of experiments, and one call that runs some of them and writes the page."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from rbhmc._core import InvalidInput
from rbhmc._files import write_atomically
from rbhmc.reproduce.case import case
from rbhmc.reproduce.claims import REPORTED, RULES
from rbhmc.reproduce.co_occurrences import co_occurrences
from rbhmc.reproduce.convergence import convergence
from rbhmc.reproduce.effort import EFFORTS
from rbhmc.reproduce.f_measures import f_measures
from rbhmc.reproduce.record import read_records
from rbhmc.reproduce.sensitivity import sensitivity
from rbhmc.reproduce.setting import Section, Setting
from rbhmc.reproduce.tables import Table
from rbhmc.reproduce.verdicts import place_tables, verdict_table

EXPERIMENTS: dict[str, Callable[[Setting], Section]] = {
    "convergence": convergence,
    "sensitivity": sensitivity,
    "case": case,
    "fmeasure": f_measures,
    "cooccurrence": co_occurrences,
}


def run(
    table: Table,
    folder: Path,
    *,
    experiments: Iterable[str] = tuple(EXPERIMENTS),
    scheme: str = "paper",
    effort: str = "quick",
    n_jobs: int | None = None,
    progress: bool = True,
) -> list[Section]:
    """Run experiments, write their figures and numbers, and ``results.md`` with all of them.

    A run that was stopped or killed goes on where it was: chains that are done are not run again.

    Parameters
    ----------
    table : Table
    folder : Path
        Where everything goes.
    experiments : iterable of str
        Names of EXPERIMENTS.
    scheme : {"paper", "collapsed", "exact"}
    effort : {"quick", "medium", "paper"}
    n_jobs, progress
        As of `RBHMC`.

    Returns
    -------
    list of Section
    """
    if effort not in EFFORTS:
        raise InvalidInput(f"effort is {effort!r}; it must be one of {', '.join(EFFORTS)}")
    names = list(experiments)
    for name in names:
        if name not in EXPERIMENTS:
            raise InvalidInput(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    place = folder / f"{table.name}-{scheme}-{effort}"
    sections = []
    for name in names:
        (place / name).mkdir(parents=True, exist_ok=True)
        setting = Setting(table, EFFORTS[effort], scheme, place / name, n_jobs, progress)
        section = EXPERIMENTS[name](setting)
        numbers = json.dumps(section.numbers, indent=1)
        write_atomically(place / name / "numbers.json", numbers.encode())
        text = f"## {section.title}\n\n{section.text}\n"
        write_atomically(place / name / "section.md", text.encode())
        sections.append(section)
    # Sections of earlier calls stay on the page.
    files = [place / name / "section.md" for name in EXPERIMENTS]
    parts = [file.read_text(encoding="utf-8") for file in files if file.exists()]
    if table.name in REPORTED:
        runs = {scheme: read_records(folder, table.name, scheme, (effort,))}
        verdicts = [verdict_table(table.name, runs), place_tables(table.name, runs)]
        parts += ["## The paper's claims\n", RULES, "", "\n\n".join(verdicts), ""]
    title = f"# {table.name}, scheme `{scheme}`, effort `{effort}`\n"
    write_atomically(place / "results.md", "\n".join([title, *parts]).encode())
    return sections
