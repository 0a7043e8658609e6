"""The nodes of a dendrogram that are presented, and the tree that they form.

The clusters are always presented. Above and below them a node is presented if its nested support,
relative to the smallest presented node that holds it, is high enough; otherwise its children become
children of that node. A single item below the clusters is presented if it is alone in most draws.
Items of a node with children that are in none of these form one leaf, the remainder.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc.posterior.dendrogram import Dendrogram
from rbhmc.posterior.support import nested_support

Ints = NDArray[np.intp]

# The least nested support of a node above and below the clusters. On six Gaussian groups, nested
# two by three, the two pairs of groups have 0.48 and more, and other unions of groups 0.42 at most;
# a group inside a cluster has 0.35 and more, and other sets of its size 0.03 at most.
MIN_SUPPORT_ABOVE = 0.45
MIN_SUPPORT_BELOW = 0.3

# The least share of draws in which an item below the clusters is alone in a node.
MIN_SHARE_ALONE = 0.95


class PresentedTree(NamedTuple):
    """A tree over items, its nodes in an order in which parents come before their children.

    Attributes
    ----------
    parents : array of shape (n_nodes,)
        The parent of each node; -1 for node 0, the root.
    leaves : array of shape (n_items,)
        The leaf of each item.
    entries : array of shape (n_nodes,)
        The entry of the dendrogram that is this node; for a remainder, the entry of its parent.
    is_remainder : array of shape (n_nodes,)
        Whether the node is a remainder.
    """

    parents: Ints
    leaves: Ints
    entries: Ints
    is_remainder: NDArray[np.bool_]


def select_nodes(
    tree: Dendrogram,
    is_cluster: NDArray[np.bool_],
    distances: NDArray[np.uint32],
    share_alone: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Return whether each entry of a dendrogram is presented.

    Parameters
    ----------
    tree : Dendrogram
        The dendrogram.
    is_cluster : array of shape (n_items + n_nodes,)
        Whether an entry is a cluster.
    distances : array of shape (n_draws, n_nodes)
        The transfer distances of its nodes.
    share_alone : array of shape (n_items,)
        The share of draws in which each item is alone in a node.
    """
    n_items, root = tree.n_items, len(tree.parents) - 1
    is_presented = is_cluster.copy()
    is_presented[root] = True
    lowest = np.arange(root + 1)  # the smallest presented entry that holds each entry
    is_below = np.zeros(root + 1, np.bool_)
    for entry in range(root - 1, -1, -1):
        above = tree.parents[entry]
        is_below[entry] = is_below[above] or is_cluster[above]
        if is_below[entry] and entry < n_items:
            is_presented[entry] = share_alone[entry] >= MIN_SHARE_ALONE
        elif not is_cluster[entry]:
            size, size_above = tree.sizes[[entry]], tree.sizes[[lowest[above]]]
            nested = nested_support(distances[:, [entry - n_items]], size, size_above)[0]
            is_presented[entry] = nested >= (
                MIN_SUPPORT_BELOW if is_below[entry] else MIN_SUPPORT_ABOVE
            )
        lowest[entry] = entry if is_presented[entry] else lowest[above]
    return is_presented


def build_presented(tree: Dendrogram, is_presented: NDArray[np.bool_]) -> PresentedTree:
    """Return the tree of the presented entries, with the remainders as leaves.

    Examples
    --------
    >>> parents = np.array([4, 4, 5, 5, 5, -1], np.int32)  # {0, 1} in {0, 1, 2, 3}
    >>> tree = Dendrogram(np.empty((3, 4)), parents, np.zeros(6), np.array([1, 1, 1, 1, 2, 4]))
    >>> found = build_presented(tree, np.array([0, 0, 0, 0, 1, 1], np.bool_))
    >>> found.parents, found.leaves, found.is_remainder
    (array([-1,  0,  0]), array([1, 1, 2, 2]), array([False, False,  True]))
    """
    entries = np.flatnonzero(is_presented)[::-1]
    number = np.full(len(tree.parents), -1)
    number[entries] = np.arange(len(entries))
    lowest = number.copy()  # the smallest node that holds each entry
    for entry in range(len(number) - 2, -1, -1):
        if lowest[entry] < 0:
            lowest[entry] = lowest[tree.parents[entry]]
    parents = np.append(-1, lowest[tree.parents[entries[1:]]])
    leaves = lowest[: tree.n_items].copy()
    has_children = np.isin(np.arange(len(entries)), parents)
    # The items that stay directly in a node with children.
    with_rest = np.unique(leaves[has_children[leaves]])
    rest_of = np.full(len(entries), -1)
    rest_of[with_rest] = len(entries) + np.arange(len(with_rest))
    stays = has_children[leaves]
    leaves[stays] = rest_of[leaves[stays]]
    is_remainder = np.arange(len(entries) + len(with_rest)) >= len(entries)
    return PresentedTree(
        np.append(parents, with_rest), leaves, np.append(entries, entries[with_rest]), is_remainder
    )


def sort_nodes(tree: PresentedTree, leaves: Ints) -> tuple[PresentedTree, Ints, list[Ints]]:
    """Sort the nodes as `Tree.nodes`: parents first, siblings by size and first item.

    A remainder comes after its siblings.

    Parameters
    ----------
    tree : PresentedTree
        The tree, over all items or over a sample of them.
    leaves : array of shape (n_items,)
        The leaf of every item; these items decide about sizes.

    Returns
    -------
    tuple
        The tree, the leaves and the items of each node, in the new order.
    """
    n_nodes = len(tree.parents)
    parts: list[list[Ints]] = [[] for _ in range(n_nodes)]
    ends = np.cumsum(np.bincount(leaves, minlength=n_nodes))
    for leaf, members in enumerate(np.split(np.argsort(leaves, kind="stable"), ends[:-1])):
        node = leaf
        while len(members) and node >= 0:
            parts[node].append(members)
            node = int(tree.parents[node])
    items = [np.sort(np.concatenate(each)) for each in parts]
    children: list[list[int]] = [[] for _ in range(n_nodes)]
    keys = [
        (is_remainder, -len(members), members[0])
        for is_remainder, members in zip(tree.is_remainder.tolist(), items, strict=True)
    ]
    for node in sorted(range(1, n_nodes), key=keys.__getitem__):
        children[tree.parents[node]].append(node)
    order, stack = [], [0]
    while stack:
        order.append(stack.pop())
        stack += reversed(children[order[-1]])
    number = np.argsort(order)
    ordered = PresentedTree(
        np.append(-1, number[tree.parents[order[1:]]]),
        number[tree.leaves],
        tree.entries[order],
        tree.is_remainder[order],
    )
    return ordered, number[leaves], [items[node] for node in order]
