"""Write docs/results.md from what runs have left: `make results`.

Reads the folders of `rbhmc reproduce` (runs/reproduce, or the first argument) and of `make compare`
(runs/compare, or the second), and copies some of their figures.
"""

import re
import shutil
import sys
from pathlib import Path

from results_remarks import BEYOND, INTRODUCTION, REMARKS, TITLES

from rbhmc.reproduce import RULES, TABLES, effort_text, place_tables, read_records, verdict_table
from rbhmc.reproduce.record import Record

DOCS = Path(__file__).parent
IMAGES = DOCS / "images" / "results"
SCHEMES = ("paper", "collapsed")
# Figures that are shown, unless they are larger than this many bytes.
SHOWN = {
    "sensitivity.png",
    "f-measure.png",
    "traces-C0-margin1.png",
    "traces-C0.1-margin10.png",
    "co-occurrence-C0-margin1.png",
    "co-occurrence-C0.1-margin10.png",
    "tree-C0-margin1-chain0.png",
    "tree-C0.1-margin10-chain0.png",
}
LARGEST = 150_000
Runs = dict[str, dict[str, Record]]


def main() -> None:
    """Write the page."""
    places = [Path(place) for place in sys.argv[1:]]
    runs, compared = (*places, *(Path("runs/reproduce"), Path("runs/compare"))[len(places) :])[:2]
    shutil.rmtree(IMAGES, ignore_errors=True)
    IMAGES.mkdir(parents=True)
    parts = [INTRODUCTION, "## The rules", RULES]
    for table in TABLES:
        found = {scheme: read_records(runs, table, scheme) for scheme in SCHEMES}
        if any(found.values()):
            parts += about(table, found)
    tables = compared / "tables.md"
    if tables.exists():
        parts += [BEYOND, tables.read_text(encoding="utf-8").strip()]
    (DOCS / "results.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def about(table: str, runs: Runs) -> list[str]:
    """Write the verdicts on a table, what they rest on, and the numbers of each experiment."""
    parts = [f"## {TITLES[table]}", efforts(runs), verdict_table(table, runs), REMARKS[table]]
    parts += [f"### {TITLES[table]}: what the verdicts rest on", place_tables(table, runs)]
    for scheme, records in runs.items():
        parts += [section(table, scheme, record) for record in records.values()]
    return parts


def efforts(runs: Runs) -> str:
    """Say how much was run."""
    lines = []
    for scheme, records in runs.items():
        by_effort: dict[str, list[str]] = {}
        for experiment, record in records.items():
            by_effort.setdefault(record.effort, []).append(experiment)
        for effort, experiments in by_effort.items():
            lines.append(
                f"- scheme `{scheme}`, effort `{effort}` ({effort_text(effort)}): "
                f"{', '.join(experiments)}."
            )
    return "\n".join(lines)


def section(table: str, scheme: str, record: Record) -> str:
    """Take over the text of an experiment, with the figures that are shown."""
    title, *lines = (record.place / "section.md").read_text(encoding="utf-8").splitlines()
    title = title.lstrip("# ")
    kept = [line for line in lines if not line.startswith("![")]
    for figure in sorted(record.place.glob("*.png")):
        if figure.name in SHOWN and figure.stat().st_size <= LARGEST:
            name = f"{table}-{scheme}-{figure.name}"
            shutil.copyfile(figure, IMAGES / name)
            kept += ["", f"![{title}, {figure.stem}](images/results/{name})"]
    heading = f"### {TITLES[table]}, `{scheme}`, effort `{record.effort}`: {title}"
    return re.sub(r"\n{3,}", "\n\n", "\n".join([heading, *kept]).rstrip())


if __name__ == "__main__":
    main()
