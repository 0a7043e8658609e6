"""How certain the place of each item is: its similarity to its own and to the next best group.

For a tree that is one of the draws, also the entropy of its path, and its co-clustering share.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from rbhmc._checks import check_level
from rbhmc._core import InvalidInput, add_shared_items, match_nodes, sum_coclustered
from rbhmc._extras import require
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.attach import BLOCK_SIMILARITIES, MAX_SUM
from rbhmc.posterior.similarity import read_items
from rbhmc.tree import Node, Tree

Floats = NDArray[np.float64]

MAX_PRINTED_ROWS = 20

# Rounding makes entropies equal that differ only by floating-point error.
ENTROPY_DECIMALS = 9


class GroupSimilarity(NamedTuple):
    """The mean similarity of each item to its own group, and to the next best one.

    Attributes
    ----------
    own : array of shape (n_items,)
        The mean similarity to the other items of its group; 1 for an item that is alone.
    other : array of shape (n_items,)
        The position of the group, not its own, to which it is most similar; -1 if there is none.
    other_similarity : array of shape (n_items,)
        The mean similarity to the items of that group; 0 if there is none.
    """

    own: Floats
    other: NDArray[np.intp]
    other_similarity: Floats

    @property
    def uncertainty(self) -> Floats:
        """The ratio of the second similarity to the first, at most 1.

        It is one minus the silhouette width (Rousseeuw 1987) if the item is more similar to its own
        group: near 0 if the item is clearly in its group, 1 if it could as well be in the other.
        """
        known = np.maximum(self.own, np.finfo(np.float64).tiny)
        ratio: Floats = np.minimum(self.other_similarity / known, 1.0)
        return ratio


def group_similarity(draws: Draws | ArrayLike, groups: Sequence[Node]) -> GroupSimilarity:
    """Compare each item's similarity to its own group with that to the next best group.

    The similarity of two items is the share of draws, levels and components that they have in
    common, see `rbhmc.posterior.similarity`; memory grows with items times groups, not with pairs.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws.
    groups : sequence of Node
        Nodes that together hold every item once, such as ``model.tree_.clusters``.

    Examples
    --------
    >>> one, other = [[0], [0], [0], [1], [1]], [[0], [0], [1], [1], [1]]
    >>> tree = Tree.from_labels(one)
    >>> found = group_similarity([one, other, one, one], tree.leaves)
    >>> found.own, found.other
    (array([0.875, 0.875, 0.75 , 1.   , 1.   ]), array([1, 1, 1, 0, 0]))
    >>> found.other_similarity.round(2)
    array([0.  , 0.  , 0.25, 0.08, 0.08])
    """
    blocks = TreeBlocks(draws)
    n_items = blocks.n_items
    sizes = np.array([group.size for group in groups])
    items = np.concatenate([group.items for group in groups])
    if not np.array_equal(np.sort(items), np.arange(n_items)):
        raise InvalidInput(
            f"groups are {len(groups)} nodes with {len(items)} items; they must hold each of the "
            f"{n_items} items of the draws once, as tree.clusters and tree.leaves do"
        )
    home = np.empty(n_items, np.intp)
    home[items] = np.repeat(np.arange(len(groups)), sizes)
    every = blocks.thinning(MAX_SUM // (n_items * (blocks.n_levels + 1)) - 1)
    # Node 0 is the root, the others are the groups.
    tree = (np.arange(n_items), home + 1, np.zeros(len(groups) + 1, np.intp))
    size = max(1, BLOCK_SIMILARITIES // (len(groups) + 1))
    parts = []
    for start in range(0, n_items, size):
        targets = np.arange(start, min(start + size, n_items))
        sums = np.zeros((len(targets), len(groups) + 1), np.uint32)
        n_all = 0
        for block in read_items(draws, every=every):
            for labels in block:
                if labels is not None:  # arrays of paths have no components
                    add_shared_items(tree, targets, labels, sums)
                    n_all += labels.shape[0] * labels.shape[1]
        parts.append(_compare_groups(sums[:, 1:], home[targets], sizes, n_all))
    return GroupSimilarity(*map(np.concatenate, zip(*parts, strict=True)))


def _compare_groups(
    sums: NDArray[np.uint32], home: NDArray[np.intp], sizes: NDArray[np.intp], n_all: int
) -> GroupSimilarity:
    """Divide the sums over the items of each group, and find the own and the next best group."""
    rows = np.arange(len(home))
    n_others = sizes[home] - 1
    # Every item is always together with itself.
    with_others = sums[rows, home].astype(np.int64) - n_all
    own = np.where(n_others > 0, with_others / (np.maximum(n_others, 1) * n_all), 1.0)
    if len(sizes) == 1:
        return GroupSimilarity(own, np.full(len(home), -1), np.zeros(len(home)))
    means = sums / (sizes * n_all)
    means[rows, home] = -1.0
    other = means.argmax(axis=1)
    return GroupSimilarity(own, other, means[rows, other])


class UnstableItem(NamedTuple):
    """An item and the nodes that it alternates between.

    Attributes
    ----------
    item : int
        Its index.
    name : str
        Its name.
    entropy : float
        The entropy of its node in bits: the mean over levels, or at one level.
    level : int
        The level that the following nodes are about: the one with the largest entropy.
    home : str
        Its node in the tree at that level.
    home_share : float
        The share of draws in which it is in that node.
    other : str or None
        The node that it is in second most often; None if it is always in its own.
    other_share : float
        The share of draws in which it is in the other node.
    """

    item: int
    name: str
    entropy: float
    level: int
    home: str
    home_share: float
    other: str | None
    other_share: float


@dataclass(frozen=True, eq=False, repr=False)
class UnstableItems:
    """The items ranked by the entropy of their path; `print` it to see the first of them.

    Attributes
    ----------
    rows : tuple of UnstableItem
        All items: the largest mean entropy first, ties by index.
    entropy : array of shape (n_items, n_levels)
        The entropy in bits of each item's node at each level.
    tree : Tree
        The tree whose nodes are meant.
    node_shares : tuple of arrays of shape (n_items, n_nodes)
        For each level the share of draws in which each item is in each of `tree.nodes_at(level)`.
    """

    rows: tuple[UnstableItem, ...]
    entropy: Floats
    tree: Tree
    node_shares: tuple[Floats, ...]

    def at_level(self, level: int) -> tuple[UnstableItem, ...]:
        """Rank the items by their entropy at one level.

        Parameters
        ----------
        level : int
            1 … n_levels, or -1 … -n_levels from the leaves.

        Examples
        --------
        >>> one, other = [[0], [0], [0], [1]], [[0], [0], [1], [1]]
        >>> found = unstable_items([one, other, one, one], Tree.from_labels(one))
        >>> found.at_level(1)[0]
        UnstableItem(item=2, ..., home='1', home_share=0.75, other='2', other_share=0.25)
        """
        at = check_level(level, self.tree.n_levels)
        order = np.argsort(-self.entropy[:, at - 1], kind="stable").tolist()
        return tuple(_rows(self.tree, self.entropy, self.node_shares, ((i, at) for i in order)))

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row for each item and a column for each level."""
        pandas = require("pandas", "frames")
        frame = pandas.DataFrame(self.rows, columns=UnstableItem._fields)
        for level, entropy in enumerate(self.entropy[frame["item"]].T, start=1):
            frame[f"level {level}"] = entropy
        return frame

    def __str__(self) -> str:
        unstable = [row for row in self.rows if row.entropy > 0.0]
        shown = unstable[:MAX_PRINTED_ROWS]
        width = max((len(row.name) for row in shown), default=0)
        lines = [
            f"{row.name:<{width}}  {row.entropy:.2f} bits  level {row.level}: "
            f"{row.home} {row.home_share:.0%}, {row.other} {row.other_share:.0%}"
            for row in shown
        ]
        if len(unstable) > len(shown):
            lines.append(f"+{len(unstable) - len(shown)} more")
        n_stable = len(self.rows) - len(unstable)
        lines.append(f"{n_stable} of {len(self.rows)} items are in the same node in every draw")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"UnstableItems({len(self.rows)} items, {self.entropy.mean():.3g} bits on average)"


