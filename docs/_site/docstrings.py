"""Docstrings as they stand in the source: signatures with their own words, equations set apart."""

import ast
import inspect
import re
import textwrap
from typing import Any

from sphinx.application import Sphinx


def as_written(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str, returns: str
) -> tuple[str | None, str | None]:
    """Return the signature of the source: `ArrayLike` stays, and not the union it stands for."""
    function = thing.__init__ if inspect.isclass(thing) else inspect.unwrap(thing)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return signature, returns
    found = tree.body[0]
    # A signature that is set by hand, as that of `BHMC`, is not in the source.
    if not isinstance(found, ast.FunctionDef) or hasattr(function, "__signature__"):
        return signature, returns
    if found.args.args and found.args.args[0].arg in ("self", "cls"):
        del found.args.args[0]
    result = ast.unparse(found.returns) if found.returns and not inspect.isclass(thing) else None
    return f"({ast.unparse(found.args)})", result


def set_apart(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Mark what is indented after an empty line, which are equations, as to be shown as it is."""
    if what == "module":
        # numpydoc leaves the headings of modules to the page, where they would be sections.
        for i in range(len(lines) - 1, 0, -1):
            if lines[i] and set(lines[i]) == {"-"}:
                lines[i - 1 : i + 1] = [f".. rubric:: {lines[i - 1]}", ""]
    shown: list[str] = []
    above, literal = 0, None
    for before, line in zip(["", *lines], lines, strict=False):
        indent = len(line) - len(line.lstrip())
        if line.strip():
            if literal is not None and indent < literal:
                literal = None
            if literal is None and not before.strip() and indent >= above + 4:
                literal = indent
                shown += [" " * above + "::", ""]
            if literal is None:
                # The text of a list's point stands two further in than its mark.
                above = indent + (2 if re.match(r"[-*] ", line.lstrip()) else 0)
        shown.append(line)
    lines[:] = shown


def setup(app: Sphinx) -> dict[str, bool]:
    """Have autodoc ask here, before numpydoc reads the docstring."""
    app.connect("autodoc-process-signature", as_written)
    app.connect("autodoc-process-docstring", set_apart, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
