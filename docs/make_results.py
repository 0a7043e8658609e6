"""Write docs/results.md from the records of `make reproduce`: `make results`.

Fills the marks, such as ``{{animals verdicts}}``, of results.template.md, which holds the text
written by hand, and draws the figures. Nothing is run.
"""

import io
import re
import shutil
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

from paper import figures, inline, page, trees
from paper.evidence import Evidence, published_columns
from paper.protocol import BHMC, Cell
from paper.records import RECORDS

DOCS = Path(__file__).parent
IMAGES = DOCS / "images" / "results"
TRACED = {
    "animals": [BHMC, Cell(0.01, 1.0), Cell(0.1, 1.0), Cell(1.0, 1.0)],
    "fashion": [BHMC, Cell(0.001, 0.01), Cell(0.001, 1.0), Cell(1.0, 1.0)],
}
# The columns whose co-occurrence is drawn: `scheme="paper"`, and the surest one.
MAPPED = {
    "animals": ["active sums", "path sums"],
    "fashion": ["active sums", "path sums, 0 to 255"],
}
TREES = {"animals": trees.animal_trees, "fashion": trees.garment_trees}


def main() -> None:
    """Draw the figures and write the page."""
    shutil.rmtree(IMAGES, ignore_errors=True)
    IMAGES.mkdir(parents=True)
    for part in page.CLAIMS:
        draw(part, page.evidence_of(part, RECORDS))
    (DOCS / "results.md").write_text(fill_template(), encoding="utf-8")


def fill_template() -> str:
    """Return the text of the page."""
    parts = {}
    for part in page.CLAIMS:
        columns = page.evidence_of(part, RECORDS)
        parts |= {
            f"{part} protocol": page.protocol_table(columns),
            f"{part} verdicts": page.verdict_table(part, columns),
            f"{part} differing verdicts": page.verdict_table(
                part, published_columns(columns), only_differing=True
            ),
            f"{part} claims": page.claim_blocks(part, columns),
            f"{part} counts": page.count_table(part, columns),
            f"{part} defaults": page.defaults_table(part, RECORDS, columns),
            f"{part} numbers": page.number_tables(part, columns),
            f"{part} trees": TREES[part](columns["active sums"]),
            **inline.inline_figures(part, columns, RECORDS),
        }
    text = (DOCS / "results.template.md").read_text(encoding="utf-8")
    return re.sub(r"\{\{(.*?)\}\}", lambda mark: parts[mark[1]], text).rstrip() + "\n"


def draw(part: str, columns: dict[str, Evidence]) -> None:
    """Draw the figures of a part."""
    active = columns["active sums"]
    save(figures.plot_traces(active, TRACED[part]), f"{part}-traces")
    with_grid = {title: one for title, one in columns.items() if one.n_repeats}
    if with_grid:
        save(figures.plot_sensitivity(with_grid), f"{part}-sensitivity", n_colors=128)
    cell = active.design.scored
    scores = {
        f"BHMC{title.removeprefix('active sums')}": one.f(BHMC)
        for title, one in columns.items()
        if title.startswith("active sums")
    }
    scores |= {
        f"{cell.name}, {title}": one.f(cell)
        for title, one in published_columns(columns).items()
        if one.chains(cell)
    }
    save(figures.plot_f_measure(scores), f"{part}-f-measure")
    for title in MAPPED[part]:
        name = f"{part}-co-occurrence-{title.replace(',', '').replace(' ', '-')}"
        save(figures.plot_co_occurrence(columns[title]), name)


def save(figure: Figure, name: str, n_colors: int = 32) -> None:
    """Write a figure; a palette suffices for drawings, and takes a third of the bytes."""
    memory = io.BytesIO()
    figure.savefig(memory, dpi=100, bbox_inches="tight")
    Image.open(memory).convert("RGB").quantize(n_colors).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
