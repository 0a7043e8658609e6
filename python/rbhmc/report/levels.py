"""What the page shows of each level: nodes of the items, their co-occurrence, and doubts."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rbhmc.metrics import co_occurrence
from rbhmc.report.nodes import nodes_at, order_of
from rbhmc.report.shares import averaged, block_size, packed
from rbhmc.report.uncertainty import most_uncertain, node_shares, share

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC


def level_rows(model: "RBHMC") -> list[dict[str, Any]]:
    """Describe each level, the first below the root first.

    Returns
    -------
    list of dict
        ``nodes``, the node of each item; ``own``, how often an item was with the others of its
        node; ``map``, co-occurrence in the order of the tree, packed; ``uncertain``, a ranking.
    """
    tree = model.tree_
    size = block_size(tree.n_items, tree.n_levels)
    order = order_of(tree)
    rows = []
    for level in range(1, tree.n_levels + 1):
        shares = co_occurrence(model.draws_, level).astype(np.float64)
        nodes = nodes_at(tree, level)
        found, means = node_shares(shares, nodes)
        own = means[np.arange(tree.n_items), np.searchsorted(found, nodes)]
        rows.append(
            {
                "nodes": nodes.tolist(),
                "own": [share(value) for value in own.tolist()],
                "map": packed(averaged(shares[np.ix_(order, order)], size)),
                "uncertain": most_uncertain(shares, nodes),
            }
        )
    return rows
