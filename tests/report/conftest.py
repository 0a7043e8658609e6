"""Fixtures: a browser, pages that must load without errors, and models with their reports."""

import copy
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
from report.models import HOSTILE, fit_model, make_table
from support import ONE_DRAW
from tree.consensus import with_consensus

WIDTHS = {1280: 900, 390: 844}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

Open = Callable[..., Any]


def missing(reason: str) -> None:
    """Skip a test that cannot run here; fail in continuous integration, where all must run."""
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
        installed = next(filter(None, map(shutil.which, BROWSERS)), None)
        path = installed or playwright.chromium.executable_path
        if not Path(path).exists():
            missing(f"no browser is installed: none of {', '.join(BROWSERS)}, nor {path}")
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


class Tabs:
    """Tabs of the browser by width and theme, reused because opening one is slow."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.pages: dict[tuple[int, str], Any] = {}
        self.requested: list[str] = []
        self.errors: list[str] = []

    def page(self, width: int, color_scheme: str) -> Any:
        key = (width, color_scheme)
        if key not in self.pages:
            page = self.pages[key] = self.browser.new_page(
                viewport={"width": width, "height": WIDTHS[width]},
                color_scheme=color_scheme,
                reduced_motion="reduce",
            )
            page.on("console", lambda message: self.errors.append(f"console: {message.text}"))
            page.on("pageerror", lambda error: self.errors.append(f"error: {error}"))
            page.on("request", lambda request: self.requested.append(request.url))
        return self.pages[key]


@pytest.fixture(scope="session")
def tabs(browser: Any) -> Tabs:
    return Tabs(browser)


@pytest.fixture
def open_page(tabs: Tabs) -> Iterator[Open]:
    """Open files; the test fails if a page has errors or requests anything else."""
    expected: list[str] = []

    def open_file(file: Path, width: int = 1280, color_scheme: str = "light") -> Any:
        page = tabs.page(width, color_scheme)
        expected.append(file.as_uri())
        page.goto(expected[-1])
        page.wait_for_selector("#traces svg")
        return page

    tabs.requested.clear()
    yield open_file
    errors, requested = tabs.errors.copy(), tabs.requested.copy()
    tabs.errors.clear()
    assert errors == []
    assert requested == expected


@pytest.fixture(scope="session")
def animals() -> RBHMC:
    frame = load_animals(as_frame=True).data
    # A draw whose levels differ.
    return fit_model(frame, **ONE_DRAW, n_pca=7, n_warmup=300, n_draws=100, random_state=3)


@pytest.fixture(scope="session")
def animals_file(animals: RBHMC, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("animals") / "animals.html"
    return write_report(animals, path, title="Animals")


@pytest.fixture(scope="session")
def consensus(animals: RBHMC) -> RBHMC:
    """A model whose clusters lie between groups and nested groups, with a dendrogram."""
    return with_consensus(copy.copy(animals), 7)


@pytest.fixture(scope="session")
def consensus_file(consensus: RBHMC, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("consensus") / "consensus.html"
    return write_report(consensus, path, title="Animals")


@pytest.fixture(scope="session")
def thousand() -> RBHMC:
    names = [f"item {number}" for number in range(1000)]
    return fit_model(make_table(1000), names, **ONE_DRAW, C=0.0, n_warmup=5, n_draws=8)


@pytest.fixture(scope="session")
def thousand_file(thousand: RBHMC, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pictures = np.random.default_rng(0).integers(0, 256, (1000, 40, 40, 3), np.uint8)
    path = tmp_path_factory.mktemp("thousand") / "thousand.html"
    return write_report(thousand, path, images=pictures)


@pytest.fixture(scope="session")
def hostile() -> RBHMC:
    names = list(HOSTILE)
    values = make_table(len(names))
    frame = pandas.DataFrame(values, columns=["<b>one</b>", "</script>\"'&"])
    return fit_model(frame, names)


@pytest.fixture(scope="session")
def hostile_file(hostile: RBHMC, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "hostile.html"
    return write_report(hostile, path, title="</title><script>window.hurt = 1</script>")
