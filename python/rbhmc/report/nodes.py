"""The nodes of a tree as the page's script reads them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.plots.palette import node_colors, text_color_on
from rbhmc.report.differences import Differences
from rbhmc.tree import Tree


def order_of(tree: Tree) -> NDArray[np.intp]:
    """Items in the order of the leaves, in which the items of every node are neighbours.

    Examples
    --------
    >>> order_of(Tree.from_labels([[0], [1], [1]]))
    array([1, 2, 0])
    """
    return np.concatenate([leaf.items for leaf in tree.leaves])


def nodes_at(tree: Tree, level: int) -> NDArray[np.intp]:
    """Find the node that holds each item at a level, as its place in `tree.nodes`.

    Examples
    --------
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]])
    >>> [tree.nodes[at].id for at in nodes_at(tree, 2)]
    ['1.1', '1.2', '2']
    """
    found = np.zeros(tree.n_items, np.intp)
    for place, node in enumerate(tree.nodes):
        # Parents come first, so that the lowest node that has begun at this level stays.
        if node.level <= level:
            found[node.items] = place
    return found


def node_rows(
    tree: Tree, support: Mapping[str, float], differences: Differences
) -> list[dict[str, Any]]:
    """Describe each node; its items are `size` of them from `start` on in the order of the leaves.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [1], [1]], X=[[1.0], [5.0], [6.0]], feature_names=["legs"])
    >>> row = node_rows(tree, {"1": 0.9}, Differences(tree, np.array([2.0])))[1]
    >>> row["id"], row["parent"], row["start"], row["size"], row["support"], row["features"]
    ('1', 0, 0, 2, 0.9, [('legs', '5.5', '1.0', 2.25)])
    """
    places = {node.id: place for place, node in enumerate(tree.nodes)}
    position = np.argsort(order_of(tree))
    colors = node_colors(tree)
    return [
        {
            "id": node.id,
            "parent": -1 if node.parent is None else places[node.parent],
            "children": [places[child] for child in node.children],
            "start": int(position[node.items].min()),
            "size": node.size,
            "color": colors[node.id],
            "ink": text_color_on(colors[node.id]),
            "support": support.get(node.id),
            "at_level": node.at_level,
            "overlap": node.overlap,
            "features": [
                (found.feature, found.here, found.there, round(found.deviations, 2))
                for found in differences.from_siblings(node)
            ],
        }
        for node in tree.nodes
    ]
