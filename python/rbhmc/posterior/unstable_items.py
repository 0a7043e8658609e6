"""Items that have no fixed place in the tree."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from rbhmc._core import matched_nodes
from rbhmc._extras import require
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.spans import nodes_at
from rbhmc.tree import Tree

Floats = NDArray[np.float64]

# Rows that are printed.
MOST = 20

# Equal entropies must stay equal, whatever rounding makes of them.
DECIMALS = 9


class UnstableItem(NamedTuple):
    """An item, and where it goes.

    Attributes
    ----------
    item : int
        Its index.
    name : str
    entropy : float
        Bits, as the mean over levels.
    levels : tuple of float
        Bits at each level.
    level : int
        The level at which it wanders most.
    home : str
        Its node there, and the share of draws in which it is in that one.
    home_share : float
    other : str or None
        The node there that it is in most often otherwise, and that share; None if it always stays.
    other_share : float
    """

    item: int
    name: str
    entropy: float
    levels: tuple[float, ...]
    level: int
    home: str
    home_share: float
    other: str | None
    other_share: float


@dataclass(frozen=True, eq=False, repr=False)
class UnstableItems:
    """The items by how much they wander; `print` it to see the first of them.

    Attributes
    ----------
    rows : tuple of UnstableItem
        All items, those with the largest entropy first, then by index.
    entropy : array of shape (n_items, n_levels)
        In bits, the items in their own order.
    """

    rows: tuple[UnstableItem, ...]
    entropy: Floats

    def to_pandas(self) -> Any:
        """Make a `pandas.DataFrame` with a row for each item and a column for each level."""
        pandas = require("pandas", "frames")
        frame = pandas.DataFrame(self.rows, columns=UnstableItem._fields)
        levels = [
            frame["levels"].str[level].rename(f"level {level + 1}")
            for level in range(self.entropy.shape[1])
        ]
        return pandas.concat([frame.drop(columns="levels"), *levels], axis=1)

    def __str__(self) -> str:
        moved = [row for row in self.rows if row.entropy > 0.0]
        width = max([len(row.name) for row in moved[:MOST]], default=0)
        lines = [
            f"{row.name:<{width}}  {row.entropy:.2f} bits  level {row.level}: "
            f"{row.home} {row.home_share:.0%}, {row.other} {row.other_share:.0%}"
            for row in moved[:MOST]
        ]
        if len(moved) > MOST:
            lines.append(f"+{len(moved) - MOST} more")
        n_fixed = len(self.rows) - len(moved)
        stay = f"{n_fixed} of {len(self.rows)} items are in the same node in every draw"
        return "\n".join([*lines, stay])

    def __repr__(self) -> str:
        return f"UnstableItems({len(self.rows)} items, {self.entropy.mean():.3g} bits on average)"


def unstable_items(draws: Draws | ArrayLike, tree: Tree) -> UnstableItems:
    """Rank the items by how unsure their path through a tree is.

    At each level every node of a draw takes the name of the node of the tree that it is most
    like, by Jaccard overlap; of equally good ones the first in the tree. With p_z the share of
    draws in which the item's node is called z, its entropy at that level is

        H = - Σ_z p_z log2 p_z bits,

    which is 0 where it is always in the same node, and log2 k where it is as often in each of k.
    A node has one path to it, so that this is the entropy of the path down to the level.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws.
    tree : Tree
        The tree whose nodes are meant, such as ``model.tree_``; with as many levels as the draws.

    Returns
    -------
    UnstableItems
        A row for each item, ranked by the mean over levels.

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
    levels = [nodes_at(tree, level) for level in range(1, tree.n_levels + 1)]
    places = np.stack([place for place, _ in levels])
    counts = [np.zeros((tree.n_items, len(ids)), np.int32) for _, ids in levels]
    for block in blocks.read():
        names = matched_nodes(places, block.trees)
        for level, count in enumerate(counts):
            cell = names[:, level] + np.arange(tree.n_items) * count.shape[1]
            count += np.bincount(cell.ravel(), minlength=count.size).reshape(count.shape)
    shares = [count / blocks.n_all for count in counts]
    entropy = np.stack([_entropy(share) for share in shares], axis=1)
    mean = entropy.mean(axis=1).round(DECIMALS)
    rows = []
    for item in np.argsort(-mean, kind="stable").tolist():
        level = int(entropy[item].argmax())
        ids, there = levels[level][1], shares[level][item].copy()
        home = int(places[level, item])
        at_home, there[home] = float(there[home]), -1.0
        other = int(there.argmax())
        away = max(0.0, float(there[other]))
        rows.append(
            UnstableItem(
                item,
                tree.names[item],
                float(mean[item]),
                tuple(entropy[item].tolist()),
                level + 1,
                ids[home],
                at_home,
                ids[other] if away > 0.0 else None,
                away,
            )
        )
    return UnstableItems(tuple(rows), entropy)


def _entropy(shares: Floats) -> Floats:
    # Adding 0 turns -0 into 0.
    bits: Floats = (-special.xlogy(shares, shares).sum(axis=1) / np.log(2.0)).round(DECIMALS) + 0.0
    return bits
