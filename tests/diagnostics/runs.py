"""Artificial draws."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.trees import random_draws
from posterior.brute_force import as_draws
from rbhmc import Draws, Tree
from rbhmc.diagnostics import Diagnostics, Judgement, diagnose, judge_rhat
from rbhmc.draws.variables import VARIABLES


def make_run(paths: Any, seed: int = 0, **given: Any) -> Draws:
    """Return draws with given paths, (chain, draw, item, level), and noise for everything else."""
    draws = as_draws(np.asarray(paths))
    rng = np.random.default_rng(seed)
    shape = (draws.n_chains, draws.n_draws)
    in_order = np.sort(draws.paths, axis=2)
    arrays = {name: draws.read(name) for name in VARIABLES} | {
        "rcdll": rng.normal(size=shape),
        "cdll": rng.normal(size=shape),
        "loss": rng.exponential(size=shape),
        "n_components": rng.integers(3, 6, size=shape, dtype=np.int32),
        "n_nodes": 1 + (in_order[:, :, 1:] != in_order[:, :, :-1]).sum(axis=2, dtype=np.int32),
    }
    return Draws(arrays | given, draws.names)


def diagnose_run(draws: Draws, paths: Any) -> Diagnostics:
    """Diagnose draws, with the paths of the presented tree."""
    return diagnose(draws, Tree.from_labels(paths))


def judge_run(draws: Draws, paths: Any) -> Judgement:
    """Judge by R-hat whether the chains agree."""
    return judge_rhat(diagnose_run(draws, paths).table, draws.n_chains, draws.n_draws)


def independent_draws(n_chains: int, n_draws: int, seed: int = 0) -> NDArray[Any]:
    """Return paths of independent draws from 20 trees of 12 items and 3 levels."""
    trees = random_draws(seed, 20, 12, 3)
    picked = np.random.default_rng(seed).integers(20, size=(n_chains, n_draws))
    return trees[picked].astype(np.int32)


def constant_chains(*trees: Any, n_draws: int = 200) -> NDArray[Any]:
    """Return paths of chains that each stay at one tree."""
    return np.repeat(np.array(trees, dtype=np.int32)[:, None], n_draws, axis=1)
