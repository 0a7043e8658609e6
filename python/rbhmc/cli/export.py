"""The command `export`: the tree of a run in the format of another program."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from typer import Argument, Option

from rbhmc._files import write_atomically
from rbhmc.cli.messages import answer
from rbhmc.cli.run_folder import Run
from rbhmc.cli.stored_tree import tree_of
from rbhmc.cli.tree_formats import FORMATS

Format = Literal["newick", "dot", "json", "csv", "linkage", "graphml"]


def export(
    run: Annotated[Path, Argument(metavar="RUN", help="A run folder.")],
    format: Annotated[
        Format,
        Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="newick; dot (Graphviz); json (d3); csv (a row for each node); linkage (SciPy); "
            "graphml.",
        ),
    ],
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="FILE", help="The file; standard output where absent."),
    ] = None,
) -> None:
    """Write the tree of a run in a format that other programs read.

    Example:

      rbhmc export runs/animals --format newick -o animals.nwk
    """
    text = FORMATS[format](tree_of(Run.open(run)))
    if output is None:
        # As bytes: a terminal's encoding is none of a file's business.
        typer.echo(text.encode(), nl=False)
    else:
        write_atomically(output, text.encode())
        answer(f"Written to {output}")
