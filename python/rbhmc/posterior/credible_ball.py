"""How far the posterior spreads around a tree."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput, overlaps
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks, first_by_labels
from rbhmc.posterior.selection import Loss, check_loss
from rbhmc.tree import Tree
from rbhmc.tree.labels import Labels

Floats = NDArray[np.float64]

# Equal distances must stay equal, whatever rounding makes of them.
DECIMALS = 9


@dataclass(frozen=True, eq=False, repr=False)
class CredibleBall:
    """The draws that are closest to a tree, as many as hold a given probability.

    Attributes
    ----------
    tree : Tree
        The centre.
    probability : float
        What was asked for.
    loss : {"vi", "binder"}
        The distance.
    radius : float
        The largest distance of a draw in the ball.
    distances : array of shape (n_chains, n_draws)
        Of each draw from the tree.
    inside : array of bool of shape (n_chains, n_draws)
        Which draws are in the ball.
    coarsest, finest : Tree
        The vertical bounds: of the draws in the ball, that with the fewest nodes, all levels
        together, and that with the most; of several of these the most distant.
    farthest : Tree
        The horizontal bound: the most distant draw in the ball.
    """

    tree: Tree
    probability: float
    loss: Loss
    radius: float
    distances: Floats
    inside: NDArray[np.bool_]
    coarsest: Tree
    finest: Tree
    farthest: Tree

    def __contains__(self, tree: Tree) -> bool:
        """Say whether a tree of the same items is as close as the draws in the ball."""
        TreeBlocks(self.tree.paths[None]).check_tree(tree)
        distance = distances(self.tree, TreeBlocks(tree.paths[None]), self.loss)
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
    """Find the smallest ball around a tree that holds a probability, and its bounds.

    The distance of two trees is the mean over levels of
    `rbhmc.metrics.variation_of_information`, in bits, or of `rbhmc.metrics.binder_loss`. The
    radius is the least for which at least the share `probability` of all draws is within it (Wade
    and Ghahramani 2018, Bayesian Analysis 13, section 4). The bounds say what is plausible: how
    coarse, how fine, how different the tree might be.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws.
    tree : Tree
        The centre, such as ``model.tree_``; with as many levels as the draws.
    probability : float
        Above 0, at most 1.
    loss : {"vi", "binder"}
        The distance.

    Returns
    -------
    CredibleBall
        Of bounds that are equally good, the one with the lowest labels is given, whatever the
        order of the draws.

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
        raise InvalidInput(f"probability is {probability}; it must be above 0, and at most 1")
    blocks = TreeBlocks(draws)
    blocks.check_tree(tree)
    away = distances(tree, blocks, loss)
    n_inside = int(np.ceil(round(probability * away.size, 6)))
    radius = float(np.sort(away, axis=None)[n_inside - 1])
    inside = away <= radius
    bounds = _bounds(blocks, tree, away, inside)
    return CredibleBall(tree, probability, loss, radius, away, inside, *bounds)


def distances(tree: Tree, blocks: TreeBlocks, loss: Loss) -> Floats:
    """Measure the distance of each draw from a tree: (chain, draw).

    With n_z, n_w and n_zw items in a node of the tree, of the draw, and in both, at each level

        N · VI = Σ_z n_z log n_z + Σ_w n_w log n_w - 2 Σ_zw n_zw log n_zw,

    and N(N-1) · binder is the same with n² in the place of n log n.

    Examples
    --------
    >>> distances(Tree.from_labels([[0], [0]]), TreeBlocks([[[0], [1]], [[0], [0]]]), "vi")
    array([[1., 0.]])
    """
    n = blocks.n_items
    which, scale = (0, n) if loss == "vi" else (1, max(1, n * (n - 1)))
    one = np.zeros((1, n), np.int32)
    away = np.zeros((blocks.n_chains, blocks.n_draws))
    for block in blocks.read():
        for level in range(blocks.n_levels):
            own = np.ascontiguousarray(tree.paths[:, level])[None]
            of_draws = np.ascontiguousarray(block.trees[:, level])
            sums = overlaps(np.concatenate([one, own]), of_draws)[which]
            of_tree = overlaps(one, own)[which][0, 0]
            away[block.chain, block.draws] += of_tree + sums[0] - 2.0 * sums[1]
    # Adding 0 turns -0 into 0.
    rounded: Floats = (away / (scale * blocks.n_levels)).round(DECIMALS) + 0.0
    return rounded


def _bounds(
    blocks: TreeBlocks, tree: Tree, away: Floats, inside: NDArray[np.bool_]
) -> tuple[Tree, Tree, Tree]:
    n_nodes = np.zeros(away.shape, np.int64)
    for block in blocks.read():
        n_nodes[block.chain, block.draws] = (block.trees.max(axis=2) + 1).sum(axis=1)
    wanted = []
    for best in (n_nodes[inside].min(), n_nodes[inside].max(), None):
        among = inside if best is None else inside & (n_nodes == best)
        wanted.append(among & (away == away[among].max()))
    found: list[Labels | None] = [None, None, None]
    for block in blocks.read():
        for place, mask in enumerate(wanted):
            trees = block.trees[mask[block.chain, block.draws]]
            before = found[place]
            if before is not None:
                trees = np.concatenate([trees, before[None]])
            if len(trees):
                found[place] = first_by_labels(trees)
    coarsest, finest, farthest = (
        Tree.from_labels(each.T, names=tree.names) for each in found if each is not None
    )
    return coarsest, finest, farthest
