"""The Sphinx directive `commands`: documents each command from its signature and docstring."""

import inspect
import re
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer import Context
from typer.models import ArgumentInfo

from rbhmc.cli.app import app as command_line


class Commands(SphinxDirective):
    """Writes a section for each command."""

    def run(self) -> list[nodes.Node]:
        """Write the sections as Markdown, and parse them."""
        commands = [command.callback for command in command_line.registered_commands]
        lines = "\n".join(section(command) for command in commands if command).splitlines()
        holder = nodes.section()
        holder.document = self.state.document
        self.state.nested_parse(StringList(lines, "commands"), 0, holder, match_titles=True)
        return holder.children


def section(command: Callable[..., Any]) -> str:
    """Write the section of one command."""
    text, *examples = inspect.cleandoc(command.__doc__ or "").split("Example:")
    hints = get_type_hints(command, include_extras=True)
    parameters = inspect.signature(command).parameters.values()
    rows = [
        row(parameter.name, *get_args(hints[parameter.name])[:2], parameter.default)
        for parameter in parameters
        if hints[parameter.name] is not Context
    ]
    lines = [f"## {command.__name__}", "", text.strip(), ""]
    for example in examples:
        lines += ["```sh", example.strip(), "```", ""]
    return "\n".join([*lines, "| option | meaning |", "|---|---|", *rows, ""])


def row(name: str, kind: Any, info: Any, default: Any) -> str:
    """Write the table row of one argument or option, with its default."""
    metavar = info.metavar or default_metavar(name, kind)
    if isinstance(info, ArgumentInfo):
        forms = [metavar]
    else:
        # Typer stores the first name as the default.
        declared = [info.default, *(info.param_decls or ())]
        names = [name for name in declared if isinstance(name, str)]
        forms = names or [f"--{name.replace('_', '-')}"]
        forms[-1] = f"{forms[-1]} {metavar}".strip()
    texts = [re.sub(r"\s+", " ", info.help or "")]
    if default is inspect.Parameter.empty:
        texts.append("Required.")
    elif default is not None and not isinstance(default, bool) and info.show_default:
        texts.append(f"Default: {default}.")
    cells = [", ".join(f"`{form}`" for form in forms), " ".join(texts)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def default_metavar(name: str, kind: Any) -> str:
    """Return the placeholder of an option's value if the option does not declare one."""
    if kind is bool:
        return ""
    kinds = [kind, *get_args(kind)]
    choices = [get_args(one) for one in kinds if get_origin(one) is Literal]
    return "|".join(map(str, choices[0])) if choices else name.upper()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
