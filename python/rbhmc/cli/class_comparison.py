"""The comparison of a fitted model with known classes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster

from rbhmc.estimator import RBHMC
from rbhmc.metrics import ari, dendrogram_purity, f_measure

MAX_CUT_CLUSTERS = 100  # of the cuts of a dendrogram
MAX_PRINTED_LEVELS = 6  # of a deeper tree only the best level is printed


def compare_with_classes(model: RBHMC, classes: Sequence[str] | None) -> dict[str, Any] | None:
    """Compare clusters, levels and dendrogram with the classes of items; None without classes.

    Parameters
    ----------
    model : RBHMC
        A fitted model.
    classes : sequence of str, or None
        The class of each item; empty if it is unknown.

    Returns
    -------
    dict
        ``n_items``, of known class; ``clusters``, their F-measure and adjusted Rand index;
        ``f_measure`` of each level; ``dendrogram_purity`` of the tree; and for a model with a
        ``dendrogram_``, ``best_cut``, see `best_cut`.
    """
    if classes is None:
        return None
    tree, names = model.tree_, np.array(classes)
    known = names != ""
    kinds = np.unique(names[known], return_inverse=True)[1]
    clusters = tree.labels[known, None]
    purity = dendrogram_purity(tree.paths[known], kinds)
    measures: dict[str, Any] = {
        "n_items": int(known.sum()),
        "clusters": {
            "f_measure": float(f_measure(clusters, kinds)[0]),
            "ari": float(ari(clusters, kinds)[0]),
        },
        "f_measure": [float(value) for value in f_measure(tree.paths[known], kinds)],
        # Undefined if no two items share a class; JSON has no NaN.
        "dendrogram_purity": None if np.isnan(purity) else purity,
    }
    if hasattr(model, "dendrogram_"):
        items = getattr(model, "dendrogram_items_", None)
        items = np.arange(tree.n_items) if items is None else np.asarray(items)
        measures["best_cut"] = best_cut(model.dendrogram_, names[items])
    return measures


def best_cut(merges: NDArray[np.float64], classes: NDArray[np.str_]) -> dict[str, Any] | None:
    """Find the cut of a dendrogram into 1 to 100 clusters that has the best F-measure.

    Parameters
    ----------
    merges : array of shape (n - 1, 4)
        A linkage matrix of SciPy.
    classes : array of shape (n,)
        The class of each item; empty if it is unknown.

    Returns
    -------
    dict or None
        Its number of clusters and F-measure; None if no item has a class, or there is one item.

    Examples
    --------
    >>> merges = np.array([[0.0, 1.0, 0.2, 2.0], [2.0, 3.0, 0.9, 3.0]])
    >>> best_cut(merges, np.array(["a", "a", "b"]))
    {'n_clusters': 2, 'f_measure': 1.0}
    """
    known = classes != ""
    if not known.any() or len(merges) == 0:
        return None
    cuts = [
        fcluster(merges, n_clusters, "maxclust")
        for n_clusters in range(1, min(len(classes), MAX_CUT_CLUSTERS) + 1)
    ]
    values = [float(f_measure(cut[known, None], classes[known])[0]) for cut in cuts]
    best = int(np.argmax(values))
    return {"n_clusters": int(cuts[best].max()), "f_measure": values[best]}


def format_measures(measures: Mapping[str, Any], column: str) -> str:
    """Write the comparison with the known classes.

    Examples
    --------
    >>> measures = {"n_items": 9, "f_measure": [0.5, 1.0], "dendrogram_purity": 0.875}
    >>> measures["clusters"] = {"f_measure": 0.9, "ari": 0.8}
    >>> measures["best_cut"] = {"f_measure": 0.95, "n_clusters": 7}
    >>> print(format_measures(measures, "kind"))
    Compared with the classes in 'kind' (9 items):
      clusters: F-measure 0.900, adjusted Rand index 0.800
      F-measure of levels   1: 0.500   2: 1.000
      F-measure of the best cut of the dendrogram, into 7 clusters: 0.950
      dendrogram purity: 0.875
    """
    clusters, by_level = measures["clusters"], measures["f_measure"]
    lines = [
        f"Compared with the classes in '{column}' ({measures['n_items']} items):",
        f"  clusters: F-measure {clusters['f_measure']:.3f}, "
        f"adjusted Rand index {clusters['ari']:.3f}",
    ]
    if len(by_level) <= MAX_PRINTED_LEVELS:
        levels = [f"{level}: {value:.3f}" for level, value in enumerate(by_level, start=1)]
        lines.append(f"  F-measure of levels   {'   '.join(levels)}")
    else:
        best = int(np.argmax(by_level))
        lines.append(f"  F-measure of the best level, {best + 1}: {by_level[best]:.3f}")
    if (cut := measures.get("best_cut")) is not None:
        lines.append(
            f"  F-measure of the best cut of the dendrogram, into {cut['n_clusters']} clusters: "
            f"{cut['f_measure']:.3f}"
        )
    purity = measures["dendrogram_purity"]
    text = "undefined, since no two items share a class" if purity is None else f"{purity:.3f}"
    lines.append(f"  dendrogram purity: {text}")
    return "\n".join(lines)
