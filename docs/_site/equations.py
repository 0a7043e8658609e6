"""Equations become MathML while the site is built, so that a reader's browser loads nothing."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

# A browser sets space around a relation, and takes a tilde for a letter.
SIMILAR = ("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")


def inline(writer: Any, node: nodes.math) -> None:
    """Write an equation within a line."""
    writer.body.append(convert(node.astext()).replace(*SIMILAR))
    raise nodes.SkipNode


def display(writer: Any, node: nodes.math_block) -> None:
    """Write an equation on a line of its own, which scrolls where it is too wide."""
    equation = convert(node.astext(), display="block").replace(*SIMILAR)
    writer.body.append(f'<div class="equation" tabindex="0">{equation}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
