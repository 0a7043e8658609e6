"""Equations as MathML, converted when the site is built, so that a page needs no script."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

# latex2mathml writes \sim as a letter; as an operator it has space around it.
TILDE_TO_OPERATOR = ("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")


def inline(writer: Any, node: nodes.math) -> None:
    """Write an equation inside a line."""
    writer.body.append(convert(node.astext()).replace(*TILDE_TO_OPERATOR))
    raise nodes.SkipNode


def display(writer: Any, node: nodes.math_block) -> None:
    """Write an equation on its own line, which scrolls if it is too wide."""
    equation = convert(node.astext(), display="block").replace(*TILDE_TO_OPERATOR)
    writer.body.append(f'<div class="equation" tabindex="0">{equation}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
