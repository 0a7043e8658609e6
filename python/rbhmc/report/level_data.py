"""The data of the figures of one level: its nodes, the co-occurrence, and uncertain items."""

import base64
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.plots.co_occurrence import model_shares
from rbhmc.posterior import (
    GroupSimilarity,
    UnstableItems,
    coclustering_share,
    group_similarity,
    unstable_items,
)
from rbhmc.tree import Node, Tree

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

Floats = NDArray[np.float64]

MAX_RANKED = 20  # uncertain items of a level
MIN_ENTROPY = 0.005  # bits: less is written as 0.00
MIN_OTHER_SHARE = 0.01  # of a pair that is together at times
# The co-occurrence maps: cells on a side, and bytes for the maps of all levels.
MAX_CELLS = 600
MAX_MAP_BYTES = 2_000_000

# What the page says of the ranking and of the map.
ENTROPY_NOTE = (
    "The uncertainty of an item is the entropy of its node over the draws, in bits: 0 if all "
    "draws agree on its node, 1 if two nodes are equally frequent. After each item: the share of "
    "draws in which it is in its node, and in the node that is second most frequent."
)
RATIO_NOTE = (
    "An item is uncertain if it is almost as similar to the items of another node as to those of "
    "its own. After each item: its mean similarity to its own node and to the next best one. The "
    "bar is the second divided by the first, which is one minus the silhouette width."
)
SIMILARITY_MAP_NOTE = (
    "The similarity of two items is the share of draws and levels in which they share a node, with "
    "their mixture component as one more level; the same map is shown at each level here."
)


def level_data(model: "RBHMC") -> dict[str, Any]:
    """Describe each level of the tree; before them the clusters, if they are not the leaves.

    The levels of a consensus tree, of a model with a ``dendrogram_``, are not those of the draws.
    It has one map of similarities for all levels, by which its uncertain items are found.

    Returns
    -------
    dict
        ``cell_size``; ``maps``, the co-occurrence in the order of the tree, encoded;
        ``is_similarity``, whether shares are similarities of a consensus; ``levels``, and for each:
        ``name``; ``map``, the position of its map; ``nodes``, the node of each item; ``together``,
        its mean share with the others of its node; ``uncertain``, ranked items.
    """
    tree, order = model.tree_, model.tree_.item_order
    partitions = {f"level {level}": tree.nodes_at(level) for level in range(1, tree.n_levels + 1)}
    is_consensus = hasattr(model, "dendrogram_")
    if is_consensus:
        if not tree.clusters_are_leaves:
            partitions = {"the clusters": tree.clusters} | partitions
        cell_size = items_per_cell(tree.n_items, 1)
        matrix = model_shares(model, 1, order)
        maps = [encode_map(average_cells(matrix, cell_size))]
        found = [group_similarity(model.draws_, nodes) for nodes in partitions.values()]
        measured = [
            (each.own, rank_by_ratio(each, nodes))
            for each, nodes in zip(found, partitions.values(), strict=True)
        ]
    else:
        cell_size = items_per_cell(tree.n_items, tree.n_levels)
        maps = [
            encode_map(average_cells(model_shares(model, level, order), cell_size))
            for level in range(1, tree.n_levels + 1)
        ]
        together = coclustering_share(model.draws_, tree).T
        unstable = unstable_items(model.draws_, tree)
        measured = [
            (share, rank_by_entropy(unstable, tree, level))
            for level, share in enumerate(together, start=1)
        ]
    index = {node.id: number for number, node in enumerate(tree.nodes)}
    rows: list[dict[str, Any]] = []
    for (name, nodes), (own, uncertain) in zip(partitions.items(), measured, strict=True):
        node_of_item = np.empty(tree.n_items, np.intp)
        for node in nodes:
            node_of_item[node.items] = index[node.id]
        for row in uncertain:
            row["other"] = None if row["other"] is None else index[row["other"]]
        rows.append(
            {
                "name": name,
                "nodes": node_of_item.tolist(),
                "together": own.round(3).tolist(),
                "map": min(len(rows), len(maps) - 1),
                "uncertain": uncertain,
            }
        )
    return {"cell_size": cell_size, "maps": maps, "is_similarity": is_consensus, "levels": rows}


def rank_by_entropy(unstable: UnstableItems, tree: Tree, level: int) -> list[dict[str, Any]]:
    """Rank items by the entropy of their node over the draws, the largest first."""
    largest = math.log2(len(tree.nodes_at(level))) or 1.0
    return [
        {
            "item": row.item,
            "text": f"{row.entropy:.2f} bits",
            "share": round(min(row.entropy / largest, 1.0), 3),
            "home_share": round(row.home_share, 3),
            "other": row.other,
            "other_share": round(row.other_share, 3),
        }
        for row in unstable.at_level(level)[:MAX_RANKED]
        if row.entropy >= MIN_ENTROPY
    ]


def rank_by_ratio(found: GroupSimilarity, nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Rank items by their similarity to another node relative to their own, the largest first.

    Examples
    --------
    >>> one, other = [[0], [0], [0], [1], [1]], [[0], [0], [1], [1], [1]]
    >>> nodes = Tree.from_labels(one).leaves
    >>> row = rank_by_ratio(group_similarity([one, other, one, one], nodes), nodes)[0]
    >>> row["item"], row["text"], row["home_share"], row["other"], row["other_share"]
    (2, '33%', 0.75, '2', 0.25)
    """
    ratio = found.uncertainty
    return [
        {
            "item": item,
            "text": f"{ratio[item]:.0%}",
            "share": round(float(ratio[item]), 3),
            "home_share": round(float(found.own[item]), 3),
            "other": nodes[found.other[item]].id,
            "other_share": round(float(found.other_similarity[item]), 3),
        }
        for item in np.argsort(-ratio, kind="stable")[:MAX_RANKED].tolist()
        if found.other_similarity[item] >= MIN_OTHER_SHARE
    ]


def items_per_cell(n_items: int, n_levels: int) -> int:
    """Return the number of neighbouring items that share a cell of a co-occurrence map.

    Examples
    --------
    >>> items_per_cell(600, 3), items_per_cell(1000, 3), items_per_cell(600, 255)
    (1, 2, 5)
    """
    n_cells = min(MAX_CELLS, math.isqrt(2 * MAX_MAP_BYTES // n_levels))
    return -(-n_items // n_cells)


def average_cells(matrix: Floats, cell_size: int) -> Floats:
    """Average a matrix over cells of neighbouring items, over pairs of different items.

    The last cell may be smaller; an item alone in its cell is together with itself in all draws.

    Examples
    --------
    >>> average_cells(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 1.0]]), 2)
    array([[0.5, 0.1],
           [0.1, 1. ]])
    """
    starts = np.arange(0, len(matrix), cell_size)
    sizes = np.diff(starts, append=len(matrix))
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    n_pairs = np.outer(sizes, sizes) - np.diag(sizes)
    means = np.ones(sums.shape)
    np.divide(sums - np.diag(sizes), n_pairs, out=means, where=n_pairs > 0)
    return means.clip(0.0, 1.0)  # rounding errors may exceed 1


def encode_map(matrix: Floats) -> str:
    """Write the upper triangle of a matrix of shares, row by row, as bytes in base 64.

    Examples
    --------
    >>> list(base64.b64decode(encode_map(np.array([[1.0, 0.5], [0.5, 1.0]]))))
    [255, 128, 255]
    """
    shares = matrix[np.triu_indices(len(matrix))]
    return base64.b64encode(np.round(255.0 * shares).astype(np.uint8).tobytes()).decode()
