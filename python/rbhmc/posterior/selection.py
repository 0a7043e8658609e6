"""Selection of the draw to present: the most likely one, or the one of least expected loss.

The most likely draw may be atypical. A tree of least posterior expected loss agrees, pair by pair
of items, with the draws of all chains.
"""

import hashlib
import math
from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import (
    InvalidInput,
    compare_partitions,
    count_coclustered,
    expected_losses,
    expected_losses_from_sums,
    sum_coclustered,
)
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.metrics.partitions import Loss, check_loss
from rbhmc.tree.labels import Labels, as_labels

__all__ = ["expected_loss", "select"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Criterion = Literal["binder", "vi", "rcdll", "cdll"]

# The largest number of trees to try.
MAX_CANDIDATES = 2_000

# Up to this number of items, co-clustering counts of all pairs are kept in memory.
MAX_PAIRWISE_ITEMS = 2_000

# For more items: the budget of elementary steps (candidates · draws · items).
MAX_STEPS = 4_000_000_000

# Counting all pairs pays from one tree for this number of items.
ITEMS_PER_TREE = 64


def select(draws: Draws | ArrayLike, *, criterion: Criterion = "vi") -> tuple[int, int]:
    """Select the draw to present from the draws of all chains.

    - "rcdll", "cdll": the draw with the highest value, from `Draws`.
    - "binder", "vi": the draw of least `expected_loss` over the draws of all chains together,
      averaged over levels:

          selected = argmin over candidates t of  1/L Σ_ℓ E[ loss(t_ℓ, T_ℓ) | draws ].

      The candidates are the distinct trees among the draws. If there are more than 2,000, this
      number of them is taken, evenly spaced in order of first occurrence, including the first and
      the last; the expectation is still over all draws.

      For more than 2,000 items a matrix of all pairs would be too large. Trees are then compared
      one by one with exact losses, for as many candidates and draws, evenly spaced, as four billion
      steps allow: 1,000 candidates and 2,000 draws of 2,000 items, 100 and 400 of 100,000.

    Ties go to the earliest draw of the earliest chain.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (n_chains, n_draws, n_items, n_levels)
        Draws of trees; (n_draws, n_items, n_levels) is one chain.
    criterion : {"vi", "binder", "rcdll", "cdll"}
        The criterion.

    Returns
    -------
    chain, draw : int
        The position of the selected draw: ``draws.paths[chain, draw]``.

    Examples
    --------
    >>> select([[[0], [1], [1]], [[0], [0], [1]], [[0], [0], [1]]])
    (0, 1)
    """
    check_criterion(criterion)
    blocks = TreeBlocks(draws)
    if criterion == "rcdll" or criterion == "cdll":
        if not isinstance(draws, Draws):
            raise InvalidInput(
                f'criterion="{criterion}" needs Draws, such as model.draws_, and not an array'
            )
        scores = getattr(draws, criterion)
        if np.isnan(scores).any():
            raise InvalidInput(f"draws.{criterion} holds NaN; leave out the chains with NaN")
        best = int(np.argmax(scores))
    else:
        pairwise = blocks.n_items <= MAX_PAIRWISE_ITEMS
        losses_of = _losses_from_counts if pairwise else _losses_from_comparisons
        candidates, losses = losses_of(blocks, criterion)
        # Binder's sums are integers; equal sums of logarithms may differ by rounding.
        tolerance = 1e-12 if criterion == "vi" else 0.0
        best = int(candidates[np.flatnonzero(losses <= losses.min() + tolerance)[0]])
    chain, draw = divmod(best, blocks.n_draws)
    return chain, draw


def check_criterion(criterion: str) -> None:
    """Raise InvalidInput unless the criterion is known."""
    if criterion not in get_args(Criterion):
        raise InvalidInput(
            f'criterion is {criterion!r}; it must be "binder", "vi", "rcdll" or "cdll"'
        )


def expected_loss(
    trees: ArrayLike, draws: Draws | ArrayLike, *, loss: Loss = "binder"
) -> float | Floats:
    """Return the posterior expected loss of trees: their mean distance from the draws.

    It is the mean over levels. With P_ij the share of draws in which items i and j share the node
    at a level (`rbhmc.metrics.co_occurrence`), and t_i the node of i in the tree, at each level

    - "binder" is the expectation of `rbhmc.metrics.binder_loss`,

          E[binder(t, T)] = mean over pairs i < j of  P_ij + [t_i = t_j] (1 - 2 P_ij);

    - "vi" is a lower bound of the expectation of `rbhmc.metrics.variation_of_information`, in
      bits, by Jensen's inequality (Wade and Ghahramani 2018, Bayesian Analysis 13, equation 13):

          E[VI(t, T)] ≥ 1/N Σ_i ( log |t_i| + E log |T_i| - 2 log Σ_j P_ij [t_i = t_j] ),

      with ``|t_i|`` the number of items in the node of i. The bound is exact if all draws are
      equal, does not compare each tree with each draw, and may be negative.

    Parameters
    ----------
    trees : array of integers of shape (n_items, n_levels)
        One tree or several, (…, n_items, n_levels), with up to two leading dimensions. They need
        not be among the draws.
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws; several chains are pooled.
    loss : {"binder", "vi"}
        The loss.

    Returns
    -------
    float, or array of the leading dimensions of `trees`
        The expected loss of each tree. It costs O(n_items) steps for each tree and draw; or, for
        many trees of at most 2,000 items, O(n_items²) for each draw and then for each tree.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [1], [1]], [[0], [0], [1]], [[0], [0], [1]]]
    >>> expected_loss([[0], [0], [1]], draws)  # one draw in four differs, in two pairs of three
    0.16666666666666666
    """
    check_loss(loss)
    proposed = as_labels(trees, "trees")
    *shape, n_levels, n_items = proposed.shape
    blocks = TreeBlocks(draws)
    if (blocks.n_items, blocks.n_levels) != (n_items, n_levels):
        raise InvalidInput(
            f"draws has {blocks.n_items} items and {blocks.n_levels} levels; trees has {n_items} "
            f"items, {n_levels} levels; they must be equal"
        )
    flat = proposed.reshape(-1, n_levels, n_items)
    if n_items > MAX_PAIRWISE_ITEMS or len(flat) < n_items // ITEMS_PER_TREE:
        sums = np.zeros(flat.shape, np.uint64)
        for block in blocks.read():
            sum_coclustered(flat, block.trees, sums)
        costs = expected_losses_from_sums(flat, sums, blocks.n_all, loss)
    else:
        costs = expected_losses(flat, _count_pairs(blocks), blocks.n_all, loss)
    values = _losses_from_costs(costs, blocks, loss)
    return values.reshape(shape) if shape else float(values[0])


def _space_evenly(values: Ints, most: int) -> Ints:
    """Return at most `most` of the values, evenly spaced, including the first and the last."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).round().astype(np.intp)]


def _losses_from_counts(blocks: TreeBlocks, loss: Loss) -> tuple[Ints, Floats]:
    """Return the distinct trees' positions and expected losses, from counts of all pairs."""
    counts = _count_pairs(blocks)
    first: dict[bytes, int] = {}
    for position, tree in enumerate(tree for block in blocks.read() for tree in block.trees):
        first.setdefault(hashlib.blake2b(tree.tobytes(), digest_size=16).digest(), position)
    candidates = _space_evenly(np.array(list(first.values())), MAX_CANDIDATES)
    costs = [
        expected_losses(trees, counts, blocks.n_all, loss) for trees in _read(blocks, candidates)
    ]
    return candidates, _losses_from_costs(np.concatenate(costs), blocks, loss)


def _losses_from_comparisons(blocks: TreeBlocks, loss: Loss) -> tuple[Ints, Floats]:
    """Return positions and expected losses of as many draws as `MAX_STEPS` allows."""
    n_comparisons = MAX_STEPS // blocks.n_items
    positions = np.arange(blocks.n_all)
    candidates = _space_evenly(positions, min(MAX_CANDIDATES, math.isqrt(n_comparisons // 4) + 1))
    others = _space_evenly(positions, max(1, n_comparisons // len(candidates)))
    trees = np.concatenate(list(_read(blocks, candidates)))
    # Binder's loss is a whole number of pairs, so equal sums stay equal.
    n_pairs = max(1, blocks.n_items * (blocks.n_items - 1) // 2)
    total = np.zeros(len(trees))
    for draws in _read(blocks, others):
        for level in range(blocks.n_levels):
            compared = compare_partitions(trees[:, level], draws[:, level], loss)
            total += (compared if loss == "vi" else np.rint(compared * n_pairs)).sum(axis=1)
    scale = 1 if loss == "vi" else n_pairs
    return candidates, total / (len(others) * scale * blocks.n_levels)


def _read(blocks: TreeBlocks, positions: Ints) -> Iterator[Labels]:
    """Read the draws at some positions, counted over all chains, in blocks."""
    for block in blocks.read():
        wanted = np.isin(block.chain * blocks.n_draws + block.draws, positions)
        if wanted.any():
            yield block.trees[wanted]


def _count_pairs(blocks: TreeBlocks) -> NDArray[np.uint32]:
    """Count the draws in which two items share a node: (level, item, item)."""
    counts = np.zeros((blocks.n_levels, blocks.n_items, blocks.n_items), np.uint32)
    for block in blocks.read():
        for level, count in enumerate(counts):
            count_coclustered(block.trees[:, level], count)
    return counts


def _losses_from_costs(costs: Floats, blocks: TreeBlocks, loss: Loss) -> Floats:
    """Convert costs, which are sums over items and levels up to a constant, to expected losses.

    With s_i = Σ_j S P_ij [t_i = t_j] over S draws, the cost is Σ_i log |t_i| - 2 log s_i, or
    Σ_i S |t_i| - 2 s_i for Binder's loss. With d the distance of a draw from a single node, which
    is its entropy or the share of pairs that it separates, the mean of log |T_i| over items is
    log N - d, and the sum of |T_i| is N² - N(N-1) d.
    """
    n_items, n_draws, n_levels = blocks.n_items, blocks.n_all, blocks.n_levels
    one_node = np.zeros((1, n_items), np.int32)
    distances = [
        compare_partitions(one_node, block.trees[:, level], loss)[0]
        for block in blocks.read()
        for level in range(n_levels)
    ]
    if loss == "vi":
        # An exact sum, which does not depend on the blocks.
        mean = math.fsum(np.concatenate(distances)) / (n_draws * n_levels)
        constant = 2.0 * math.log2(n_draws) + math.log2(n_items) - mean
        return np.asarray(costs / (n_items * n_levels) + constant)
    # Whole numbers: equal costs stay equal, and the loss is 0 if all draws are equal.
    n_pairs = n_items * (n_items - 1)
    n_separated = np.rint(np.concatenate(distances) * n_pairs).sum()
    costs = costs + (n_draws * n_levels * n_items**2 - n_separated)
    return np.asarray(costs / (n_draws * n_levels * max(1, n_pairs)))
