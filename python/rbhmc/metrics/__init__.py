"""Measures of trees: distances within and between nodes, agreement with classes, and similarity.

A tree is given as `paths`, an array of integers of shape (n_items, n_levels): items with equal
numbers in a column share a node. Level 0 is the root, which contains every item and has no column;
level 1 is column 0; level n_levels contains the leaves. Negative levels count from the leaves: -1
is the last level. Every measure is invariant to a renumbering of the nodes.

Examples
--------
>>> from rbhmc import metrics
>>> paths = [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]]
>>> metrics.f_measure(paths, ["cat", "cat", "dog", "ant", "ant"])
array([0.82, 1.  ])
"""

from rbhmc.metrics.classes import dendrogram_purity, f_measure
from rbhmc.metrics.distances import aid, aod, is_singular
from rbhmc.metrics.partitions import (
    ari,
    binder_loss,
    co_occurrence,
    variation_of_information,
)

__all__ = [
    "aid",
    "aod",
    "ari",
    "binder_loss",
    "co_occurrence",
    "dendrogram_purity",
    "f_measure",
    "is_singular",
    "variation_of_information",
]
