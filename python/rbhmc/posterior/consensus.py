"""The consensus of the draws of all chains: one tree, its clusters, and their support.

1. Similarity: the mean share of levels, and the component, that two items have in common
   (`similarity`).
2. Dendrogram: the average linkage of one minus the similarity (`dendrogram`).
3. Clusters: the cut of the dendrogram of least posterior expected variation of information.
4. Support of each node of the dendrogram: transfer support (`support`).
5. Tree: the clusters, and the nodes above and below them with enough support (`presented`).

Of more than 5,000 items a sample takes these steps, and every other item is attached to the leaf to
which its paths are most similar (`attach`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import transfer_distances
from rbhmc._text import pluralize
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.attach import attach_items, count_items
from rbhmc.posterior.calibration import group_probability
from rbhmc.posterior.chain_agreement import ChainAgreement, chain_agreement
from rbhmc.posterior.dendrogram import Dendrogram, dendrogram, find_clusters
from rbhmc.posterior.presented import PresentedTree, build_presented, select_nodes, sort_nodes
from rbhmc.posterior.similarity import Items, read_items, sample_items, similarity
from rbhmc.posterior.support import find_alone, node_distances
from rbhmc.tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class Consensus:
    """The tree that the draws have in common.

    Nodes are in the order of ``Tree.from_labels(paths, in_remainder=in_remainder).nodes``: parents
    before their descendants, siblings by size, the largest first, and then by first item, and a
    remainder after its siblings. Supports and heights are those of the sampled items of a node.

    Attributes
    ----------
    linkage : array of shape (n_sampled - 1, 4)
        The dendrogram of the sampled items, as SciPy's linkage matrix; heights are 1 - s.
    sample : array of shape (n_sampled,)
        The sampled items, in ascending order: item ``i`` of the linkage is ``sample[i]``.
    labels : array of shape (n_items,)
        The cluster of each item, numbered by first appearance.
    paths : array of shape (n_items, depth)
        The node of each item at each depth, as its position in `nodes`. A leaf keeps its number
        down to the last column.
    in_remainder : array of shape (n_items,)
        Whether the leaf of an item is a remainder: items of a node that are in none of its other
        children.
    nodes : tuple of arrays
        The items of each node, in ascending order.
    is_cluster, is_remainder : array of shape (n_nodes,)
        Whether a node is a cluster, or a remainder.
    support : array of shape (n_nodes,)
        The transfer support; see `rbhmc.posterior.support`.
    exact : array of shape (n_nodes,)
        The share of draws that have exactly the items of a node as a node.
    height : array of shape (n_nodes,)
        One minus the mean similarity at which a node was formed, 0 for a single item; a remainder
        has the height of its parent.
    distances : array of shape (n_chains, n_draws, n_nodes)
        The transfer distance of each node to each draw, from which its support is computed.
    chains : ChainAgreement
        The support of each node by each chain, its error, and the share of chains that found it;
        see `rbhmc.posterior.chain_agreement`.
    probability : array of shape (n_nodes,)
        The calibrated probability that a node is a true group; NaN for a single item. See
        `rbhmc.posterior.calibration`.
    """

    linkage: NDArray[np.float64]
    sample: Items
    labels: NDArray[np.intp]
    paths: NDArray[np.int32]
    in_remainder: NDArray[np.bool_]
    nodes: tuple[Items, ...]
    is_cluster: NDArray[np.bool_]
    is_remainder: NDArray[np.bool_]
    support: NDArray[np.float64]
    exact: NDArray[np.float64]
    height: NDArray[np.float64]
    distances: NDArray[np.uint32]
    chains: ChainAgreement
    probability: NDArray[np.float64]

    def to_tree(
        self,
        *,
        names: Sequence[str] | None = None,
        X: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> Tree:
        """Return the tree with all that is known of its nodes.

        Parameters
        ----------
        names, X, feature_names
            As for `Tree.from_labels`.

        Examples
        --------
        >>> found = consensus([[[0], [0], [1]], [[0], [0], [1]]])
        >>> print(found.to_tree(names=["ant", "bee", "cat"]))
        3 items
        ├─ 100% ant, bee
        └─ 100% cat
        """
        tree = Tree.from_labels(
            self.paths,
            names=names,
            X=X,
            feature_names=feature_names,
            clusters=self.labels,
            in_remainder=self.in_remainder,
        )
        nodes = [(row, node.id) for row, node in enumerate(tree) if not node.is_remainder]
        known = {
            name: {id: float(values[row]) for row, id in nodes if not np.isnan(values[row])}
            for name, values in self.measures().items()
        }
        return tree.with_support(**known)

    def measures(self) -> dict[str, NDArray[np.float64]]:
        """Return what is known of each node, by the names that `Tree.with_support` has for it."""
        return {
            "support": self.support,
            "exact": self.exact,
            "height": self.height,
            "chain_share": self.chains.share,
            "probability": self.probability,
            "support_error": self.chains.error,
            "effective_chains": self.chains.effective_chains,
        }

    def __repr__(self) -> str:
        counts = (
            pluralize(len(self.labels), "item"),
            pluralize(int(self.is_cluster.sum()), "cluster"),
            pluralize(len(self.nodes), "node"),
        )
        return f"<Consensus: {', '.join(counts)}>"


def consensus(draws: Draws | ArrayLike) -> Consensus:
    """Build the consensus of all draws of all chains, which have equal weight.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws. An array has no mixture components; the similarity is then over levels only.

    Examples
    --------
    >>> draws = [
    ...     [[0, 0], [0, 0], [0, 1], [0, 1], [1, 2], [1, 2]],
    ...     [[0, 0], [0, 0], [0, 1], [0, 1], [1, 2], [1, 2]],
    ...     [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2], [1, 2]],
    ... ]
    >>> found = consensus(draws)
    >>> found
    <Consensus: 6 items, 2 clusters, 5 nodes>
    >>> [items.tolist() for items in found.nodes]
    [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3], [0, 1], [2, 3], [4, 5]]
    >>> found.support.round(2)
    array([1.  , 0.89, 1.  , 0.67, 0.67])
    >>> found.labels
    array([0, 0, 0, 0, 1, 1])
    """
    blocks = TreeBlocks(draws)
    sample = sample_items(blocks.n_items)
    counts = similarity(draws, sample)
    linked = dendrogram(counts)
    is_cluster = find_clusters(linked, counts)
    del counts  # the largest arrays
    tree = build_presented(linked, _select(draws, sample, linked, is_cluster))
    tree, _, _ = sort_nodes(tree, tree.leaves)  # of equally similar children, items join the first
    tree, leaves, items = sort_nodes(tree, attach_items(draws, tree, sample))
    distances = np.concatenate(
        [
            node_distances(tree.parents, tree.leaves, block.trees)
            for block in read_items(draws, sample)
        ]
    )
    distances = distances.reshape(blocks.n_chains, blocks.n_draws, len(items))
    starts = draws.starts if isinstance(draws, Draws) else np.arange(blocks.n_chains)
    sizes = count_items(tree)
    chains = chain_agreement(distances, sizes, starts)
    exact = (distances == 0).mean(axis=(0, 1))
    height = linked.heights[tree.entries]
    is_cluster = is_cluster[tree.entries] & ~tree.is_remainder
    probability = group_probability(chains.share, exact, height, is_cluster, tree.parents)
    return Consensus(
        linkage=linked.linkage,
        sample=sample,
        labels=_number_clusters(items, is_cluster, blocks.n_items),
        paths=_build_paths(tree, items, blocks.n_items),
        in_remainder=tree.is_remainder[leaves],
        nodes=tuple(items),
        is_cluster=is_cluster,
        is_remainder=tree.is_remainder,
        support=chains.support.mean(axis=0),
        exact=exact,
        height=height,
        distances=distances,
        chains=chains,
        probability=np.where(sizes > 1, probability, np.nan),
    )


def _select(
    draws: Draws | ArrayLike, sample: Items, linked: Dendrogram, is_cluster: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return whether each entry of the dendrogram is presented."""
    distances = []
    n_alone = np.zeros(len(sample))
    for block in read_items(draws, sample):
        distances.append(transfer_distances(linked.parents, block.trees))
        n_alone += find_alone(block.trees).sum(axis=0)
    stacked = np.concatenate(distances)
    return select_nodes(linked, is_cluster, stacked, n_alone / len(stacked))


def _number_clusters(
    items: list[Items], is_cluster: NDArray[np.bool_], n_items: int
) -> NDArray[np.intp]:
    """Return the cluster of each item, numbered by first appearance."""
    clusters = [items[node] for node in np.flatnonzero(is_cluster)]
    labels = np.zeros(n_items, np.intp)
    for number, members in enumerate(sorted(clusters, key=lambda members: int(members[0]))):
        labels[members] = number
    return labels


def _build_paths(tree: PresentedTree, items: list[Items], n_items: int) -> NDArray[np.int32]:
    """Return the node of each item at each depth; a leaf keeps its number."""
    depth = np.zeros(len(items), np.intp)
    for node in range(1, len(items)):
        depth[node] = depth[tree.parents[node]] + 1
    paths = np.zeros((n_items, max(1, int(depth.max()))), np.int32)
    for node in range(1, len(items)):
        paths[items[node], depth[node] - 1 :] = node
    return paths
