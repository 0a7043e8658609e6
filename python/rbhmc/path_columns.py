"""What the columns of path probabilities are: the presented tree's leaves and new branches."""

import numpy as np
from numpy.typing import NDArray

from rbhmc.tree import Tree


def path_columns(tree: Tree, parent: NDArray[np.int32]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Name the columns of path probabilities, and find the column of each raw node.

    Raw nodes are numbered root first, then level by level in the order of their labels. Nodes
    that the presented tree merges share one column for their new branches.
    """
    shown = presented_nodes(tree)
    leaves = [leaf.id for leaf in tree.leaves]
    inner = np.zeros(len(parent), bool)
    inner[parent[1:]] = True
    branching = sorted({shown[node] for node in np.flatnonzero(inner)})
    nodes = {node.id: number for number, node in enumerate(tree.nodes)}
    branching.sort(key=lambda id: nodes[id])
    names = (*leaves, *(f"new branch at {id}" for id in branching))
    column = [
        len(leaves) + branching.index(shown[node]) if inner[node] else leaves.index(shown[node])
        for node in range(len(parent))
    ]
    return names, np.array(column, dtype=np.intp)


def presented_nodes(tree: Tree) -> list[str]:
    """Find the presented node that each raw node is part of, by id."""
    shown = ["root"]
    for level in range(1, tree.n_levels + 1):
        labels = tree.paths[:, level - 1]
        for label in range(labels.max() + 1):
            item = int(np.argmax(labels == label))
            way = [tree.node(id) for id in tree.path_of(item)]
            shown.append([node for node in way if node.level <= level][-1].id)
    return shown
