"""Commands that pages name exist, and docs/claims.md names a command for each claim."""

import re

import pytest

from pages.commands import TARGETS
from pages.markdown import DOCS, ROOT, pages, without_blocks

PAGES = pages() | {"CONTRIBUTING.md": ROOT / "CONTRIBUTING.md"}
INLINE = re.compile(r"`(make [a-z][^`]*|python benches/[^`]*)`")


SOURCE = re.compile(r"`((?:crates|python|tests|benches|docs)/[\w./-]+\.[a-z]+)`")


def missing(text: str) -> list[str]:
    """Return the inline commands of a text whose target or script does not exist."""
    found = []
    for command in INLINE.findall(text):
        program, what, *_ = command.split()
        exists = what in TARGETS if program == "make" else (ROOT / what).is_file()
        if not exists:
            found.append(command)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_commands_that_a_page_names_exist(name: str) -> None:
    assert missing(without_blocks(PAGES[name])) == []


def test_control_commands_that_do_not_exist_are_found() -> None:
    text = "`make no-such-target`, `python benches/no_such_file.py 3`, `make test`"
    assert missing(text) == ["make no-such-target", "python benches/no_such_file.py 3"]


@pytest.mark.parametrize("name", PAGES)
def test_source_files_that_a_page_names_exist(name: str) -> None:
    named = SOURCE.findall(without_blocks(PAGES[name]))
    assert [file for file in named if not (ROOT / file).is_file()] == []


def claims() -> list[list[str]]:
    lines = (DOCS / "claims.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return rows[1:]


def test_every_claim_has_a_page_and_a_command() -> None:
    assert len(claims()) > 20
    for claim, where, command in claims():
        assert "](" in where or (ROOT / where.strip("`")).is_file(), claim
        assert INLINE.search(command), claim


def test_every_benchmark_is_the_command_of_some_page() -> None:
    scripts = {
        path.name
        for path in (ROOT / "benches").glob("*.py")
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = "".join(without_blocks(page) for page in PAGES.values()) + makefile
    assert {name for name in scripts if f"benches/{name}" not in named} == set()
    assert len(scripts) > 10


def test_every_page_with_figures_of_a_command_is_among_the_claims() -> None:
    listed = "".join(where for _, where, _ in claims())
    for name, page in PAGES.items():
        if page.parent == DOCS and page.name not in ("claims.md", "index.md"):
            text = without_blocks(page)
            has_figures = re.search(r"^\|.*\d\.\d.*\|$", text, re.MULTILINE)
            if has_figures and INLINE.search(text):
                assert f"]({page.name}" in listed, name
