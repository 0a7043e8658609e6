"""Write docs/results.md from what runs have left: `make results`.

Reads the folders of `rbhmc reproduce` (runs/reproduce, or the first argument) and of `make compare`
(runs/compare, or the second), and fills the marks, such as ``{{animals verdicts}}``, of
results.template.md, which holds what is said by hand.
"""

import re
import shutil
import sys
from pathlib import Path

from PIL import Image

from rbhmc.reproduce import (
    EXPERIMENTS,
    RULES,
    TABLES,
    effort_text,
    place_tables,
    read_records,
    verdict_table,
)
from rbhmc.reproduce.record import Record

DOCS = Path(__file__).parent
IMAGES = DOCS / "images" / "results"
TITLES = {"animals": "Animals", "fashion": "Fashion-MNIST"}
SCHEMES = ("paper", "collapsed")
SHOWN = {
    "sensitivity.png",
    "f-measure.png",
    "traces-C0-margin1.png",
    "traces-C0.1-margin10.png",
    "co-occurrence-C0-margin1.png",
    "co-occurrence-C0.1-margin10.png",
    "tree-C0-margin1-chain0.png",
    "tree-C0.1-margin10-chain0.png",
    "tree-C1-margin1-chain0.png",
}
LARGEST = 100_000  # bytes; larger figures are left out
Runs = dict[str, dict[str, Record]]


def main() -> None:
    """Write the page."""
    given = [Path(place) for place in sys.argv[1:]]
    places = [*given, *[Path("runs/reproduce"), Path("runs/compare")][len(given) :]]
    shutil.rmtree(IMAGES, ignore_errors=True)
    IMAGES.mkdir(parents=True)
    tables = places[1] / "tables.md"
    parts = {"rules": RULES, "compare": read(tables) if tables.exists() else "Not run."}
    for table in TABLES:
        runs = {scheme: in_order(read_records(places[0], table, scheme)) for scheme in SCHEMES}
        parts[f"{table} efforts"] = efforts(runs)
        parts[f"{table} verdicts"] = verdict_table(table, runs)
        parts[f"{table} places"] = place_tables(table, runs)
        parts[f"{table} numbers"] = numbers(table, runs)
    page = read(DOCS / "results.template.md")
    page = re.sub(r"\{\{(.*?)\}\}", lambda mark: parts[mark[1]], page)
    (DOCS / "results.md").write_text(page + "\n", encoding="utf-8")


def read(file: Path) -> str:
    """Read a text."""
    return file.read_text(encoding="utf-8").strip()


def in_order(records: dict[str, Record]) -> dict[str, Record]:
    """Sort experiments as the paper has them."""
    return {name: records[name] for name in EXPERIMENTS if name in records}


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


def numbers(table: str, runs: Runs) -> str:
    """Take over the text of all experiments on a table."""
    return "\n\n".join(
        section(table, scheme, record)
        for scheme, records in runs.items()
        for record in records.values()
    )


def section(table: str, scheme: str, record: Record) -> str:
    """Take over the text of an experiment, with the figures that are shown."""
    title, *lines = (record.place / "section.md").read_text(encoding="utf-8").splitlines()
    title = title.lstrip("# ")
    kept = [line for line in lines if not line.startswith("![")]
    for figure in sorted(record.place.glob("*.png")):
        if figure.name in SHOWN:
            name = f"{table}-{scheme}-{figure.name}"
            # A palette is enough for drawings, and takes a third of the room.
            Image.open(figure).convert("RGB").quantize(64).save(IMAGES / name, optimize=True)
            if (IMAGES / name).stat().st_size > LARGEST:
                (IMAGES / name).unlink()
                continue
            kept += ["", f"![{title}, {figure.stem}](images/results/{name})"]
    heading = f"### {TITLES[table]}, `{scheme}`, effort `{record.effort}`: {title}"
    return re.sub(r"\n{3,}", "\n\n", "\n".join([heading, *kept]).rstrip())


if __name__ == "__main__":
    main()