def unstable_items(draws: Draws | ArrayLike, tree: Tree) -> UnstableItems:
    """Rank the items by how uncertain their path through a tree is.

    At each level every node of a draw is matched to the node of the tree with the largest Jaccard
    overlap; ties go to the first node in the tree. With p_z the share of draws in which the item's
    node is matched to z, the item's entropy at that level is

        H = - Σ_z p_z log2 p_z bits,

    which is 0 if the item is always in the same node, and log2 k if it is equally often in each of
    k nodes. Each node has a unique path, so this is also the entropy of the path to that level.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws.
    tree : Tree
        The tree to match with, with as many levels as the draws, such as ``tree_`` of a model with
        ``select="vi"``.

    Returns
    -------
    UnstableItems
        One row for each item, ranked by the mean over levels.

    Examples
    --------
    >>> one, other = [[0], [0], [0], [1], [1]], [[0], [0], [1], [1], [1]]
    >>> tree = Tree.from_labels(one, names=["ant", "bee", "cat", "dog", "elk"])
    >>> print(unstable_items([one, other, one, one], tree))
    cat  0.81 bits  level 1: 1 75%, 2 25%
    4 of 5 items are in the same node in every draw
    """
    blocks = TreeBlocks(draws)
    blocks.check_tree(tree)
    nodes = np.stack([_node_numbers(tree, level) for level in range(1, tree.n_levels + 1)])
    counts = [np.zeros((tree.n_items, int(level.max()) + 1), np.int32) for level in nodes]
    for block in blocks.read():
        matched = match_nodes(nodes, block.trees)
        for level, count in enumerate(counts):
            cell = matched[:, level] + np.arange(tree.n_items) * count.shape[1]
            count += np.bincount(cell.ravel(), minlength=count.size).reshape(count.shape)
    shares = tuple(count / blocks.n_all for count in counts)
    entropy = np.stack([_entropy(share) for share in shares], axis=1)
    mean = entropy.mean(axis=1).round(ENTROPY_DECIMALS)
    order = np.argsort(-mean, kind="stable").tolist()
    worst = entropy.argmax(axis=1) + 1
    rows = _rows(tree, entropy, shares, ((item, int(worst[item])) for item in order))
    ranked = tuple(row._replace(entropy=float(mean[row.item])) for row in rows)
    return UnstableItems(ranked, entropy, tree, shares)


