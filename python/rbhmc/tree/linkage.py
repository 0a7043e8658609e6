"""Conversion between trees and SciPy's linkage matrices."""

from collections.abc import Sequence
from heapq import heapify, heappop, heapreplace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import is_valid_linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from rbhmc._checks import check_array, check_numbers
from rbhmc._core import InvalidInput
from rbhmc.tree.hierarchy import Hierarchy

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def build_linkage(tree: Hierarchy) -> Floats:
    """Merge the parts of each node, from the lowest level to the root; see `Tree.to_linkage`.

    The two smallest parts of a node are merged until one is left, as in Huffman's code with sizes
    as weights: a part with a share p of its node is about log(1/p) merges deep. Shares multiply
    along a path, so no item is deeper than about 1.44 log₂(n_items) + n_levels.
    """
    n = tree.n_items
    if n < 2:
        raise InvalidInput("a linkage matrix needs at least two items; the tree has one")
    rows: list[tuple[int, int, int, int]] = []
    # The clusters of each node so far, as (size, number).
    parts: dict[str, list[tuple[int, int]]] = {
        leaf.id: [(1, item) for item in leaf.items.tolist()] for leaf in tree.leaves
    }
    ids_by_height: list[list[str]] = [[] for _ in range(tree.n_levels + 1)]
    for node in tree.nodes:
        ids_by_height[tree.n_levels - tree.level_range(node)[1]].append(node.id)
    for height, ids in enumerate(ids_by_height, start=1):
        for id in ids:
            heap = parts.pop(id)
            heapify(heap)
            while len(heap) > 1:
                size_a, a = heappop(heap)
                size_b, b = heap[0]
                heapreplace(heap, (size_a + size_b, n + len(rows)))
                rows.append((min(a, b), max(a, b), height, size_a + size_b))
            parent = tree.node(id).parent
            if parent is not None:
                parts.setdefault(parent, []).append(heap[0])
    return np.array(rows, dtype=np.float64)


def cut_linkage(
    Z: ArrayLike, n_clusters: Sequence[int] | None, heights: Sequence[float] | None
) -> NDArray[np.int32]:
    """Cut a linkage matrix once for each level; see `Tree.from_linkage`."""
    merges = check_numbers(Z, "Z", ("n_items - 1", 4))
    if not is_valid_linkage(merges):
        raise InvalidInput(
            "Z is not a valid linkage matrix; use scipy.cluster.hierarchy.linkage to make one"
        )
    if n_clusters is not None and heights is None:
        applied = _merges_by_count(n_clusters, len(merges) + 1)
    elif heights is not None and n_clusters is None:
        applied = _merges_by_height(heights, merges)
    else:
        raise InvalidInput("give either n_clusters_per_level or heights, and not both")
    return np.stack([_label_clusters(merges, mask) for mask in applied], axis=1)


def _merges_by_count(n_clusters: Sequence[int], n_items: int) -> list[Mask]:
    """Return for each level which merges leave its number of clusters."""
    counts = check_array(n_clusters, "n_clusters_per_level")
    if counts.ndim != 1 or len(counts) == 0 or counts.dtype.kind not in "iu":
        raise InvalidInput("n_clusters_per_level must hold a whole number for each level")
    if (counts[1:] < counts[:-1]).any() or counts[0] < 1 or counts[-1] > n_items:
        raise InvalidInput(
            f"n_clusters_per_level is {counts.tolist()}; from the top level down it must go from 1 "
            f"or more to {n_items} or fewer, and never fall"
        )
    return [np.arange(n_items - 1) < n_items - count for count in counts.tolist()]


def _merges_by_height(heights: Sequence[float], merges: Floats) -> list[Mask]:
    """Return for each level which merges are at or below its height."""
    cuts = check_array(heights, "heights")
    if cuts.ndim != 1 or len(cuts) == 0 or cuts.dtype.kind not in "fiu" or np.isnan(cuts).any():
        raise InvalidInput("heights must hold a number for each level")
    if (cuts[1:] > cuts[:-1]).any():
        raise InvalidInput(
            f"heights is {cuts.tolist()}; from the top level down it must never rise"
        )
    highest = _max_heights(merges)
    return [highest <= cut for cut in cuts]


def _max_heights(merges: Floats) -> Floats:
    """Return the greatest height within each cluster: some methods are not monotone."""
    heights = [0.0] * (len(merges) + 1)
    for a, b, height in zip(*merges[:, :3].T.tolist(), strict=True):
        heights.append(max(height, heights[int(a)], heights[int(b)]))
    return np.array(heights[len(merges) + 1 :])


def _label_clusters(merges: Floats, applied: Mask) -> NDArray[np.int32]:
    """Return the cluster of each item after some of the merges."""
    n = len(merges) + 1
    children = merges[applied, :2].astype(np.int64).ravel()
    parents = n + np.repeat(np.flatnonzero(applied), 2)
    edges = coo_array((np.ones(len(parents)), (children, parents)), shape=(2 * n - 1, 2 * n - 1))
    labels: NDArray[np.int32] = connected_components(edges, directed=False)[1][:n]
    return labels
