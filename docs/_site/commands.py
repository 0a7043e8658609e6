"""The directive `commands`: every command with its arguments and options, from the code itself."""

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
    """A section for each command."""

    def run(self) -> list[nodes.Node]:
        """Write the sections as text, and have it parsed."""
        commands = [command.callback for command in command_line.registered_commands]
        lines = "\n".join(section(command) for command in commands if command).splitlines()
        holder = nodes.section()
        holder.document = self.state.document
        self.state.nested_parse(StringList(lines, "commands"), 0, holder, match_titles=True)
        return holder.children


def section(command: Callable[..., Any]) -> str:
    """Write one command."""
    told, *example = inspect.cleandoc(command.__doc__ or "").split("Example:")
    hints = get_type_hints(command, include_extras=True)
    given = inspect.signature(command).parameters.values()
    rows = [
        row(parameter.name, *get_args(hints[parameter.name])[:2], parameter.default)
        for parameter in given
        if hints[parameter.name] is not Context
    ]
    lines = [f"## {command.__name__}", "", told.strip(), ""]
    for text in example:
        lines += ["```sh", text.strip(), "```", ""]
    return "\n".join([*lines, "| option | meaning |", "|---|---|", *rows, ""])


def row(name: str, kind: Any, info: Any, default: Any) -> str:
    """Write one argument or option, with its default where there is one to tell."""
    metavar = info.metavar or follows(name, kind, info)
    if isinstance(info, ArgumentInfo):
        forms = [metavar]
    else:
        # Typer holds the first name in the place of a default.
        given = [info.default, *(info.param_decls or ())]
        names = [name for name in given if isinstance(name, str)]
        forms = names or [f"--{name.replace('_', '-')}"]
        forms[-1] = f"{forms[-1]} {metavar}".strip()
    told = [re.sub(r"\s+", " ", info.help or "")]
    if default is inspect.Parameter.empty:
        told.append("Required.")
    elif default is not None and not isinstance(default, bool) and info.show_default:
        told.append(f"Default: {default}.")
    cells = [", ".join(f"`{form}`" for form in forms), " ".join(told)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def follows(name: str, kind: Any, info: Any) -> str:
    """Say what an option is followed by, where nobody has given it a name."""
    if kind is bool:
        return ""
    kinds = [kind, *get_args(kind)]
    choices = [get_args(one) for one in kinds if get_origin(one) is Literal]
    return "|".join(map(str, choices[0])) if choices else name.upper()


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
