"""A tree as text, and in the formats of other programs."""

from heapq import heapify, heappop, heapreplace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc._text import escape_unprintable, pluralize, wrap_parts
from rbhmc.tree.description import Descriptions, add_count, describe_nodes, lists_items
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import SUPPORT_FIELDS, Node

CLUSTER_MARK = "●"
FLAGS = ("is_leaf", "is_cluster", "is_remainder")
# The names of supports in Newick, where they differ from those of the attributes of nodes.
NEWICK_NAMES = {"support": "transfer", "probability": "calibrated"}


def draw_text(
    tree: Hierarchy, max_items: int | None, width: int | None, max_level: int | None = None
) -> str:
    """Draw one node after the other; see `Tree.to_text`."""
    if max_items is not None and max_items < 1:
        raise InvalidInput(f"max_items is {max_items}; it must be at least 1, or None")
    if width is not None and width < 1:
        raise InvalidInput(f"width is {width}; it must be at least 1, or None")
    if max_level is not None and max_level < 1:
        raise InvalidInput(f"max_level is {max_level}; it must be at least 1, or None")
    lines = [pluralize(tree.n_items, "item")]
    indents = {"root": ""}  # the indentation below each inner node
    last_children = {node.children[-1] for node in tree.nodes if node.children}
    mark = "" if tree.clusters_are_leaves else f"{CLUSTER_MARK} "
    descriptions = describe_nodes(tree)
    if tree.root.is_cluster:
        lines[0] = mark + lines[0]
    lowest = tree.n_levels if max_level is None else max_level
    for node in tree.nodes:
        if node.level > lowest:
            continue
        if node.parent is None:
            if not lists_items(tree, node):
                continue
            prefix, indent = "└─ ", "   "  # the root is a leaf
        else:
            is_last = node.id in last_children
            above = indents[node.parent]
            prefix = above + ("└─ " if is_last else "├─ ")
            indent = above + ("   " if is_last else "│  ")
            if node.is_cluster:
                prefix += mark
            if node.support is not None:
                prefix += f"{node.support:.0%} "
            indents[node.id] = indent
        is_last_level = node.is_leaf or tree.node(node.children[0]).level > lowest
        # The text of an inner node stays left of the line to its first child.
        own_indent = indent if is_last_level else f"{indent}│  "
        parts = node_text(tree, node, descriptions, max_items)
        if is_last_level and (n_clusters := _count_clusters_below(tree, node)):
            within = f"{descriptions[node.id].count} in {pluralize(n_clusters, 'cluster')}"
            parts = add_count(within, descriptions[node.id].mentions)
        lines += wrap_parts(list(map(escape_unprintable, parts)), prefix, own_indent, width)
    return "\n".join(lines)


def _count_clusters_below(tree: Hierarchy, node: Node) -> int:
    return sum(cluster.id.startswith(f"{node.id}.") for cluster in tree.clusters)


def node_text(
    tree: Hierarchy, node: Node, descriptions: Descriptions, max_items: int | None
) -> list[str]:
    """Return the names of the items of a leaf, or the number of items and what they are like.

    A leaf with too many items to name all of them is described, if it can be.
    """
    is_long = max_items is not None and node.size > max_items
    if not lists_items(tree, node) or (is_long and descriptions[node.id].mentions):
        return add_count(descriptions[node.id].count, descriptions[node.id].mentions)
    names = [tree.names[item] for item in node.items[:max_items].tolist()]
    if len(names) < node.size:
        names.append(f"+{node.size - len(names):,} more")
    return names


def write_newick(tree: Hierarchy) -> str:
    """Write nested parentheses, from the last node to the first; see `Tree.to_newick`."""
    texts: dict[str, str] = {}
    for node in reversed(tree.nodes):
        if node.is_leaf:
            parts = [quote_newick(tree.names[item]) for item in node.items.tolist()]
        else:
            parts = [texts.pop(child) for child in node.children]
        if node.is_remainder:
            texts[node.id] = ",".join(parts)
            continue
        known = {
            NEWICK_NAMES.get(name, name): value
            for name in SUPPORT_FIELDS
            if (value := getattr(node, name)) is not None
        }
        comment = "".join(f":{name}={value:.4g}" for name, value in known.items())
        label = quote_newick(node.id) + (f"[&&NHX{comment}]" if comment else "")
        texts[node.id] = f"({','.join(parts)}){label}"
    return f"{texts['root']};"


