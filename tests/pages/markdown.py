"""Read pages of the documentation: code blocks, headings, links and tables of contents."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

# The data that a page reads and that does not come with the test dependencies.
DATA = {"docs/gallery/fashion.md": Path("/usr/share/datasets/fashion-mnist")}

FENCE = re.compile(r"^```(\S*)(.*?)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", flags=re.MULTILINE)


class Block(NamedTuple):
    """A block between fences: its kind, text and line, and the argument after the kind."""

    kind: str
    text: str
    line: int = 1
    argument: str = ""


def pages() -> dict[str, Path]:
    """Return the README and all pages, by their path from the root."""
    found = [ROOT / "README.md", ROOT / "benches" / "README.md", *sorted(DOCS.rglob("*.md"))]
    return {
        page.relative_to(ROOT).as_posix(): page
        for page in found
        if page.name != "results.template.md"
    }


def missing_data(name: str) -> Path | None:
    """Return the folder that a page reads, if this machine does not have it."""
    folder = DATA.get(name)
    return None if folder is None or folder.is_dir() else folder


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(match[1], match[3], text.count("\n", 0, match.start()) + 1, match[2].strip())
        for match in FENCE.finditer(text)
    ]


def without_blocks(page: Path) -> str:
    """Return the text of a page outside of blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """Return the targets of links and images of a page, without other sites."""
    return [to for to in LINK.findall(without_blocks(page)) if "://" not in to]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    headings = HEADING.findall(without_blocks(page))
    for block in blocks(page):
        if block.kind == "{include}":
            headings += HEADING.findall(without_blocks(page.parent / block.argument))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def listed(page: Path) -> set[Path]:
    """Return the pages in the tables of contents of a page."""
    return {
        (page.parent / f"{line.split('<')[-1].strip(' >')}.md").resolve()
        for block in blocks(page)
        if block.kind == "{toctree}"
        for line in block.text.splitlines()
        if line.strip() and not line.startswith(":") and "<self>" not in line
    }
