"""Trees to and from SciPy's linkage matrices."""

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


def merges_of(tree: Hierarchy) -> NDArray[np.float64]:
    """Join the parts of each node, from the lowest level to the root; see `Tree.to_linkage`.

    The two smallest parts of a node are joined until one is left, which is Huffman's code with
    sizes for weights: a part with a share p of its node is about log(1/p) merges deep. Shares
    multiply along a path, so that no item is deeper than about 1.44 log₂(n_items) + n_levels.
    """
    n = tree.n_items
    if n < 2:
        raise InvalidInput("a linkage matrix needs at least two items; the tree has one")
    rows: list[tuple[int, int, int, int]] = []
    # The clusters so far of each node, as (size, number), filled from the lowest level up.
    parts: dict[str, list[tuple[int, int]]] = {
        leaf.id: [(1, item) for item in leaf.items.tolist()] for leaf in tree.leaves
    }
    for height, ids in _joins(tree):
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


def _joins(tree: Hierarchy) -> list[tuple[int, list[str]]]:
    """Heights, ascending, each with the nodes whose parts are joined at it."""
    joins: list[list[str]] = [[] for _ in range(tree.n_levels + 1)]
    for node in tree.nodes:
        joins[tree.n_levels - tree.level_range(node)[1]].append(node.id)
    return list(enumerate(joins, start=1))


def paths_of(
    Z: ArrayLike, n_clusters: Sequence[int] | None, heights: Sequence[float] | None
) -> NDArray[np.int32]:
    """Cut a linkage matrix once for each level; see `Tree.from_linkage`."""
    merges = check_numbers(Z, "Z", ("n_items - 1", 4))
    if not is_valid_linkage(merges):
        raise InvalidInput(
            "Z is not a valid linkage matrix; use scipy.cluster.hierarchy.linkage to make one"
        )
    if n_clusters is not None and heights is None:
        done = _first_merges(n_clusters, len(merges) + 1)
    elif heights is not None and n_clusters is None:
        done = _low_merges(heights, merges)
    else:
        raise InvalidInput("give either n_clusters_per_level or heights, and not both")
    return np.stack([_components(merges, mask) for mask in done], axis=1)


def _first_merges(n_clusters: Sequence[int], n_items: int) -> list[NDArray[np.bool_]]:
    """Say for each level which merges leave its number of clusters."""
    counts = check_array(n_clusters, "n_clusters_per_level")
    if counts.ndim != 1 or len(counts) == 0 or counts.dtype.kind not in "iu":
        raise InvalidInput("n_clusters_per_level must hold a whole number for each level")
    if (counts[1:] < counts[:-1]).any() or counts[0] < 1 or counts[-1] > n_items:
        raise InvalidInput(
            f"n_clusters_per_level is {counts.tolist()}; from the top level down it must go from 1 "
            f"or more to {n_items} or fewer, and never fall"
        )
    return [np.arange(n_items - 1) < n_items - count for count in counts.tolist()]


def _low_merges(heights: Sequence[float], merges: NDArray[np.float64]) -> list[NDArray[np.bool_]]:
    """Say for each level which merges are at or below its height."""
    cuts = check_array(heights, "heights")
    if cuts.ndim != 1 or len(cuts) == 0 or cuts.dtype.kind not in "fiu" or np.isnan(cuts).any():
        raise InvalidInput("heights must hold a number for each level")
    if (cuts[1:] > cuts[:-1]).any():
        raise InvalidInput(
            f"heights is {cuts.tolist()}; from the top level down it must never rise"
        )
    reached = _heights_reached(merges)
    return [reached <= cut for cut in cuts]


def _heights_reached(merges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Find the greatest height within each cluster: heights can fall with some methods."""
    heights = [0.0] * (len(merges) + 1)
    for a, b, height in zip(*merges[:, :3].T.tolist(), strict=True):
        heights.append(max(height, heights[int(a)], heights[int(b)]))
    return np.array(heights[len(merges) + 1 :])


def _components(merges: NDArray[np.float64], done: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Find the cluster of each item after some of the merges."""
    n = len(merges) + 1
    children = merges[done, :2].astype(np.int64).ravel()
    parents = n + np.repeat(np.flatnonzero(done), 2)
    edges = coo_array((np.ones(len(parents)), (children, parents)), shape=(2 * n - 1, 2 * n - 1))
    labels: NDArray[np.int32] = connected_components(edges, directed=False)[1][:n]
    return labels