def quote_newick(name: str) -> str:
    """Quote a label for Newick, with its own quotes doubled."""
    return "'" + name.replace("'", "''") + "'"


def write_dot(tree: Hierarchy) -> str:
    """Write one statement for each node and each edge; see `Tree.to_dot`."""
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=box];"]
    descriptions = describe_nodes(tree)
    for node in tree.nodes:
        parts = node_text(tree, node, descriptions, None)
        label = "\\n".join(map(escape_dot, parts))
        style = ""
        if node.is_cluster and not tree.clusters_are_leaves:
            style = " style=bold"
        elif node.is_remainder:
            style = " style=dashed"
        lines.append(f'  "{node.id}" [label="{label}"{style}];')
        if node.parent is not None:
            lines.append(f'  "{node.parent}" -> "{node.id}";')
    return "\n".join([*lines, "}"])


def escape_dot(name: str) -> str:
    """Escape a name so that Graphviz shows it unchanged."""
    for char, escape in (("&", "&amp;"), ("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        name = name.replace(char, escape)
    return name


def build_frame(tree: Hierarchy) -> Any:
    """Build a data frame with a row for each node; see `Tree.to_pandas`."""
    pandas = require("pandas", "frames")
    nodes = tree.nodes
    columns = {
        name: [getattr(node, name) for node in nodes]
        for name in ("id", "parent", "level", "size", *FLAGS)
    }
    for name in SUPPORT_FIELDS:
        columns[name] = pandas.Series([getattr(node, name) for node in nodes], dtype="float64")
    columns["description"] = [str(each) for each in describe_nodes(tree).values()]
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
    descriptions = describe_nodes(tree)
    for node in tree.nodes:
        description = str(descriptions[node.id])
        graph.add_node(node.id, **_node_attributes(tree, node), description=description)
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
        **{name: getattr(node, name) for name in FLAGS},
        **{name: getattr(node, name) for name in SUPPORT_FIELDS},
        "items": items,
        "names": tuple(tree.names[item] for item in items),
        "centroid": centroid,
    }
    # Most graph formats cannot represent None, so unknown values are left out.
    return {name: value for name, value in attributes.items() if value is not None}


def build_linkage(tree: Hierarchy) -> NDArray[np.float64]:
    """Merge the parts of each node, from the lowest level to the root; see `Tree.to_linkage`.

    The two smallest parts of a node are merged until one is left, as in Huffman's code with sizes
    as weights: a part with a share p of its node is about log(1/p) merges deep. Shares multiply
    along a path, so no item is deeper than about 1.44 log₂(n_items) + n_levels.
    """
    n = tree.n_items
    if n < 2:
        raise InvalidInput("a linkage matrix needs at least two items; the tree has one")
    rows: list[tuple[int, int, int, int]] = []
    # The merged parts of each node so far, as (size, number).
    parts: dict[str, list[tuple[int, int]]] = {
        leaf.id: [(1, item) for item in leaf.items.tolist()] for leaf in tree.leaves
    }
    heights = {node.id: tree.n_levels - tree.level_range(node)[1] + 1 for node in tree.nodes}
    for node in sorted(tree.nodes, key=lambda node: heights[node.id]):
        heap = parts.pop(node.id)
        heapify(heap)
        while len(heap) > 1:
            size_a, a = heappop(heap)
            size_b, b = heap[0]
            heapreplace(heap, (size_a + size_b, n + len(rows)))
            rows.append((min(a, b), max(a, b), heights[node.id], size_a + size_b))
        if node.parent is not None:
            parts.setdefault(node.parent, []).append(heap[0])
    return np.array(rows, dtype=np.float64)
