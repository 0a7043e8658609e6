"""Which draw to present: the most likely one, or the one of least posterior expected loss.

A single draw of a Markov chain is one tree among many, and the most likely of all draws may be as
odd as any. A tree of least expected loss agrees, pair by pair of items, with what the draws of all
chains say together.

Examples
--------
>>> import numpy as np, rbhmc
>>> from rbhmc.selection import select
>>> X = np.array([[0.0], [0.1], [4.0], [4.1], [9.0]])
>>> runs = [rbhmc.Sampler(X, base_cov=16.0, seed=seed).run(200, burn_in=200) for seed in (1, 2)]
>>> paths = np.stack([run["paths"] for run in runs])
>>> chain, draw = select(paths)
>>> paths[chain, draw].shape
(5, 3)
"""

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput, overlaps
from rbhmc.metrics._trees import (
    Ints,
    Labels,
    as_array,
    as_trees,
    columns,
    dense,
    shared,
    sizes,
    unique_trees,
)
from rbhmc.metrics.pairs import counts

__all__ = ["expected_loss", "select"]

Floats = NDArray[np.float64]
Loss = Literal["binder", "vi"]
Criterion = Literal["binder", "vi", "rcdll", "cdll"]

# Items from which on trees are compared one by one, and the steps that this may take.
LARGE = 2_000
STEPS = 4_000_000_000


def select(
    paths: ArrayLike,
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
    paths : array of integers of shape (n_chains, n_draws, n_items, n_levels)
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
        Where the selected draw is: ``paths[chain, draw]``; chain is 0 where there is one only.

    Examples
    --------
    >>> paths = [[[0], [0], [1]], [[0], [1], [1]], [[0], [0], [1]]]
    >>> select(paths)
    (0, 0)
    >>> select(paths, rcdll=[-3.0, -1.0, -2.0], criterion="rcdll")
    (0, 1)
    """
    check_criterion(criterion)
    trees = as_trees(paths, dims=(3, 4))
    trees = trees.reshape(-1, *trees.shape[-3:])
    n_chains, n_draws, n_items, n_levels = trees.shape
    if criterion in ("rcdll", "cdll"):
        scores = _scores(rcdll if criterion == "rcdll" else cdll, criterion, (n_chains, n_draws))
        chain, draw = divmod(int(np.argmax(scores)), n_draws)
        return chain, draw
    if max_candidates < 1:
        raise InvalidInput(f"max_candidates is {max_candidates}, but should be at least 1")
    flat = trees.reshape(-1, n_items, n_levels)
    if n_items > LARGE:
        candidates, losses = _compared(flat, criterion, max_candidates)
    else:
        candidates = _spaced(unique_trees(flat)[0], max_candidates)
        losses = _expected(flat[candidates], flat, criterion, list(range(n_levels)))
    # Binder's sums are whole numbers; equal sums of logarithms may differ by rounding.
    tolerance = 1e-12 if criterion == "vi" else 0.0
    best = np.flatnonzero(losses <= losses.min() + tolerance)[0]
    chain, draw = divmod(int(candidates[best]), n_draws)
    return chain, draw


def check_criterion(criterion: str) -> None:
    """Refuse what is no criterion.

    Examples
    --------
    >>> check_criterion("vi")
    """
    if criterion not in get_args(Criterion):
        raise InvalidInput(
            f'criterion is {criterion!r}, but should be "binder", "vi", "rcdll" or "cdll"'
        )


def expected_loss(
    trees: ArrayLike, draws: ArrayLike, *, loss: Loss = "binder", level: int | None = None
) -> float | Floats:
    """Posterior expected loss of trees: how far they are from the draws, on average.

    With P_ij the share of draws in which items i and j share the node at a level
    (`rbhmc.metrics.co_occurrence`), and t_i the node of i in the tree, at each level

    - "binder" is the expectation of `rbhmc.metrics.binder_loss`,

          E[binder(t, T)] = mean over pairs i < j of  P_ij + [t_i = t_j] (1 - 2 P_ij);

    - "vi" is a lower bound of the expectation of `rbhmc.metrics.variation_of_information`, in
      bits, by Jensen's inequality (Wade and Ghahramani 2018, Bayesian Analysis 13, equation 13):

          E[VI(t, T)] ≥ 1/N Σ_i ( log |t_i| + E log |T_i| - 2 log Σ_j P_ij [t_i = t_j] ),

      with |t_i| the number of items in the node of i. It is exact where all draws are equal, needs
      no comparison of each tree with each draw, and may be below 0.

    Parameters
    ----------
    trees : array of integers of shape (n_items, n_levels)
        One tree or several, (…, n_items, n_levels), with up to two dimensions in front. They need
        not be among the draws.
    draws : array of integers of shape (n_draws, n_items, n_levels)
        The draws; or (n_chains, n_draws, n_items, n_levels), all pooled.
    loss : {"binder", "vi"}
        Which loss.
    level : int, optional
        1 … n_levels, or -1 … -n_levels from the leaves. The mean over all levels where absent.

    Returns
    -------
    float, or array with the shape of what is in front of n_items
        The expected loss of each tree. The cost is O(n_items²) for each tree and each draw.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [1], [1]], [[0], [0], [1]], [[0], [0], [1]]]
    >>> expected_loss([[0], [0], [1]], draws)  # one draw in four differs, in two pairs of three
    0.16666666666666666
    """
    if loss not in ("binder", "vi"):
        raise InvalidInput(f'loss is {loss!r}, but should be "binder" or "vi"')
    proposed = as_trees(trees, "trees")
    drawn = as_trees(draws, "draws", dims=(3, 4))
    *shape, n_items, n_levels = proposed.shape
    if drawn.shape[-2:] != (n_items, n_levels):
        raise InvalidInput(
            f"draws has shape {drawn.shape}, but should end like that of trees: "
            f"{n_items} items, {n_levels} levels"
        )
    values = _expected(
        proposed.reshape(-1, n_items, n_levels),
        drawn.reshape(-1, n_items, n_levels),
        loss,
        columns(level, n_levels),
    )
    return values.reshape(shape) if shape else float(values[0])


def _scores(values: ArrayLike | None, name: str, shape: tuple[int, int]) -> NDArray[np.float64]:
    if values is None:
        raise InvalidInput(f'criterion="{name}" needs {name}, one number for each draw')
    scores = as_array(values, name)
    if scores.size != shape[0] * shape[1] or scores.shape not in (shape, shape[1:]):
        raise InvalidInput(f"{name} has shape {scores.shape}, but should have shape {shape}")
    if scores.dtype.kind not in "fiu" or np.isnan(scores).any():
        raise InvalidInput(f"{name} should hold numbers, and no NaN")
    return scores.astype(np.float64)


def _spaced(values: Ints, most: int) -> Ints:
    """At most so many of the values, evenly spaced, the first and the last among them."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).round().astype(np.intp)]


