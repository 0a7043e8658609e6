"""The nested Chinese restaurant process, one item at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from .distributions import draw_log_index
from .model import Model
from .state import ROOT, State


def step_log_weights(state: State, model: Model, z: int) -> tuple[list[int], list[float]]:
    """The children of z with log N_child/(N_z + α) each, and last log α/(N_z + α) of a new one."""
    children = state.children(z)
    log_total = math.log(len(state.nodes[z].items) + model.alpha)
    logs = [math.log(len(state.nodes[child].items)) - log_total for child in children]
    return children, [*logs, math.log(model.alpha) - log_total]


def draw_walk(state: State, model: Model, rng: np.random.Generator) -> list[int]:
    """Walk down from the root: the existing nodes up to where a new branch begins, or to a leaf."""
    path = [ROOT]
    while len(path) <= model.n_levels:
        children, logs = step_log_weights(state, model, path[-1])
        chosen = draw_log_index(rng, logs)
        if chosen == len(children):
            break
        path.append(children[chosen])
    return path


def all_walks(
    state: State, model: Model, path: list[int], log_prior: float = 0.0
) -> Iterator[tuple[list[int], float]]:
    """Every outcome of `draw_walk` that begins with `path`, with its log probability."""
    if len(path) > model.n_levels:
        yield path, log_prior
        return
    children, logs = step_log_weights(state, model, path[-1])
    yield path, log_prior + logs[-1]
    for child, log_step in zip(children, logs[:-1], strict=True):
        yield from all_walks(state, model, [*path, child], log_prior + log_step)
