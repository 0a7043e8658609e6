"""The tables of a run: where each item is and how sure that is, and what each node is."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rbhmc.cli.levels import nodes_by_level
from rbhmc.cli.sureness import sureness
from rbhmc.draws import Draws
from rbhmc.tree import Node, Tree
from rbhmc.tree.node import SHARES

# Names and features that a cell holds at the most.
MOST_NAMES = 10
MOST_FEATURES = 5


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Write a table as text.

    Examples
    --------
    >>> csv_text(["item", "size"], [["a, b", 1]])
    'item,size\n"a, b",1\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return buffer.getvalue()


def labels_csv(tree: Tree, draws: Draws) -> str:
    """Write for each item its path, and for each level its node and how sure that is."""
    levels = range(tree.n_levels)
    flat = draws.paths.reshape(-1, *draws.paths.shape[2:])
    sure = [sureness(tree.paths[:, level], flat[:, :, level]) for level in levels]
    nodes = nodes_by_level(tree)
    head = ["item", "path"]
    for level in levels:
        head += [f"node_{level + 1}", f"probability_{level + 1}"]
    rows = []
    for item, leaf in enumerate(tree.labels.tolist()):
        row = [tree.names[item], tree.leaves[leaf].id]
        for level in levels:
            row += [nodes[leaf][level], f"{sure[level][item]:.4f}"]
        rows.append(row)
    return csv_text(head, rows)


def nodes_csv(tree: Tree, spread: Any) -> str:
    """Write for each node its place, size, supports, names, and how it differs from its parent.

    Parameters
    ----------
    tree : Tree
        With centroids.
    spread : array of shape (n_features,)
        The standard deviation of each feature, by which differences are ranked.
    """
    head = ["id", "parent", "level", "size", *SHARES, "items", "unlike_parent"]
    rows = [
        [
            node.id,
            node.parent or "",
            node.level,
            node.size,
            *(_share(getattr(node, name)) for name in SHARES),
            _items(tree, node),
            _unlike_parent(tree, node, spread),
        ]
        for node in tree.nodes
    ]
    return csv_text(head, rows)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _items(tree: Tree, node: Node) -> str:
    names = [tree.names[item] for item in node.items[:MOST_NAMES].tolist()]
    more = [f"+{node.size - len(names)} more"] if node.size > len(names) else []
    return "; ".join(names + more)


def _unlike_parent(tree: Tree, node: Node, spread: Any) -> str:
    """Name the features whose means differ most from those of the parent."""
    above = None if node.parent is None else tree.node(node.parent).centroid
    if node.centroid is None or above is None or tree.feature_names is None:
        return ""
    deviations = np.abs(node.centroid - above) / np.where(spread > 0, spread, np.inf)
    first = np.argsort(-deviations, kind="stable")[:MOST_FEATURES]
    return "; ".join(
        f"{tree.feature_names[i]} {node.centroid[i]:.4g} (parent {above[i]:.4g})"
        for i in first.tolist()
        if deviations[i] > 0
    )
