"""Docstrings as in the source: signatures as they are written, equations as literal blocks."""

import ast
import inspect
import re
import textwrap
from typing import Any

from sphinx.application import Sphinx


def source_signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str, returns: str
) -> tuple[str | None, str | None]:
    """Return the signature as it is in the source, with `ArrayLike` instead of its union."""
    function = thing.__init__ if inspect.isclass(thing) else inspect.unwrap(thing)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return signature, returns
    definition = tree.body[0]
    # A signature that is set by hand, as for `BHMC`, is not in the source.
    if not isinstance(definition, ast.FunctionDef) or hasattr(function, "__signature__"):
        return signature, returns
    if definition.args.args and definition.args.args[0].arg in ("self", "cls"):
        del definition.args.args[0]
    has_result = definition.returns and not inspect.isclass(thing)
    result = ast.unparse(definition.returns) if has_result else None
    return f"({ast.unparse(definition.args)})", result


def mark_equations(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Make literal blocks of indented paragraphs, which are equations."""
    if what == "module":
        # numpydoc does not process the headings of modules, which would become sections.
        for i in range(len(lines) - 1, 0, -1):
            if lines[i] and set(lines[i]) == {"-"}:
                lines[i - 1 : i + 1] = [f".. rubric:: {lines[i - 1]}", ""]
    marked: list[str] = []
    above, literal = 0, None
    for before, line in zip(["", *lines], lines, strict=False):
        indent = len(line) - len(line.lstrip())
        if line.strip():
            if literal is not None and indent < literal:
                literal = None
            if literal is None and not before.strip() and indent >= above + 4:
                literal = indent
                marked += [" " * above + "::", ""]
            if literal is None:
                # The text of a list item is indented by two more than its bullet.
                above = indent + (2 if re.match(r"[-*] ", line.lstrip()) else 0)
        marked.append(line)
    lines[:] = marked


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to autodoc, before numpydoc processes the docstring."""
    app.connect("autodoc-process-signature", source_signature)
    app.connect("autodoc-process-docstring", mark_equations, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
