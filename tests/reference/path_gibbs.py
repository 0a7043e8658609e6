"""Collapsed Gibbs step of an item's path and component, the weights of new branches integrated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .components import draw_component, item_densities
from .distributions import draw_log_index
from .margins import item_loss, prior_discriminant, total_loss
from .model import Array, Model
from .ncrp import all_walks
from .state import ROOT, State
from .weights import draw_weights_below


@dataclass
class Candidate:
    """Existing nodes from the root down, the η of the new nodes below them, and a log weight."""

    walk: list[int]
    branch: list[Array | None]
    log_weight: float


def list_candidates(
    state: State,
    model: Model,
    n: int,
    left_parent: int,
    left_branch: list[Array | None],
    joint: bool,
    rng: np.random.Generator,
) -> list[Candidate]:
    """All leaves, and one new branch at every inner node, weighted with

        nCRP(walk) · mix(n, last node of the walk) · exp(−2C h_n),

    or exp(−2C Σ_m h_m) in the joint form, each loss measured with n in that place. A new branch
    has the mixture of the node z that it leaves, since E[β_new] = β_z. Its η are drawn from the
    prior, except at the parent of the branch that n has just emptied: there they are its η.
    """
    densities = item_densities(state, model, n)
    candidates = []
    for walk, log_prior in list(all_walks(state, model, [ROOT])):
        n_new = model.n_levels + 1 - len(walk)
        if n_new > 0 and walk[-1] == left_parent:
            branch = left_branch
        else:
            branch = [prior_discriminant(model, rng) for _ in range(n_new)]
        log_weight = log_prior + densities.log_mix(state.nodes[walk[-1]])
        if model.C > 0.0:
            planted = state.plant(walk[-1], branch)
            state.seat(n, walk + planted)
            loss = total_loss(state, model) if joint else item_loss(state, model, n)
            log_weight -= 2.0 * model.C * loss
            state.unseat(n)
            state.prune(planted)
        candidates.append(Candidate(walk, branch, log_weight))
    return candidates


def move_item_gibbs(
    state: State, model: Model, n: int, joint: bool, rng: np.random.Generator
) -> None:
    """Draw (v_n, c_n), n being out of its component already.

    With the new path's last existing node z: c_n from β_z, a birth's splits boosted on root … z;
    then the new nodes from the top down, β ~ Dir(γβ_parent + 1 at c_n).
    """
    emptied = state.unseat(n)
    left_branch = [state.nodes[z].discriminant for z in emptied]
    left_parent = state.nodes[emptied[0]].parent if emptied else -1
    state.prune(emptied)

    candidates = list_candidates(state, model, n, left_parent, left_branch, joint, rng)
    chosen = candidates[draw_log_index(rng, [each.log_weight for each in candidates])]

    draw_component(state, model, n, chosen.walk[-1], chosen.walk, rng)
    planted = state.plant(chosen.walk[-1], chosen.branch)
    for z in planted:
        node = state.nodes[z]
        draw_weights_below(node, state.nodes[node.parent], {state.component[n]: 1}, model, rng)
    state.seat(n, chosen.walk + planted)
