"""A tree as text in each format that other programs read."""

import io
from collections.abc import Callable
from typing import Any

from rbhmc._extras import require
from rbhmc.cli.result_tables import csv_text
from rbhmc.tree import Tree
from rbhmc.tree.text import printable


def to_csv(tree: Tree) -> str:
    """Write a row for each node, with all its items and its centroid."""
    frame = tree.to_pandas()
    frame["items"] = ["; ".join(names) for names in frame["items"]]
    return str(frame.to_csv(index=False, lineterminator="\n"))


def to_linkage(tree: Tree) -> str:
    r"""Write SciPy's linkage matrix: items are numbered from 0, in the order of the table.

    Examples
    --------
    >>> print(to_linkage(Tree.from_labels([[0], [0], [1]])), end="")
    left,right,height,size
    0,1,1,2
    2,3,2,3
    """
    return csv_text(
        ["left", "right", "height", "size"],
        [[f"{value:g}" for value in merge] for merge in tree.to_linkage()],
    )


def to_graphml(tree: Tree) -> str:
    """Write the graph of the nodes, whose attributes are numbers and texts."""
    networkx = require("networkx", "graphs")
    graph = tree.to_networkx()
    for _, attributes in graph.nodes(data=True):
        # GraphML has neither lists nor mappings, and XML no control characters.
        attributes["items"] = " ".join(str(item) for item in attributes["items"])
        attributes["names"] = printable("; ".join(attributes["names"]))
        for feature, value in attributes.pop("centroid", {}).items():
            attributes[printable(f"centroid {feature}")] = value
    buffer = io.BytesIO()
    networkx.write_graphml_xml(graph, buffer)
    return buffer.getvalue().decode()


FORMATS: dict[str, Callable[[Tree], Any]] = {
    "newick": lambda tree: f"{tree.to_newick(support=True)}\n",
    "dot": lambda tree: f"{tree.to_dot()}\n",
    "json": lambda tree: f"{tree.to_json(indent=1)}\n",
    "csv": to_csv,
    "linkage": to_linkage,
    "graphml": to_graphml,
}
