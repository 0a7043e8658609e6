"""Cells of tables that hold numbers get the class `numbers`, so that they stay on one line."""

import re

from docutils import nodes
from sphinx.application import Sphinx

# Also with an error or an interval, as in "0.57 ± 0.02" or "0.26 (0.13 to 0.40)".
NUMBERS = re.compile(r"[+\-−]?\d[\d.,:;%+\-−±() ]*( to \d[\d.,%) ]*)?")


def mark_numbers(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Mark the cells of a page that hold nothing but numbers."""
    del app, page
    for cell in tree.findall(nodes.entry):
        if NUMBERS.fullmatch(cell.astext()):
            cell["classes"].append("numbers")


def setup(app: Sphinx) -> dict[str, bool]:
    """Mark the cells when a page is about to be written."""
    app.connect("doctree-resolved", mark_numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
