"""A tree as a directed graph."""

from typing import Any

from rbhmc._extras import require
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import SHARES, Node


def graph_of(tree: Hierarchy) -> Any:
    """Nodes with their attributes and edges to the children; see `Tree.to_networkx`."""
    networkx = require("networkx", "graphs")
    graph = networkx.DiGraph()
    for node in tree.nodes:
        graph.add_node(node.id, **_attributes(tree, node))
        if node.parent is not None:
            graph.add_edge(node.parent, node.id)
    return graph


def _attributes(tree: Hierarchy, node: Node) -> dict[str, Any]:
    items = tuple(node.items.tolist())
    centroid = None
    if node.centroid is not None and tree.feature_names is not None:
        centroid = dict(zip(tree.feature_names, node.centroid.tolist(), strict=True))
    attributes = {
        "level": node.level,
        "size": node.size,
        "is_leaf": node.is_leaf,
        **{name: getattr(node, name) for name in SHARES},
        "items": items,
        "names": tuple(tree.names[item] for item in items),
        "centroid": centroid,
    }
    # What is not known is left out: most graph formats have no word for it.
    return {name: value for name, value in attributes.items() if value is not None}
