"""How well the tree meets known classes, as numbers for the record and as lines for people."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rbhmc.cli.tables import Table
from rbhmc.metrics import dendrogram_purity, f_measure
from rbhmc.tree import Tree


def measures_of(tree: Tree, table: Table) -> dict[str, Any] | None:
    """Return the F-measure of each level and the dendrogram purity; None without classes."""
    if table.classes is None:
        return None
    classes = np.array(table.classes)
    known = classes != ""
    purity = dendrogram_purity(tree.paths[known], classes[known])
    return {
        "n_items": int(known.sum()),
        "f_measure": [float(value) for value in f_measure(tree.paths[known], classes[known])],
        # There is none where no two items share a class, and JSON has no word for that.
        "dendrogram_purity": None if np.isnan(purity) else purity,
    }


def measures_text(measures: Mapping[str, Any], column: str) -> str:
    """Write the measures in lines.

    Examples
    --------
    >>> found = {"n_items": 9, "f_measure": [0.5, 1.0], "dendrogram_purity": 0.875}
    >>> print(measures_text(found, "kind"))
    Against the classes in 'kind' (9 items):
      F-measure   level 1: 0.500   level 2: 1.000
      dendrogram purity: 0.875
    """
    levels = "   ".join(
        f"level {level}: {value:.3f}" for level, value in enumerate(measures["f_measure"], start=1)
    )
    purity = measures["dendrogram_purity"]
    words = "none, since no two items share a class" if purity is None else f"{purity:.3f}"
    return (
        f"Against the classes in '{column}' ({measures['n_items']} items):\n"
        f"  F-measure   {levels}\n"
        f"  dendrogram purity: {words}"
    )
