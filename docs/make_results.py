"""Write docs/results.md from the runs of the experiments: `make results`.

Reads the results of `make reproduce` (runs/reproduce, or the first argument) and of `make compare`
(runs/compare, or the second), and fills the marks, such as ``{{animals verdicts}}``, of
results.template.md, which holds the text written by hand.
"""

import re
import shutil
import sys
from pathlib import Path

from PIL import Image

from paper.claims import RULES, place_tables, verdict_table
from paper.runs import EXPERIMENTS, Record, describe_effort, read_records
from paper.tables import TABLES

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
MAX_BYTES = 100_000  # larger figures are left out
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
    """Sort experiments as in the paper."""
    return {name: records[name] for name in EXPERIMENTS if name in records}


def efforts(runs: Runs) -> str:
    """Describe the effort of each experiment."""
    lines = []
    for scheme, records in runs.items():
        by_effort: dict[str, list[str]] = {}
        for experiment, record in records.items():
            by_effort.setdefault(record.effort, []).append(experiment)
        for effort, experiments in by_effort.items():
            lines.append(
                f"- scheme `{scheme}`, effort `{effort}` ({describe_effort(effort)}): "
                f"{', '.join(experiments)}."
            )
    return "\n".join(lines)


def numbers(table: str, runs: Runs) -> str:
    """Copy the text of all experiments on a table."""
    return "\n\n".join(
        section(table, scheme, record)
        for scheme, records in runs.items()
        for record in records.values()
    )


def section(table: str, scheme: str, record: Record) -> str:
    """Copy the text of an experiment, with the figures in SHOWN."""
    title, *lines = (record.folder / "section.md").read_text(encoding="utf-8").splitlines()
    title = title.lstrip("# ")
    kept = [line for line in lines if not line.startswith("![")]
    for figure in sorted(record.folder.glob("*.png")):
        if figure.name in SHOWN:
            name = f"{table}-{scheme}-{figure.name}"
            # A palette suffices for drawings, and takes a third of the bytes.
            Image.open(figure).convert("RGB").quantize(64).save(IMAGES / name, optimize=True)
            if (IMAGES / name).stat().st_size > MAX_BYTES:
                (IMAGES / name).unlink()
                continue
            kept += ["", f"![{title}, {figure.stem}](images/results/{name})"]
    heading = f"### {TITLES[table]}, `{scheme}`, effort `{record.effort}`: {title}"
    return re.sub(r"\n{3,}", "\n\n", "\n".join([heading, *kept]).rstrip())


if __name__ == "__main__":
    main()
