"""The margin: violations and losses, the augmentation variables λ, the discriminants η."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .distributions import draw_canonical_normal, draw_lambda, log_canonical_normal
from .model import Array, Model
from .state import ROOT, State


@dataclass(frozen=True)
class Rival:
    """The largest violation ρ_n of an item: node `own` of its path against the sibling `other`."""

    rho: float
    own: int
    other: int


def eta(state: State, z: int) -> Array:
    """η_z, which every node but the root has when C > 0."""
    discriminant = state.nodes[z].discriminant
    assert discriminant is not None
    return discriminant


def find_rival(state: State, model: Model, n: int) -> Rival | None:
    """ρ_n = max over levels ℓ and siblings z of v_nℓ of ε_0 − (η_{v_nℓ} − η_z)ᵀ x̃_n.

    None when no node of the path has a sibling, and for C = 0, where no η are kept.
    """
    if model.C == 0.0:
        return None
    x = model.extended(n)
    best: Rival | None = None
    for own in state.paths[n][1:]:
        siblings = state.siblings(own)
        if not siblings:
            continue
        score = float(eta(state, own) @ x)
        for other in siblings:
            rho = model.margin - (score - float(eta(state, other) @ x))
            if best is None or rho > best.rho:
                best = Rival(rho, own, other)
    return best


def item_loss(state: State, model: Model, n: int) -> float:
    """h_n = max(0, ρ_n), and 0 for an item without siblings."""
    rival = find_rival(state, model, n)
    return 0.0 if rival is None else max(0.0, rival.rho)


def total_loss(state: State, model: Model) -> float:
    """Σ_n h_n over the items that are seated."""
    return sum(item_loss(state, model, n) for n in sorted(state.nodes[ROOT].items))


def prior_discriminant(model: Model, rng: np.random.Generator) -> Array | None:
    """η ~ N(0, ν_0² I); none is kept or drawn for C = 0."""
    if model.C == 0.0:
        return None
    return model.eta_scale * rng.standard_normal(model.n_eta_dims)


def update_lambda(state: State, model: Model, n: int, rng: np.random.Generator) -> None:
    """1/λ_n ~ InverseGaussian(1/(C|ρ_n|), 1); 1 for an item without siblings."""
    rival = find_rival(state, model, n)
    state.lambdas[n] = 1.0 if rival is None else draw_lambda(rng, model.C * rival.rho)


def add_own(model: Model, n: int, lam: float, other: Array, precision: Array, nu: Array) -> None:
    """Add x̃ x̃ᵀ C²/λ to Λ and x̃ (Cλ + C²ε_0 + C² η_sᵀx̃)/λ to ν: z is the item's own node."""
    x, c = model.extended(n), model.C
    precision += c * c / lam * np.outer(x, x)
    nu += x * (c * lam + c * c * model.margin + c * c * float(other @ x)) / lam


def add_rival(model: Model, n: int, lam: float, own: Array, precision: Array, nu: Array) -> None:
    """Add x̃ x̃ᵀ C²/λ to Λ and −x̃ (Cλ + C²ε_0 − C² η_vᵀx̃)/λ to ν: z is the item's rival."""
    x, c = model.extended(n), model.C
    precision += c * c / lam * np.outer(x, x)
    nu -= x * (c * lam + c * c * model.margin - c * c * float(own @ x)) / lam


def active_sums(state: State, model: Model, z: int) -> tuple[Array, Array]:
    """Λ and ν of η_z over the items whose rival pair (v, s) contains z."""
    precision = np.eye(model.n_eta_dims) / model.eta_scale**2
    nu = np.zeros(model.n_eta_dims)
    for n in sorted(state.nodes[state.nodes[z].parent].items):
        rival = find_rival(state, model, n)
        if rival is not None and rival.own == z:
            add_own(model, n, state.lambdas[n], eta(state, rival.other), precision, nu)
        elif rival is not None and rival.other == z:
            add_rival(model, n, state.lambdas[n], eta(state, rival.own), precision, nu)
    return precision, nu


def log_eta_conditional(state: State, model: Model, z: int) -> float:
    """log of p(η_z) Π_n exp(−(λ_n + Cρ_n)² / (2λ_n)) over the items under z's parent."""
    own = eta(state, z)
    total = -0.5 * float(own @ own) / model.eta_scale**2
    for n in sorted(state.nodes[state.nodes[z].parent].items):
        rival = find_rival(state, model, n)
        if rival is not None:
            total -= (state.lambdas[n] + model.C * rival.rho) ** 2 / (2.0 * state.lambdas[n])
    return total


def update_discriminants_exact(state: State, model: Model, rng: np.random.Generator) -> int:
    """η by Metropolis–Hastings with the active sums as a proposal; how many were accepted.

    λ is redrawn for all items first. The rivals are functions of η, so the Gaussian at η and the
    one at η' differ, and their ratio is in the acceptance probability.
    """
    for n in range(model.n_items):
        update_lambda(state, model, n, rng)
    accepted = 0
    for z in state.by_level():
        if z == ROOT:
            continue
        node = state.nodes[z]
        if not state.siblings(z):
            node.discriminant = prior_discriminant(model, rng)
            continue
        old = eta(state, z)
        forward = active_sums(state, model, z)
        log_old = log_eta_conditional(state, model, z)
        new = draw_canonical_normal(rng, *forward)
        node.discriminant = new
        backward = active_sums(state, model, z)
        log_new = log_eta_conditional(state, model, z)
        log_ratio = log_new - log_old
        log_ratio += log_canonical_normal(old, *backward) - log_canonical_normal(new, *forward)
        if math.log(1.0 - rng.random()) < log_ratio:
            accepted += 1
        else:
            node.discriminant = old
    return accepted


def update_discriminants_paper(state: State, model: Model, rng: np.random.Generator) -> None:
    """η ~ N(Λ^{-1}ν, Λ^{-1}) with the active sums, at every node but the root, always accepted."""
    for z in state.by_level():
        if z != ROOT:
            state.nodes[z].discriminant = draw_canonical_normal(rng, *active_sums(state, model, z))
