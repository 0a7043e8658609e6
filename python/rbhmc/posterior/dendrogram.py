"""The dendrogram of the draws, and its cut into clusters.

The dendrogram is the average linkage of 1 - s. Clusters at the same distance are merged at once
(Fernández and Gómez 2008), so it does not depend on the order of the items; a node whose height is
that of its parent is one of several merges of such a group, and not a node of its own.

The clusters are the cut, a set of nodes and single items that covers each item once, of least

    Σ over clusters A, Σ over i in A of [w log2 |A| - 2 log2 Σ_{j in A} π_ij],

with π the share of draws and levels in which two items share a node. With w = 1 this is a bound of
the posterior expected variation of information (Wade and Ghahramani 2018); with smaller w a split
costs more than a merge (Dahl, Johnson and Müller 2022).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import average_linkage, vi_cut
from rbhmc.posterior.similarity import Similarity

# w in the loss of the cut.
VI_WEIGHT = 0.8


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """A tree over items in which nodes may have more than two children.

    Entries are the items, and then the nodes by height, so that a node comes after its children;
    the last entry is the root.

    Attributes
    ----------
    linkage : array of shape (n_items - 1, 4)
        SciPy's linkage matrix.
    parents : array of shape (n_items + n_nodes,)
        The parent of each entry; -1 for the root.
    heights : array of shape (n_items + n_nodes,)
        The distance 1 - s at which the entry was formed; 0 for an item.
    sizes : array of shape (n_items + n_nodes,)
        The number of items of each entry.
    """

    linkage: NDArray[np.float64]
    parents: NDArray[np.int32]
    heights: NDArray[np.float64]
    sizes: NDArray[np.intp]

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.linkage) + 1


def dendrogram(found: Similarity) -> Dendrogram:
    """Link items by their similarity.

    Examples
    --------
    >>> from rbhmc.posterior.similarity import similarity
    >>> draws = [[[0, 0], [0, 0], [0, 1], [1, 2]], [[0, 0], [0, 0], [0, 1], [1, 2]]]
    >>> found = dendrogram(similarity(draws, np.arange(4)))
    >>> found.parents, found.heights[4:]
    (array([ 4,  4,  5,  6,  5,  6, -1], dtype=int32), array([0. , 0.5, 1. ]))
    """
    linkage = average_linkage(found.all, found.n_all)
    n_items = len(linkage) + 1
    above = np.full(n_items + len(linkage), -1)  # the merge after each item or merge
    above[linkage[:, :2].astype(np.intp).T] = n_items + np.arange(len(linkage))
    heights = np.append(np.zeros(n_items), linkage[:, 2])
    is_node = np.ones(len(above), np.bool_)
    is_node[n_items:-1] = heights[n_items:-1] < heights[above[n_items:-1]]
    top = np.arange(len(above))  # the lowest node that holds each merge
    for merge in reversed(np.flatnonzero(~is_node).tolist()):
        top[merge] = top[above[merge]]
    number = np.cumsum(is_node) - 1
    entries = np.flatnonzero(is_node)
    parents = np.append(number[top[above[entries[:-1]]]], -1).astype(np.int32)
    sizes = np.append(np.ones(n_items), linkage[:, 3]).astype(np.intp)
    return Dendrogram(linkage, parents, heights[entries], sizes[entries])


def find_clusters(tree: Dendrogram, found: Similarity) -> NDArray[np.bool_]:
    """Return whether each entry of a dendrogram is a cluster of the best cut.

    Examples
    --------
    >>> from rbhmc.posterior.similarity import similarity
    >>> found = similarity([[[0], [0], [1], [1]]] * 3 + [[[0], [0], [0], [1]]], np.arange(4))
    >>> find_clusters(dendrogram(found), found)
    array([False, False, False, False,  True,  True, False])
    """
    return vi_cut(tree.parents, found.levels, found.n_levels, VI_WEIGHT)
