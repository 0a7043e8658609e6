"""The tree of least expected loss, among the draws and beyond them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput, descend, tree_costs
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks, first_by_labels
from rbhmc.metrics.pairs import pair_counts
from rbhmc.posterior.consensus import consensus
from rbhmc.posterior.selection import Loss, check_loss
from rbhmc.tree import Tree
from rbhmc.tree.labels import Labels, as_labels

# Items of which every pair can be counted at every level.
LARGE = 2_000

# Costs are sums over items and levels, of which rounding disturbs less than this.
TOLERANCE = 1e-6


def minimum_loss_tree(draws: Draws | ArrayLike, *, loss: Loss = "vi") -> Tree:
    """Search for the tree of least `rbhmc.posterior.selection.expected_loss`, averaged over levels.

    The draw of least expected loss, found by `rbhmc.posterior.selection.select`, is one of the few
    that were drawn. The search starts from it, and from the consensus of the draws, and goes
    downhill: an item takes another path or a new branch, a node moves with all that is below it,
    siblings become one, a leaf becomes two; every move that lowers the loss is made, until there
    is none. The better of the two ends is returned. It is never worse than any draw, and need not
    be the best of all trees.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        At most 2,000 items: every pair of them is counted at every level.
    loss : {"vi", "binder"}
        Which loss.

    Returns
    -------
    Tree
        With as many levels as the draws have. The draws are read four times.

    Examples
    --------
    Each draw has one item astray, so that the tree behind them is none of them:

    >>> draws = [[[0], [0], [0], [1], [1], [1]] for _ in range(6)]
    >>> for item in range(6):
    ...     draws[item][item] = [2]
    >>> print(minimum_loss_tree(draws))
    6 items
    ├─ 0, 1, 2
    └─ 3, 4, 5
    """
    check_loss(loss)
    blocks = TreeBlocks(draws)
    if blocks.n_items > LARGE:
        raise InvalidInput(
            f"there are {blocks.n_items:,} items; the search counts every pair of them, and is "
            f"made for at most {LARGE:,}: rbhmc.posterior.selection.select takes more"
        )
    counts = pair_counts(blocks, range(blocks.n_levels))
    starts = (best_draw(blocks, counts, loss), cut(consensus(draws), blocks.n_levels))
    ends = [descend(start, counts, blocks.n_all, loss) for start in starts]
    (tree, cost), (other, other_cost) = ends
    best = other if other_cost < cost - TOLERANCE else tree
    return Tree.from_labels(best.T, names=blocks.names)


def best_draw(blocks: TreeBlocks, counts: NDArray[np.uint32], loss: Loss) -> Labels:
    """Find the draw of least expected loss, as (level, item).

    Examples
    --------
    >>> blocks = TreeBlocks([[[0], [0], [1]], [[0], [1], [1]], [[0], [0], [1]]])
    >>> best_draw(blocks, pair_counts(blocks, [0]), "vi")
    array([[0, 0, 1]], dtype=int32)
    """
    least, best = np.inf, np.empty((0, 0), np.int32)
    for block in blocks.read():
        costs = tree_costs(block.trees, counts, blocks.n_all, loss)
        lowest = float(costs.min())
        if lowest > least + TOLERANCE:
            continue
        found = block.trees[costs <= lowest + TOLERANCE]
        if lowest >= least - TOLERANCE:
            found = np.concatenate([found, best[None]])
        least, best = min(least, lowest), first_by_labels(found)
    return best


def cut(tree: Tree, n_levels: int) -> Labels:
    """Give a tree so many levels, as (level, item): the lowest are left out, or the last repeated.

    Examples
    --------
    >>> cut(Tree.from_labels([[0, 0], [0, 1]]), 1), cut(Tree.from_labels([[0], [1]]), 2)
    (array([[0, 0]], dtype=int32), array([[0, 1],
           [0, 1]], dtype=int32))
    """
    levels = np.minimum(np.arange(n_levels), tree.n_levels - 1)
    return as_labels(tree.paths[:, levels])
