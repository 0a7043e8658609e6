"""Other methods: linkages at their best cut, genieclust and HDBSCAN."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import HDBSCAN

from dendrograms import best_cut
from dendrograms import dendrogram_purity as merges_purity
from rbhmc.metrics import aid, aod, dendrogram_purity, f_measure

Floats = NDArray[np.float64]
Scores = dict[str, float]


def at_best_cut(merges: NDArray[Any], X: Floats, classes: NDArray[Any]) -> Scores:
    """Return the scores of a binary tree at the cut with the best F, chosen with the classes.

    Parameters
    ----------
    merges : array of shape (n_items - 1, 2)
        The clusters that each step joins, numbered as in SciPy.
    """
    cut = best_cut(merges, classes)
    return {
        "F": cut.f,
        "purity": merges_purity(merges, classes),
        **distances(X, cut.labels),
    }


def distances(X: Floats, labels: NDArray[Any]) -> Scores:
    """Return AID and AOD of a partition, as shares of the mean squared distance between items.

    Clusters with one item are left out.
    """
    everything = aid(X, np.zeros((len(X), 1), int))
    within, between = (
        measure(X, labels[:, None], singletons="skip") / everything for measure in (aid, aod)
    )
    return {"AID": float(within), "AOD": float(between)}


def ward(X: Floats) -> NDArray[Any]:
    """Return the merges of Ward's linkage."""
    return np.asarray(linkage(X, "ward")[:, :2])


def average(X: Floats) -> NDArray[Any]:
    """Return the merges of average linkage."""
    return np.asarray(linkage(X, "average")[:, :2])


def genie(X: Floats) -> NDArray[Any]:
    """Return the merges of genieclust with its default threshold."""
    # Imported here, so that the tests, which do not call this, run without the package.
    from genieclust import Genie

    if X.shape[1] == 1:  # genieclust refuses a single column
        X = np.column_stack([X, np.zeros(len(X))])
    merges: NDArray[Any] = Genie(n_clusters=1).fit(X).children_
    return merges


def hdbscan(X: Floats) -> NDArray[Any]:
    """Return the merges of HDBSCAN: single linkage of mutual reachability."""
    steps = HDBSCAN(copy=True).fit(X)._single_linkage_tree_
    return np.column_stack([steps["left_node"], steps["right_node"]])


def hdbscan_clusters(X: Floats, classes: NDArray[Any]) -> Scores:
    """Return the scores of the clusters that HDBSCAN selects; a noise item is its own cluster."""
    labels = HDBSCAN(copy=True).fit(X).labels_.astype(int)
    noise = labels < 0
    labels[noise] = labels.max() + 1 + np.arange(noise.sum())
    return {
        "F": float(f_measure(labels[:, None], classes)[0]),
        "purity": float(dendrogram_purity(labels[:, None], classes)),
        **distances(X, labels),
    }


LINKAGES: dict[str, Callable[[Floats], NDArray[Any]]] = {
    "Ward, best cut": ward,
    "average linkage, best cut": average,
    "genieclust, best cut": genie,
    "HDBSCAN's tree, best cut": hdbscan,
}
