"""Every page is in a table of contents, every link has a target, every public name a reference."""

import importlib
import inspect
import pkgutil
import re

import pytest

import rbhmc
from pages.markdown import DOCS, anchors, links, listed, pages

PAGES = pages()
REFERENCE = "\n".join(
    page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")
)
PUBLIC = [
    f"rbhmc.{info.name}"
    for info in pkgutil.iter_modules(rbhmc.__path__)
    if not info.name.startswith("_") and info.name != "cli"
]


@pytest.mark.parametrize("name", PAGES)
def test_links_have_a_target(name: str) -> None:
    page = PAGES[name]
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name} links to {link}"
        assert not anchor or anchor in anchors(target), f"{name} links to {link}"


def test_every_page_is_in_a_table_of_contents() -> None:
    found, new = {DOCS / "index.md"}, {DOCS / "index.md"}
    while new:
        new = {target for page in new for target in listed(page)} - found
        found |= new
    assert found == {page for page in PAGES.values() if page.is_relative_to(DOCS)}


@pytest.mark.parametrize("name", [name for name in rbhmc.__all__ if not name.startswith("_")])
def test_public_names_are_in_the_reference(name: str) -> None:
    thing = getattr(rbhmc, name)
    directive = "module" if inspect.ismodule(thing) else r"(?:class|function|exception)"
    own = re.search(rf"^\.\. auto{directive}:: rbhmc\.{name}$", REFERENCE, flags=re.MULTILINE)
    module = inspect.getmodule(thing)
    assert own or (module and module.__name__.rpartition(".")[0] in modules_shown())


@pytest.mark.parametrize("name", PUBLIC)
def test_modules_with_public_names_are_in_the_reference(name: str) -> None:
    module = importlib.import_module(name)
    offered = set(getattr(module, "__all__", ()))
    assert name in modules_shown() or offered <= set(rbhmc.__all__)


def modules_shown() -> set[str]:
    return set(re.findall(r"^\.\. automodule:: (\S+)$", REFERENCE, flags=re.MULTILINE))
