"""Metropolis–Hastings step of an item's path, with the nCRP as its proposal."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from .components import item_densities
from .margins import Rival, find_rival, item_loss, prior_discriminant, total_loss
from .model import Model
from .ncrp import draw_walk
from .state import State
from .weights import draw_weights_below

Rule = Literal["augmented", "own", "joint"]


def log_augmented(state: State, model: Model, n: int, rival: Rival) -> float:
    """−(Cρ_n + λ_n)² / (2λ_n)."""
    lam = state.lambdas[n]
    return -((model.C * rival.rho + lam) ** 2) / (2.0 * lam)


def move_path_mh(state: State, model: Model, n: int, rule: Rule, rng: np.random.Generator) -> bool:
    """Propose a path from the nCRP of the other items, with β ~ Dir(γβ_parent) and η from their
    priors on new nodes; accept with probability min(1, R · mix(n, leaf') / mix(n, leaf)):

        own:        R = exp(−2C (h'_n − h_n))
        joint:      R = exp(−2C (Σ_m h'_m − Σ_m h_m))
        augmented:  R = exp(−[(Cρ'_n + λ_n)² − (Cρ_n + λ_n)²] / (2λ_n)), where both paths have
                    siblings; otherwise as in `own`.

    Each loss is measured with n in that place. The nodes that n empties have no items meanwhile,
    so that they are neither candidates nor siblings; a rejection restores them.
    """

    def loss() -> float:
        return total_loss(state, model) if rule == "joint" else item_loss(state, model, n)

    old_path, old_loss, old_rival = state.paths[n], loss(), find_rival(state, model, n)

    emptied = state.unseat(n)
    walk = draw_walk(state, model, rng)
    n_new = model.n_levels + 1 - len(walk)
    planted = state.plant(walk[-1], [prior_discriminant(model, rng) for _ in range(n_new)])
    for z in planted:
        node = state.nodes[z]
        draw_weights_below(node, state.nodes[node.parent], {}, model, rng)
    state.seat(n, walk + planted)

    new_path, new_loss, new_rival = state.paths[n], loss(), find_rival(state, model, n)

    densities = item_densities(state, model, n)
    log_ratio = densities.log_mix(state.nodes[new_path[-1]])
    log_ratio -= densities.log_mix(state.nodes[old_path[-1]])
    if rule == "augmented" and old_rival is not None and new_rival is not None:
        log_ratio += log_augmented(state, model, n, new_rival)
        log_ratio -= log_augmented(state, model, n, old_rival)
    else:
        log_ratio -= 2.0 * model.C * (new_loss - old_loss)

    if math.log(1.0 - rng.random()) < log_ratio:
        state.prune(emptied)
        return True
    state.unseat(n)
    state.prune(planted)
    state.seat(n, old_path)
    return False
