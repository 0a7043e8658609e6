"""Run the blocks of a page, and compare what they print with what the page shows.

A block ```` ```text printed ```` shows all that the blocks of code since the last such block print.
As a program, `make printed`, this writes what they print into the pages.
"""

import contextlib
import io
import os
import tempfile
import textwrap
import warnings
from typing import Any

from pages import commands
from pages.markdown import Block, blocks, missing_data, pages

PRINTED = "printed"
MAX_LINE = 90


def run(name: str, found: list[Block]) -> list[str]:
    """Run blocks, which share a namespace and a folder; return what `printed` blocks should show.

    Raises
    ------
    AssertionError
        If a block fails, or shows something else.
    """
    shown = run_blocks(name, found)
    for block, text in zip((b for b in found if b.argument == PRINTED), shown, strict=True):
        assert block.text.rstrip() == text, f"{name}, line {block.line} (make printed):\n{text}"
    return shown


def run_blocks(name: str, found: list[Block]) -> list[str]:
    """Run blocks, and return what is printed before each block that shows it."""
    namespace: dict[str, Any] = {"__name__": "page"}
    shown: list[str] = []
    output = io.StringIO()
    for block in found:
        if block.kind == "python":
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * block.line + block.text, name, "exec"), namespace)
        elif block.kind == "sh":
            commands.run(block.text)
        elif block.argument == PRINTED:
            shown.append("\n".join(map(wrap, output.getvalue().splitlines())))
            output = io.StringIO()
    return shown


def wrap(line: str) -> str:
    """Break a line that is too long for a page."""
    if len(line) <= MAX_LINE:
        return line.rstrip()
    return textwrap.fill(line, MAX_LINE, subsequent_indent="  ", break_on_hyphens=False)


def write_printed() -> None:
    """Write into all pages what their code prints."""
    for name, page in pages().items():
        found = blocks(page)
        if not any(block.argument == PRINTED for block in found):
            continue
        if folder := missing_data(name):
            print(f"{name}: left as it is, since there is no {folder}")
            continue
        with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
            shown = run_blocks(name, found)
        text = page.read_text(encoding="utf-8")
        start = 0
        for printed in shown:
            start = text.index(f"```text {PRINTED}\n", start) + len(f"```text {PRINTED}\n")
            end = text.index("```", start)
            text = f"{text[:start]}{printed}\n{text[end:]}"
        page.write_text(text, encoding="utf-8")
        print(f"{name}: {len(shown)} blocks")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    warnings.simplefilter("ignore")
    write_printed()
