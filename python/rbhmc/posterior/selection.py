"""Which draw to present: the most likely one, or the one of least posterior expected loss.

A single draw of a Markov chain is one tree among many, and the most likely of all draws may be as
odd as any. A tree of least expected loss agrees, pair by pair of items, with what the draws of all
chains say together.

Examples
--------
>>> import numpy as np, rbhmc
>>> from rbhmc.posterior.selection import select
>>> X = np.array([[0.0], [0.1], [4.0], [4.1], [9.0]])
>>> runs = [rbhmc.Sampler(X, base_cov=16.0, seed=seed).run(200, burn_in=200) for seed in (1, 2)]
>>> paths = np.stack([run["paths"] for run in runs])
>>> chain, draw = select(paths)
>>> paths[chain, draw].shape
(5, 3)
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_array, check_level
from rbhmc._core import InvalidInput, add_shared, overlaps, tree_costs
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.metrics.pairs import pair_counts
from rbhmc.tree.labels import Labels, as_labels

__all__ = ["expected_loss", "select"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Loss = Literal["binder", "vi"]
Criterion = Literal["binder", "vi", "rcdll", "cdll"]

# Items from which on trees are compared one by one, and the steps that this may take.
LARGE = 2_000
STEPS = 4_000_000_000

# Pairs are counted where there is more than one tree for so many items.
FEW = 64


def select(
    draws: Draws | ArrayLike,
    *,
    rcdll: ArrayLike | None = None,
    cdll: ArrayLike | None = None,
    criterion: Criterion = "vi",
    max_candidates: int = 2000,
) -> tuple[int, int]:
    """Choose the draw to present, of all draws of all chains.

    - "rcdll", "cdll": the draw where that is highest.
    - "binder", "vi": the draw of least `expected_loss` over the draws of all chains together,
      averaged over levels:

          selected = argmin over candidates t of  1/L Σ_ℓ E[ loss(t_ℓ, T_ℓ) | draws ].

      Candidates are the different trees among the draws, each at its first place, chain by chain.
      Where there are more than `max_candidates`, so many of them are taken, evenly spaced in that
      order, the first and the last included; the expectation is over all draws all the same.

      Tables of more than 2,000 items are too large for a matrix of all pairs. There the trees are
      compared one by one, with exact losses, and as many candidates and draws are taken, evenly
      spaced, as make four billion steps: 1,000 candidates and 2,000 draws of 2,000 items, 100 and
      400 of 100,000.

    Equal draws give an equal answer; of equally good ones the earliest draw of the earliest chain
    is taken.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (n_chains, n_draws, n_items, n_levels)
        Draws of trees; (n_draws, n_items, n_levels) is one chain.
    rcdll, cdll : array of shape (n_chains, n_draws), optional
        As `Sampler.run` gives them; only the one that the criterion names is needed.
    criterion : {"vi", "binder", "rcdll", "cdll"}
        What is best.
    max_candidates : int
        How many trees are tried at the most.

    Returns
    -------
    chain, draw : int
        Where the selected draw is: ``draws.paths[chain, draw]``; chain is 0 of one only.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [1], [1]], [[0], [0], [1]]]
    >>> select(draws)
    (0, 0)
    >>> select(draws, rcdll=[-3.0, -1.0, -2.0], criterion="rcdll")
    (0, 1)
    """
    check_criterion(criterion)
    blocks = TreeBlocks(draws)
    if criterion == "rcdll" or criterion == "cdll":
        shape = (blocks.n_chains, blocks.n_draws)
        scores = _scores(rcdll if criterion == "rcdll" else cdll, criterion, shape)
        best = int(np.argmax(scores))
    else:
        if max_candidates < 1:
            raise InvalidInput(f"max_candidates is {max_candidates}; it must be at least 1")
        of_trees = _compared if blocks.n_items > LARGE else _counted
        candidates, losses = of_trees(blocks, criterion, max_candidates)
        # Binder's sums are whole numbers; equal sums of logarithms may differ by rounding.
        tolerance = 1e-12 if criterion == "vi" else 0.0
        best = int(candidates[np.flatnonzero(losses <= losses.min() + tolerance)[0]])
    chain, draw = divmod(best, blocks.n_draws)
    return chain, draw


def check_criterion(criterion: str) -> None:
    """Refuse what is no criterion.

    Examples
    --------
    >>> check_criterion("vi")
    """
    if criterion not in get_args(Criterion):
        raise InvalidInput(
            f'criterion is {criterion!r}; it must be "binder", "vi", "rcdll" or "cdll"'
        )


def expected_loss(
    trees: ArrayLike, draws: Draws | ArrayLike, *, loss: Loss = "binder", level: int | None = None
) -> float | Floats:
    """Posterior expected loss of trees: how far they are from the draws, on average.

    With P_ij the share of draws in which items i and j share the node at a level
    (`rbhmc.metrics.co_occurrence`), and t_i the node of i in the tree, at each level

    - "binder" is the expectation of `rbhmc.metrics.binder_loss`,

          E[binder(t, T)] = mean over pairs i < j of  P_ij + [t_i = t_j] (1 - 2 P_ij);

    - "vi" is a lower bound of the expectation of `rbhmc.metrics.variation_of_information`, in
      bits, by Jensen's inequality (Wade and Ghahramani 2018, Bayesian Analysis 13, equation 13):

          E[VI(t, T)] ≥ 1/N Σ_i ( log |t_i| + E log |T_i| - 2 log Σ_j P_ij [t_i = t_j] ),

      with ``|t_i|`` the number of items in the node of i. It is exact where all draws are equal,
      needs no comparison of each tree with each draw, and may be below 0.

    Parameters
    ----------
    trees : array of integers of shape (n_items, n_levels)
        One tree or several, (…, n_items, n_levels), with up to two dimensions in front. They need
        not be among the draws.
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws; those of several chains are pooled.
    loss : {"binder", "vi"}
        Which loss.
    level : int, optional
        1 … n_levels, or -1 … -n_levels from the leaves. The mean over all levels where absent.

    Returns
    -------
    float, or array with the shape of what is in front of n_items
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
            f"draws has {blocks.n_items} items and {blocks.n_levels} levels; it must have those "
            f"of trees: {n_items} items, {n_levels} levels"
        )
    levels = list(range(n_levels)) if level is None else [check_level(level, n_levels) - 1]
    wanted = proposed.reshape(-1, n_levels, n_items)[:, levels]
    if n_items > LARGE or len(wanted) < n_items // FEW:
        costs = _costs_by_tables(wanted, blocks, levels, loss)
    else:
        costs = tree_costs(wanted, pair_counts(blocks, levels), blocks.n_all, loss)
    values = _as_losses(costs, blocks, levels, loss)
    return values.reshape(shape) if shape else float(values[0])


