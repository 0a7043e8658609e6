"""The credible ball around a tree: how far the posterior spreads, and its bounds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput, compare_partitions
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.metrics.partitions import Loss, check_loss
from rbhmc.tree import Tree
from rbhmc.tree.labels import Labels

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Rounding makes distances equal that differ only by floating-point error.
DISTANCE_DECIMALS = 9


@dataclass(frozen=True, eq=False, repr=False)
class CredibleBall:
    """The draws closest to a tree that together have a given probability.

    Attributes
    ----------
    tree : Tree
        The centre.
    probability : float
        The probability that was asked for.
    loss : {"vi", "binder"}
        The distance.
    radius : float
        The largest distance of a draw in the ball.
    distances : array of shape (n_chains, n_draws)
        The distance of each draw from the centre.
    inside : array of bool of shape (n_chains, n_draws)
        Whether each draw is in the ball.
    coarsest, finest : Tree
        The vertical bounds: the draws in the ball with the fewest and with the most nodes over all
        levels; ties go to the most distant draw.
    farthest : Tree
        The horizontal bound: the most distant draw in the ball.
    """

    tree: Tree
    probability: float
    loss: Loss
    radius: float
    distances: Floats
    inside: Mask
    coarsest: Tree
    finest: Tree
    farthest: Tree

    def __contains__(self, tree: Tree) -> bool:
        """Return whether a tree of the same items is within the radius."""
        TreeBlocks(self.tree.paths[None]).check_tree(tree)
        distance = distances_from(self.tree, TreeBlocks(tree.paths[None]), self.loss)
        return bool(distance[0, 0] <= self.radius)

    def __repr__(self) -> str:
        unit = " bits" if self.loss == "vi" else ""
        n_leaves = [len(tree.leaves) for tree in (self.coarsest, self.tree, self.finest)]
        return (
            f"CredibleBall({self.inside.mean():.1%} of the draws within {self.radius:.3g}{unit}; "
            f"leaves {n_leaves[0]}, {n_leaves[1]}, {n_leaves[2]}: coarsest, centre, finest)"
        )


def credible_ball(
    draws: Draws | ArrayLike, tree: Tree, *, probability: float = 0.95, loss: Loss = "vi"
) -> CredibleBall:
    """Find the smallest ball around a tree that has a given probability, and its bounds.

    The distance of two trees is the mean over levels of
    `rbhmc.metrics.variation_of_information`, in bits, or of `rbhmc.metrics.binder_loss`. The
    radius is the smallest that at least the share `probability` of all draws is within (Wade and
    Ghahramani 2018, Bayesian Analysis 13, section 4). The bounds show which trees are plausible:
    how coarse, how fine, and how different they may be.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws.
    tree : Tree
        The centre, with as many levels as the draws, such as ``tree_`` of a model with
        ``select="vi"``.
    probability : float
        Above 0, at most 1.
    loss : {"vi", "binder"}
        The distance.

    Returns
    -------
    CredibleBall
        Ties between bounds are broken by their labels, so the order of the draws does not matter.

    Examples
    --------
    >>> together, apart = [[0], [0], [0]], [[0], [0], [1]]
    >>> ball = credible_ball([together] * 3 + [apart] * 7, Tree.from_labels(apart))
    >>> print(ball.coarsest)
    3 items
    └─ 0, 1, 2
    >>> ball.finest == ball.tree, round(ball.radius, 4)
    (True, 0.9183)
    >>> credible_ball([together] * 3 + [apart] * 7, ball.tree, probability=0.7).radius
    0.0
    """
    check_loss(loss)
    if not 0.0 < probability <= 1.0:
        raise InvalidInput(f"probability is {probability}; it must be above 0 and at most 1")
    blocks = TreeBlocks(draws)
    blocks.check_tree(tree)
    distances = distances_from(tree, blocks, loss)
    n_inside = int(np.ceil(round(probability * distances.size, 6)))
    radius = float(np.sort(distances, axis=None)[n_inside - 1])
    inside = distances <= radius
    bounds = _find_bounds(blocks, tree, distances, inside)
    return CredibleBall(tree, probability, loss, radius, distances, inside, *bounds)


def distances_from(tree: Tree, blocks: TreeBlocks, loss: Loss) -> Floats:
    """Return the distance of each draw from a tree, averaged over levels: (chain, draw)."""
    sums = np.zeros((blocks.n_chains, blocks.n_draws))
    centre = tree.paths.T[:, None]
    for block in blocks.read():
        for level, own in enumerate(centre):
            compared = compare_partitions(own, block.trees[:, level], loss)
            sums[block.chain, block.draws] += compared[0]
    # Adding 0 turns -0 into 0.
    return np.asarray((sums / blocks.n_levels).round(DISTANCE_DECIMALS) + 0.0)


def _find_bounds(
    blocks: TreeBlocks, tree: Tree, distances: Floats, inside: Mask
) -> tuple[Tree, Tree, Tree]:
    """Return the coarsest, the finest and the farthest draw in the ball."""
    n_nodes = np.zeros(distances.shape, np.int64)
    for block in blocks.read():
        n_nodes[block.chain, block.draws] = (block.trees.max(axis=2) + 1).sum(axis=1)
    fewest, most = n_nodes[inside].min(), n_nodes[inside].max()
    eligible = (inside & (n_nodes == fewest), inside & (n_nodes == most), inside)
    tied = [mask & (distances == distances[mask].max()) for mask in eligible]
    bounds: list[Labels | None] = [None, None, None]
    for block in blocks.read():
        for which, mask in enumerate(tied):
            trees = block.trees[mask[block.chain, block.draws]]
            before = bounds[which]
            if before is not None:
                trees = np.concatenate([trees, before[None]])
            if len(trees):
                # The smallest labels: this does not depend on the order of the draws.
                bounds[which] = min(trees, key=lambda labels: labels.tobytes())
    coarsest, finest, farthest = (
        Tree.from_labels(labels.T, names=tree.names) for labels in bounds if labels is not None
    )
    return coarsest, finest, farthest
