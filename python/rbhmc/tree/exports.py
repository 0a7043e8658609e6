"""A tree in the formats of other programs: Newick, Graphviz, pandas and NetworkX."""

import os
from pathlib import Path
from typing import Any

from rbhmc._extras import require
from rbhmc._text import pluralize
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import SUPPORT_FIELDS, Node


def write_newick(tree: Hierarchy, path: str | os.PathLike[str] | None, *, support: bool) -> str:
    """Write nested parentheses, from the last node to the first; see `Tree.to_newick`."""
    texts: dict[str, str] = {}
    for node in reversed(tree.nodes):
        if node.is_leaf:
            parts = [quote_newick(tree.names[item]) for item in node.items.tolist()]
        else:
            parts = [texts.pop(child) for child in node.children]
        label = quote_newick(node.id)
        if support:
            label = "" if node.support is None else f"{node.support:.4g}"
        texts[node.id] = f"({','.join(parts)}){label}"
    text = f"{texts['root']};"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="")
    return text


def quote_newick(name: str) -> str:
    """Quote a label for Newick.

    Examples
    --------
    >>> print(quote_newick("Darwin's frog"))
    'Darwin''s frog'
    """
    return "'" + name.replace("'", "''") + "'"


def write_dot(tree: Hierarchy) -> str:
    """Write one statement for each node and each edge; see `Tree.to_dot`."""
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=box];"]
    for node in tree.nodes:
        if node.is_leaf:
            label = "\\n".join(escape_dot(tree.names[item]) for item in node.items.tolist())
        else:
            label = pluralize(node.size, "item")
        lines.append(f'  "{node.id}" [label="{label}"];')
        if node.parent is not None:
            lines.append(f'  "{node.parent}" -> "{node.id}";')
    return "\n".join([*lines, "}"])


def escape_dot(name: str) -> str:
    r"""Escape a name so that Graphviz shows it unchanged.

    Examples
    --------
    >>> print(escape_dot('a "b" \\ c & d'))
    a \"b\" \\ c &amp; d
    """
    for char, escape in (("&", "&amp;"), ("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        name = name.replace(char, escape)
    return name


def build_frame(tree: Hierarchy) -> Any:
    """Build a data frame with a row for each node; see `Tree.to_pandas`."""
    pandas = require("pandas", "frames")
    nodes = tree.nodes
    columns = {
        name: [getattr(node, name) for node in nodes]
        for name in ("id", "parent", "level", "size", "is_leaf")
    }
    for name in SUPPORT_FIELDS:
        columns[name] = pandas.Series([getattr(node, name) for node in nodes], dtype="float64")
    columns["items"] = [[tree.names[item] for item in node.items.tolist()] for node in nodes]
    frame = pandas.DataFrame(columns)
    if tree.feature_names is None:
        return frame
    features = [f"centroid {name}" if name in columns else name for name in tree.feature_names]
    centroids = pandas.DataFrame([node.centroid for node in nodes], columns=features)
    return pandas.concat([frame, centroids], axis=1)


def build_graph(tree: Hierarchy) -> Any:
    """Build a directed graph with edges from parents to children; see `Tree.to_networkx`."""
    graph = require("networkx", "graphs").DiGraph()
    for node in tree.nodes:
        graph.add_node(node.id, **_node_attributes(tree, node))
        if node.parent is not None:
            graph.add_edge(node.parent, node.id)
    return graph


def _node_attributes(tree: Hierarchy, node: Node) -> dict[str, Any]:
    items = tuple(node.items.tolist())
    centroid = None
    if node.centroid is not None and tree.feature_names is not None:
        centroid = dict(zip(tree.feature_names, node.centroid.tolist(), strict=True))
    attributes = {
        "level": node.level,
        "size": node.size,
        "is_leaf": node.is_leaf,
        **{name: getattr(node, name) for name in SUPPORT_FIELDS},
        "items": items,
        "names": tuple(tree.names[item] for item in items),
        "centroid": centroid,
    }
    # Most graph formats cannot represent None, so unknown values are left out.
    return {name: value for name, value in attributes.items() if value is not None}
