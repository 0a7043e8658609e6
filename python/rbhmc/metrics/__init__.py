"""Measures of trees: how tight, how far apart, how true to known classes, how alike.

A tree is `paths`, an array of integers of shape (n_items, n_levels): equal numbers in a column
mean the same node. Levels count as in the model: 0 is the root, which holds every item and has
no column; level 1 is column 0; level n_levels are the leaves. Levels may also be counted from
the leaves: -1 is the last. Numbers themselves mean nothing: every measure is the same for
another numbering of the nodes.

Examples
--------
>>> from rbhmc import metrics
>>> paths = [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]]
>>> metrics.f_measure(paths, ["cat", "cat", "dog", "ant", "ant"])
array([0.82, 1.  ])
"""

from rbhmc.metrics.classes import dendrogram_purity, f_measure
from rbhmc.metrics.distances import aid, aod
from rbhmc.metrics.pairs import co_occurrence
from rbhmc.metrics.partitions import ari, binder_loss, variation_of_information
from rbhmc.metrics.singular import is_singular

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
