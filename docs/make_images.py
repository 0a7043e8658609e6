"""Make the images of the documentation: `make images`.

Fits the animals as `make demo` does, draws the tree and the other figures, and takes screenshots
of the report in headless Chromium. The pages of the gallery draw their own pictures.
"""

import contextlib
import shutil
import tempfile
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image
from playwright.sync_api import sync_playwright

import rbhmc
from pages.markdown import blocks, missing_data
from pages.run import run_blocks
from rbhmc import plots
from rbhmc.datasets import load_animals

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
WARD = "Ward's linkage, number of clusters by the silhouette"
MAX_RGB_BYTES = 100_000  # larger files get a palette


def main() -> None:
    """Write all images."""
    animals = load_animals(as_frame=True)
    model = rbhmc.RBHMC(random_state=0)
    model.fit(animals.data)
    save(model.plot_tree().get_figure(), "tree")
    save(plots.plot_co_occurrence(model).get_figure(), "co-occurrence")
    save(plots.plot_dendrogram(model).get_figure(), "dendrogram")
    traces = plots.plot_traces(
        model.diagnostics().values, ["RCDLL", "distance to the clusters, level 1"]
    )
    save(traces[0].get_figure(), "traces")
    save(plots.plot_plane(model).get_figure(), "plane")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        model.report(page, title="33 animals")
        take_screenshot(page, IMAGES / "report.png", width=1280, height=900)
        take_screenshot(page, IMAGES / "report-phone.png", width=390, height=844)
    draw_quality(DOCS / "quality.md")
    for page in sorted((DOCS / "gallery").glob("*.md")):
        draw_gallery(page)


def draw_quality(page: Path) -> None:
    """Draw F of the clusters of each table, for rbhmc and Ward's linkage, as the page has them."""
    panels = {
        title: [
            (cells[1], float(cells[5].split()[0]), float(cells[8]))
            for cells in read_rows(text, "| table | items |")
            if not cells[1].startswith("**")
        ]
        for title, text in read_sections(page).items()
        if "| table | items |" in text
    }
    heights = [len(rows) for rows in panels.values()]
    figure = Figure(figsize=(7.5, 1.2 + 0.23 * sum(heights)), layout="constrained")
    axes = figure.subplots(len(panels), sharex=True, height_ratios=heights)
    for ax, (title, rows) in zip(axes, panels.items(), strict=True):
        rows.sort(key=lambda row: row[1] - row[2])
        names, ours, wards = zip(*rows, strict=True)
        for at, (_, own, ward) in enumerate(rows):
            ax.plot([ward, own], [at, at], color="#c3c9d1", zorder=0)
        ax.scatter(wards, names, s=26, facecolor="white", edgecolor="#8f5a00", label=WARD)
        ax.scatter(ours, names, s=26, color="#175ea6", label="rbhmc")
        ax.set_title(title, loc="left", size="medium")
        ax.set_ylim(-0.7, len(rows) - 0.3)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    axes[-1].set(xlim=(0.0, 1.0), xlabel="F-measure of the clusters, their number not given")
    save(figure, "quality")


def read_sections(page: Path) -> dict[str, str]:
    """Return the text under each heading of the second level."""
    parts = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {title: text for title, _, text in (part.partition("\n") for part in parts)}


def read_rows(text: str, header: str) -> list[list[str]]:
    """Return the cells of the rows of the table with this header; the first cell is number 1."""
    lines = text[text.index(header) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def save(figure: Figure, name: str) -> None:
    """Write a figure."""
    file = IMAGES / f"{name}.png"
    figure.savefig(file, dpi=130, bbox_inches="tight")
    compress(file)


def compress(file: Path) -> None:
    """Reduce a large picture to 256 colours, which makes its file three times smaller."""
    if file.stat().st_size > MAX_RGB_BYTES:
        Image.open(file).convert("RGB").quantize(256).save(file, optimize=True)


def draw_gallery(page: Path) -> None:
    """Run a page of the gallery, and keep the pictures that its code writes."""
    if folder := missing_data(page.relative_to(DOCS.parent).as_posix()):
        print(f"{page.name}: no picture, since there is no {folder}")
        return
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        run_blocks(page.name, blocks(page))
        for picture in Path(place).glob("*.png"):
            compress(picture)
            shutil.copy(picture, IMAGES / "gallery")


def take_screenshot(page: Path, picture: Path, *, width: int, height: int) -> None:
    """Take a screenshot of the first screen of a page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        view = browser.new_page(viewport={"width": width, "height": height})
        view.goto(page.as_uri())
        view.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main()
