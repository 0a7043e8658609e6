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
    for page in sorted((DOCS / "gallery").glob("*.md")):
        draw_gallery(page)


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
