"""Consensus trees: the clades that most draws have in common."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.support import Clade, Items, find_clades
from rbhmc.tree import Tree

MAJORITY = 0.5
GREEDY_THRESHOLD = 0.05


def consensus(
    draws: Draws | ArrayLike, *, threshold: float | None = None, greedy: bool = False
) -> Tree:
    """Build the majority-rule consensus tree: the sets of items that are a node in most draws.

    Two sets that are nodes in more than half of the draws are both nodes of at least one draw, and
    are thus compatible: one tree contains all of them and nothing else. If the draws disagree,
    the tree is unresolved: items of a node that are in none of its child clades become children
    one by one.

    With `greedy`, less frequent sets follow, the most frequent first, as long as they are
    compatible with those taken before (extended majority rule). Ties are ordered by size, the
    largest first, and then by first item.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        All draws of all chains have equal weight.
    threshold : float, optional
        The share of draws, at any level, above which a set is taken. The default is 0.5, or 0.05
        with `greedy`. It may be below 0.5 only with `greedy`.
    greedy : bool
        Whether to take sets that are nodes in half of the draws or fewer.

    Returns
    -------
    Tree
        Its levels are depths, so it may have more or fewer levels than the draws. The support of a
        node is the share of draws that have it; single items that are not clades have none.

    Examples
    --------
    >>> draws = [
    ...     [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]],
    ...     [[0, 0], [0, 0], [0, 1], [1, 2], [1, 3]],
    ...     [[0, 0], [0, 1], [0, 1], [0, 2], [0, 2]],
    ... ]
    >>> tree = consensus(draws)
    >>> [node.items.tolist() for node in tree]
    [[0, 1, 2, 3, 4], [0, 1, 2], [0, 1], [2], [3, 4]]
    >>> [(node.id, round(node.support, 2)) for node in tree]
    [('root', 1.0), ('1', 0.67), ('1.1', 0.67), ('1.2', 0.67), ('2', 1.0)]
    """
    if threshold is None:
        threshold = GREEDY_THRESHOLD if greedy else MAJORITY
    if not 0.0 <= threshold < 1.0 or (threshold < MAJORITY and not greedy):
        raise InvalidInput(
            f"threshold is {threshold}; it must be from 0.5 to below 1, or with greedy=True from 0"
        )
    blocks = TreeBlocks(draws)
    clades = find_clades(blocks, threshold)
    if threshold < MAJORITY:
        clades = take_compatible(clades, blocks.n_items)
    paths = nest_clades((clade.items for clade in clades), blocks.n_items)
    tree = Tree.from_labels(paths, names=blocks.names)
    shares = {clade.items.tobytes(): clade.n_draws / blocks.n_all for clade in clades}
    supports = {node.id: shares.get(node.items.tobytes()) for node in tree.nodes}
    known = {id: share for id, share in supports.items() if share is not None}
    return tree.with_support(known | {"root": 1.0})


def take_compatible(clades: Iterable[Clade], n_items: int) -> list[Clade]:
    """Take clades in order, skipping each that is incompatible with one taken before.

    Two clades are compatible if they are disjoint or one contains the other.

    Examples
    --------
    >>> clades = [Clade(np.array(items), 1) for items in ([0, 1], [1, 2], [0, 1, 2])]
    >>> [clade.items.tolist() for clade in take_compatible(clades, 4)]
    [[0, 1], [0, 1, 2]]
    """
    taken: list[Clade] = []
    masks: list[int] = []
    for clade in clades:
        bits = np.zeros(n_items, np.bool_)
        bits[clade.items] = True
        mask = int.from_bytes(np.packbits(bits).tobytes())
        if all(mask & other in (0, mask, other) for other in masks):
            taken.append(clade)
            masks.append(mask)
    return taken


def nest_clades(clades: Iterable[Items], n_items: int) -> NDArray[np.int32]:
    """Return the paths of the tree that consists of compatible clades.

    The levels are depths. A clade without a clade inside it is a leaf. Items of another clade that
    are in no clade inside it are leaves of their own.

    Returns
    -------
    array of shape (n_items, n_levels)

    Examples
    --------
    >>> nest_clades([np.array([0, 1]), np.array([0, 1, 2])], 5)
    array([[1, 2],
           [1, 2],
           [1, 3],
           [4, 4],
           [5, 5]], dtype=int32)
    """
    nodes = sorted(clades, key=lambda items: (-len(items), items.tolist()))
    lowest = np.zeros(n_items, np.intp)  # the smallest clade of each item so far; 0 is the root
    depth = [0]
    inner = set()
    for number, items in enumerate(nodes, start=1):
        parent = int(lowest[items[0]])
        inner.add(parent)
        depth.append(depth[parent] + 1)
        lowest[items] = number
    for item in range(n_items):
        if int(lowest[item]) in inner:
            nodes.append(np.array([item]))
            depth.append(depth[lowest[item]] + 1)
    paths = np.zeros((n_items, max(1, *depth)), np.int32)
    for number, items in enumerate(nodes, start=1):
        paths[items, depth[number] - 1 :] = number
    return paths
