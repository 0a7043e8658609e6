"""A browser, pages that must behave in it, and models to report on."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from rbhmc import RBHMC
from rbhmc.datasets import load_animals
from rbhmc.report import write_report
from report.models import HOSTILE, fitted, table

WIDTHS = {1280: 900, 390: 844}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

Open = Callable[..., Any]


def missing(reason: str) -> None:
    """Skip what cannot be tried here; where everything must be tried, fail."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed")
    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, BROWSERS)), None)
        path = found or playwright.chromium.executable_path
        if not Path(path).exists():
            missing(f"there is no browser: none of {', '.join(BROWSERS)}, nor {path}")
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


class Tabs:
    """Tabs of the browser by width and theme, kept since opening one takes longer than a test."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.pages: dict[tuple[int, str], Any] = {}
        self.asked: list[str] = []
        self.wrong: list[str] = []

    def page(self, width: int, color_scheme: str) -> Any:
        key = (width, color_scheme)
        if key not in self.pages:
            page = self.pages[key] = self.browser.new_page(
                viewport={"width": width, "height": WIDTHS[width]},
                color_scheme=color_scheme,
                reduced_motion="reduce",
            )
            page.on("console", lambda said: self.wrong.append(f"console: {said.text}"))
            page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
            page.on("request", lambda sent: self.asked.append(sent.url))
        return self.pages[key]


@pytest.fixture(scope="session")
def tabs(browser: Any) -> Tabs:
    return Tabs(browser)


@pytest.fixture
def open_page(tabs: Tabs) -> Iterator[Open]:
    """Open a file; afterwards nothing may have gone wrong, nor been asked of the network."""
    wanted: list[str] = []

    def opened(file: Path, width: int = 1280, color_scheme: str = "light") -> Any:
        page = tabs.page(width, color_scheme)
        wanted.append(file.as_uri())
        page.goto(wanted[-1])
        page.wait_for_selector("#traces svg")
        return page

    tabs.asked.clear()
    yield opened
    wrong, asked = tabs.wrong.copy(), tabs.asked.copy()
    tabs.wrong.clear()
    assert wrong == []
    assert asked == wanted


@pytest.fixture(scope="session")
def animals() -> RBHMC:
    frame = load_animals(as_frame=True).data
    return fitted(frame, n_pca=7, n_warmup=300, n_draws=100)


@pytest.fixture(scope="session")
def animals_file(animals: RBHMC, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("animals") / "animals.html"
    support = {node.id: 0.5 for node in animals.tree_.nodes}
    return write_report(animals, path, title="Animals", support=support)


@pytest.fixture(scope="session")
def thousand() -> RBHMC:
    names = [f"item {number}" for number in range(1000)]
    return fitted(table(1000), names, n_warmup=5, n_draws=8)


@pytest.fixture(scope="session")
def thousand_file(thousand: RBHMC, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pictures = np.random.default_rng(0).integers(0, 256, (1000, 40, 40, 3), np.uint8)
    path = tmp_path_factory.mktemp("thousand") / "thousand.html"
    return write_report(thousand, path, images=pictures)


@pytest.fixture(scope="session")
def hostile() -> RBHMC:
    names = list(HOSTILE)
    values = table(len(names))
    frame = pandas.DataFrame(values, columns=["<b>one</b>", "</script>\"'&"])
    return fitted(frame, names)


@pytest.fixture(scope="session")
def hostile_file(hostile: RBHMC, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "hostile.html"
    return write_report(hostile, path, title="</title><script>window.hurt = 1</script>")
