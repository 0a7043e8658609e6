"""The command `export`: writes the tree of a run in the formats of other programs."""

import io
from collections.abc import Callable
from typing import Annotated, Literal

import typer
from typer import Option

from rbhmc._extras import require
from rbhmc._files import write_atomically
from rbhmc._text import encode_text, escape_unprintable
from rbhmc.cli.console import print_result
from rbhmc.cli.options import OutputFile, RunFolder
from rbhmc.cli.results import guard_formulas
from rbhmc.cli.run import Run
from rbhmc.tree import Tree

Format = Literal["newick", "dot", "json", "csv", "linkage", "graphml", "draws"]


def export(
    run: RunFolder,
    format: Annotated[
        Format,
        Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="newick; dot (Graphviz); json (d3); csv (one row per node); linkage (SciPy); "
            "graphml; draws (all draws, for rbhmc.Draws.load).",
        ),
    ],
    output: OutputFile = None,
) -> None:
    """Write the tree of a run in a format that other programs read, or its draws.

    Example:

      rbhmc export runs/animals --format newick -o animals.nwk
    """
    opened = Run.open(run)
    if format == "draws":
        if output is None:
            raise typer.BadParameter("draws are written to a file; give -o FILE.zarr.zip")
        opened.load_draws().save(output)
        print_result(f"Written to {output}")
        return
    text = FORMATS[format](opened.read_tree())
    if output is None:
        # As bytes, so that the terminal's encoding does not change the content.
        typer.echo(encode_text(text), nl=False)
    else:
        write_atomically(output, text)
        print_result(f"Written to {output}")


def to_csv(tree: Tree) -> str:
    """Write one row per node, with all its items and its centroid."""
    frame = tree.to_pandas()
    frame["items"] = frame["items"].map("; ".join)
    return str(guard_formulas(frame).to_csv(index=False, lineterminator="\n"))


def to_linkage(tree: Tree) -> str:
    r"""Write SciPy's linkage matrix; items are numbered from 0 in the order of the table.

    Examples
    --------
    >>> print(to_linkage(Tree.from_labels([[0], [0], [1]])), end="")
    left,right,height,size
    0,1,1,2
    2,3,2,3
    """
    rows = [",".join(f"{value:.12g}" for value in merge) for merge in tree.to_linkage()]
    return "\n".join(["left,right,height,size", *rows, ""])


def to_graphml(tree: Tree) -> str:
    """Write the graph of the nodes; its attributes are numbers and texts."""
    networkx = require("networkx", "graphs")
    graph = tree.to_networkx()
    for _, attributes in graph.nodes(data=True):
        # GraphML has neither lists nor mappings, and XML no control characters.
        attributes["items"] = " ".join(str(item) for item in attributes["items"])
        attributes["names"] = escape_unprintable("; ".join(attributes["names"]))
        for feature, value in attributes.pop("centroid", {}).items():
            attributes[escape_unprintable(f"centroid {feature}")] = value
    buffer = io.BytesIO()
    networkx.write_graphml_xml(graph, buffer)
    return buffer.getvalue().decode()


FORMATS: dict[str, Callable[[Tree], str]] = {
    "newick": lambda tree: f"{tree.to_newick()}\n",
    "dot": lambda tree: f"{tree.to_dot()}\n",
    "json": lambda tree: f"{tree.to_json()}\n",
    "csv": to_csv,
    "linkage": to_linkage,
    "graphml": to_graphml,
}