def _compared(draws: Labels, loss: str, max_candidates: int) -> tuple[Ints, Floats]:
    """Take as many candidates as there is time for, with the expected loss of each."""
    n_pairs = STEPS // draws.shape[1]
    everything = np.arange(len(draws))
    candidates = _spaced(everything, min(max_candidates, math.isqrt(n_pairs // 4) + 1))
    others = _spaced(everything, max(1, n_pairs // len(candidates)))
    return candidates, _expected_one_by_one(draws[candidates], draws[others], loss)


def _expected_one_by_one(trees: Labels, draws: Labels, loss: str) -> Floats:
    """Mean over levels of the expected loss of each tree, by comparing it with each draw.

    With n_z, n_w and n_zw items in a node of the tree, of the draw, and in both,

        N · VI = Σ_z n_z log n_z + Σ_w n_w log n_w - 2 Σ_zw n_zw log n_zw,

    and N(N-1) · binder is the same with n² in the place of n log n.
    """
    n_items, n_levels = trees.shape[1:]
    scale = n_items if loss == "vi" else max(1, n_items * (n_items - 1))
    which = 0 if loss == "vi" else 1
    total = np.zeros(len(trees))
    for column in range(n_levels):
        a, b = (_dense_rows(some[:, :, column]) for some in (trees, draws))
        one = np.zeros((1, n_items), dtype=np.int32)
        of_a, of_b = (overlaps(one, rows)[which][0] for rows in (a, b))
        both = overlaps(a, b)[which]
        total += (of_a[:, None] + of_b - 2.0 * both).mean(axis=1) / scale
    losses: Floats = total / n_levels
    return losses


def _dense_rows(numbers: Labels) -> Labels:
    return np.stack([dense(row)[0] for row in numbers]).astype(np.int32)


def _expected(trees: Labels, draws: Labels, loss: str, wanted: list[int]) -> Floats:
    """Mean over levels of the expected loss of each tree, of shape (n_trees,)."""
    of_level = _expected_binder if loss == "binder" else _expected_vi
    n_items = trees.shape[1]
    total = np.zeros(len(trees))
    for column in wanted:
        total += of_level(trees[:, :, column], draws[:, :, column])
    scale = max(1, n_items * (n_items - 1)) * len(draws) if loss == "binder" else n_items
    losses: Floats = total / (scale * len(wanted))
    return losses


def _expected_binder(trees: Labels, draws: Labels) -> Floats:
    """Σ over ordered pairs and draws of disagreement: whole numbers, hence without rounding."""
    together = counts(draws)
    n_together = together.sum()
    together *= -2
    together += len(draws)
    disagreements: Floats = n_together + _sums_within(trees, together).sum(axis=1)
    return disagreements


def _expected_vi(trees: Labels, draws: Labels) -> Floats:
    together = counts(draws)
    together /= len(draws)
    drawn = sum(float(np.log2(sizes(draw)).sum()) for draw in draws) / len(draws)
    size = np.stack([sizes(tree) for tree in trees])
    overlap = _sums_within(trees, together)
    terms: Floats = (np.log2(size) - 2 * np.log2(overlap)).sum(axis=1)
    return drawn + terms


def _sums_within(trees: Labels, matrix: Floats) -> Floats:
    """Σ_j matrix_ij [t_i = t_j] for each tree and item i, of shape (n_trees, n_items)."""
    sums = np.empty(trees.shape)
    for some, rows, same in shared(trees):
        sums[some, rows] = np.einsum("tij,ij->ti", same, matrix[rows])
    return sums