def coclustering_share(draws: Draws | ArrayLike, tree: Tree) -> Floats:
    """Return how often each item is together with the items that share its node.

    For an item that shares its node with others: the mean over these of the share of draws in
    which the two are together at that level. For an item alone in its node: the share of draws in
    which it is alone. Memory grows with the number of items, not of pairs.

    Parameters
    ----------
    draws, tree
        As for `unstable_items`.

    Returns
    -------
    array of shape (n_items, n_levels)

    Examples
    --------
    >>> draws = np.array([[0, 0, 0, 1], [0, 0, 1, 2], [0, 1, 1, 1], [0, 0, 0, 1]])[..., None]
    >>> coclustering_share(draws, Tree.from_labels([[0], [0], [0], [1]])).T
    array([[0.625, 0.75 , 0.625, 0.75 ]])
    """
    blocks = TreeBlocks(draws)
    blocks.check_tree(tree)
    labels = np.ascontiguousarray(tree.paths.T)[None]
    sizes = np.stack([np.bincount(level)[level] for level in labels[0]])
    n_together = np.zeros(labels.shape, np.uint64)
    n_alone = np.zeros(sizes.shape, np.int64)
    for block in blocks.read():
        sum_coclustered(labels, block.trees, n_together)
        for level in np.flatnonzero((sizes == 1).any(axis=1)):
            alone = np.flatnonzero(sizes[level] == 1)
            drawn = block.trees[:, level] + np.arange(len(block.trees))[:, None] * blocks.n_items
            n_alone[level, alone] += (np.bincount(drawn.ravel())[drawn[:, alone]] == 1).sum(axis=0)
    # Every item is always together with itself.
    n_others = n_together[0].astype(np.int64) - blocks.n_all
    counts = np.where(sizes > 1, n_others, n_alone)
    shares: Floats = (counts / (blocks.n_all * np.maximum(sizes - 1, 1))).T
    return shares


def _node_numbers(tree: Tree, level: int) -> NDArray[np.int32]:
    """Return the position of each item's node in `tree.nodes_at(level)`."""
    numbers = np.empty(tree.n_items, np.int32)
    for number, node in enumerate(tree.nodes_at(level)):
        numbers[node.items] = number
    return numbers


def _rows(
    tree: Tree, entropy: Floats, shares: tuple[Floats, ...], places: Iterable[tuple[int, int]]
) -> Iterable[UnstableItem]:
    """Describe items, each at one level."""
    levels = range(1, tree.n_levels + 1)
    ids_by_level = [[node.id for node in tree.nodes_at(level)] for level in levels]
    homes = [_node_numbers(tree, level) for level in levels]
    for item, level in places:
        ids, home = ids_by_level[level - 1], int(homes[level - 1][item])
        elsewhere = shares[level - 1][item].copy()
        elsewhere[home] = 0.0
        other = int(elsewhere.argmax())
        yield UnstableItem(
            item,
            tree.names[item],
            float(entropy[item, level - 1]),
            level,
            ids[home],
            float(shares[level - 1][item, home]),
            ids[other] if elsewhere[other] > 0.0 else None,
            float(elsewhere[other]),
        )


def _entropy(shares: Floats) -> Floats:
    """Return the entropy of each row in bits."""
    bits: Floats = -special.xlogy(shares, shares).sum(axis=1) / np.log(2.0)
    # Adding 0 turns -0 into 0.
    return bits.round(ENTROPY_DECIMALS) + 0.0