def check_loss(loss: str) -> None:
    """Refuse a loss that there is not.

    Examples
    --------
    >>> check_loss("vi")
    """
    if loss not in ("binder", "vi"):
        raise InvalidInput(f'loss is {loss!r}; it must be "binder" or "vi"')


def _scores(values: ArrayLike | None, name: str, shape: tuple[int, int]) -> NDArray[np.float64]:
    if values is None:
        raise InvalidInput(f'criterion="{name}" needs {name}, one number for each draw')
    scores = check_array(values, name)
    if scores.size != shape[0] * shape[1] or scores.shape not in (shape, shape[1:]):
        raise InvalidInput(f"{name} has shape {scores.shape}; it must have shape {shape}")
    if scores.dtype.kind not in "fiu" or np.isnan(scores).any():
        raise InvalidInput(f"{name} should hold numbers, and no NaN")
    return scores.astype(np.float64)


def _spaced(values: Ints, most: int) -> Ints:
    """At most so many of the values, evenly spaced, the first and the last among them."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).round().astype(np.intp)]


def _counted(blocks: TreeBlocks, loss: Loss, max_candidates: int) -> tuple[Ints, Floats]:
    """Find the expected losses of the different trees, by how often two items are together."""
    levels = range(blocks.n_levels)
    counts = pair_counts(blocks, levels)
    places: dict[bytes, int] = {}
    for place, tree in enumerate(tree for block in blocks.read() for tree in block.trees):
        places.setdefault(hashlib.blake2b(tree.tobytes(), digest_size=16).digest(), place)
    candidates = _spaced(np.array(list(places.values())), max_candidates)
    costs = [tree_costs(trees, counts, blocks.n_all, loss) for trees in _at(blocks, candidates)]
    return candidates, _as_losses(np.concatenate(costs), blocks, levels, loss)


def _compared(blocks: TreeBlocks, loss: Loss, max_candidates: int) -> tuple[Ints, Floats]:
    """Find the expected losses of as many draws as there is time for, by comparing them.

    With n_z, n_w and n_zw items in a node of the tree, of the draw, and in both,

        N · VI = Σ_z n_z log n_z + Σ_w n_w log n_w - 2 Σ_zw n_zw log n_zw,

    and N(N-1) · binder is the same with n² in the place of n log n.
    """
    n_items, n_pairs = blocks.n_items, STEPS // blocks.n_items
    everything = np.arange(blocks.n_all)
    candidates = _spaced(everything, min(max_candidates, math.isqrt(n_pairs // 4) + 1))
    others = _spaced(everything, max(1, n_pairs // len(candidates)))
    trees = np.concatenate(list(_at(blocks, candidates)))
    which, scale = (0, n_items) if loss == "vi" else (1, max(1, n_items * (n_items - 1)))
    total = len(others) * _alone(trees, which)
    for draws in _at(blocks, others):
        total += _alone(draws, which).sum()
        for a, b in zip(trees.swapaxes(0, 1), draws.swapaxes(0, 1), strict=True):
            total -= 2.0 * overlaps(a, b)[which].sum(axis=1)
    return candidates, total / (len(others) * scale * blocks.n_levels)


def _at(blocks: TreeBlocks, places: Ints) -> Iterator[Labels]:
    """Read the draws at some places, counted over all chains and in order, in blocks."""
    for block in blocks.read():
        wanted = np.isin(block.chain * blocks.n_draws + block.draws, places)
        if wanted.any():
            yield block.trees[wanted]


def _alone(trees: Labels, which: int) -> Floats:
    """Σ_z n_z log2 n_z, 0, or Σ_z n_z², 1, over all levels of each tree."""
    one = np.zeros((1, trees.shape[2]), np.int32)
    sums = [overlaps(one, trees[:, level])[which][0] for level in range(trees.shape[1])]
    return np.asarray(np.sum(sums, axis=0))


def _costs_by_tables(
    trees: Labels, blocks: TreeBlocks, levels: Sequence[int], loss: Loss
) -> Floats:
    """Compute what `tree_costs` does, without counting pairs."""
    sums = np.zeros(trees.shape, np.uint64)
    for block in blocks.read():
        add_shared(trees, block.trees[:, levels], sums)
    sizes = np.zeros(trees.shape, np.uint64)
    add_shared(trees, np.zeros((1, *trees.shape[1:]), np.int32), sizes)
    if loss == "vi":
        terms = np.log2(sizes) - 2.0 * np.log2(sums)
    else:
        terms = blocks.n_all * sizes.astype(np.float64) - 2.0 * sums
    return np.asarray(terms.sum(axis=(1, 2)))


def _as_losses(costs: Floats, blocks: TreeBlocks, levels: Sequence[int], loss: Loss) -> Floats:
    """Turn costs, which are sums over items and levels up to a constant, into expected losses.

    With s_i = Σ_j S P_ij [t_i = t_j] over S draws, the cost is Σ_i log |t_i| - 2 log s_i, or
    Σ_i S |t_i| - 2 s_i for Binder's loss.
    """
    n_items, n_draws = blocks.n_items, blocks.n_all
    of_draws = sum(
        float(_alone(block.trees[:, levels], 0 if loss == "vi" else 1).sum())
        for block in blocks.read()
    )
    if loss == "vi":
        constant = of_draws / n_draws + 2.0 * n_items * len(levels) * math.log2(n_draws)
        scale = n_items
    else:
        constant = of_draws
        scale = n_draws * max(1, n_items * (n_items - 1))
    losses: Floats = (costs + constant) / (scale * len(levels))
    return losses
