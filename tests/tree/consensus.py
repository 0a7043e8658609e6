"""A tree with clusters above its leaves and remainders, and a model with a dendrogram."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

from rbhmc import RBHMC, Tree
from rbhmc.metrics import co_occurrence


def consensus_tree(
    shares: NDArray[np.float64], n_clusters: int, names: Any = None, X: Any = None
) -> tuple[Tree, NDArray[np.float64]]:
    """Cut an average linkage at groups, clusters and nested groups; return tree and linkage."""
    n = len(shares)
    Z = linkage(squareform(1.0 - shares, checks=False), "average")
    cuts = cut_tree(Z, n_clusters=[2, n_clusters, min(n, 3 * n_clusters)])
    clusters = cuts[:, 1]
    nested = cuts[:, 2].copy()
    in_remainder = np.zeros(n, bool)
    for cluster in np.unique(clusters):
        inside = np.flatnonzero(clusters == cluster)
        parts, sizes = np.unique(nested[inside], return_counts=True)
        if len(parts) == 1:
            continue
        # All parts but the largest are the remainder of the cluster.
        rest = inside[nested[inside] != parts[sizes.argmax()]]
        nested[rest] = nested[rest[0]]
        in_remainder[rest] = True
    paths = np.stack([cuts[:, 0], clusters, nested], axis=1)
    tree = Tree.from_labels(paths, names=names, X=X, clusters=clusters, in_remainder=in_remainder)
    known = [node for node in tree if not node.is_remainder]
    within = {node.id: float(shares[np.ix_(node.items, node.items)].mean()) for node in known}
    height = {id: 1.0 - share for id, share in within.items()}
    return tree.with_support(within, {id: share**2 for id, share in within.items()}, height), Z


def with_consensus(model: RBHMC, n_clusters: int = 6) -> RBHMC:
    """Give a fitted model a tree of clusters, groups and remainders, and a dendrogram."""
    draws, old = model.draws_, model.tree_
    shares = np.mean([co_occurrence(draws, level) for level in (1, 2, 3)], axis=0)
    X = model.prepared_
    tree, Z = consensus_tree(shares, n_clusters, old.names, X)
    model.tree_, model.labels_ = tree, tree.labels
    attributes: dict[str, Any] = {"dendrogram_": Z, "feature_std_": X.std(axis=0)}
    for name, value in attributes.items():
        setattr(model, name, value)
    return model
