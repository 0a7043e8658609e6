"""Every line of the published algorithm is traced to functions that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "crates" / "rbhmc-core" / "src"


def traced() -> list[tuple[str, str, str]]:
    """Return (lines of the algorithm, file, function) as docs/model.md states them."""
    page = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
    section = page.split("## The published algorithm, line by line")[1].split("\n## ")[0]
    found = []
    for row in section.splitlines()[4:]:
        if row.startswith("|"):
            line, _, places = row.split("|")[1:-1]
            for file, names in re.findall(r"`([\w/]+\.rs)`: ((?:`\w+`(?:, )?)+)", places):
                found += [(line, file, name) for name in re.findall(r"`(\w+)`", names)]
    return found


def test_the_functions_exist() -> None:
    for line, file, name in traced():
        source = (SOURCES / file).read_text(encoding="utf-8")
        assert re.search(rf"fn {name}\b", source), f"line {line}: no {name} in {file}"


def test_all_lines_are_traced() -> None:
    """Line 8 ends the loop over items."""
    numbers = {int(n) for line, _, _ in traced() for n in re.findall(r"\d+", line[:7])}
    assert numbers == {*range(1, 13)} - {8}


def test_the_kernels_of_the_scheme_are_traced() -> None:
    """A sweep of the scheme applies the traced functions, and no others."""
    schedule = (SOURCES / "kernels" / "schedule.rs").read_text(encoding="utf-8")
    kernels = re.search(r"\(Scheme::Paper, _\) => &\[(.*?)\]", schedule, re.DOTALL)
    assert kernels is not None
    names = {name for _, _, name in traced()}
    for kernel in re.findall(r"Self::(\w+)", kernels[1]):
        update = re.search(rf'Kernel::{kernel}, "\w+", [\w:]*?(\w+)\)', schedule)
        assert update is not None
        assert update[1] in names
