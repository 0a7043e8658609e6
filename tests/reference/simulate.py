"""The generative process by literal stick breaking."""

from __future__ import annotations

import numpy as np

from .components import drop_empty_components
from .distributions import draw_beta
from .margins import prior_discriminant
from .means import draw_mean
from .model import Array, Model
from .ncrp import draw_walk
from .state import ROOT, State


def simulate_tree(state: State, model: Model, rng: np.random.Generator) -> None:
    """Seat the items one after another by the nCRP; η ~ N(0, ν_0² I) at every new node."""
    for n in range(model.n_items):
        walk = draw_walk(state, model, rng)
        n_new = model.n_levels + 1 - len(walk)
        planted = state.plant(walk[-1], [prior_discriminant(model, rng) for _ in range(n_new)])
        state.seat(n, walk + planted)


def break_sticks(state: State, model: Model, rng: np.random.Generator) -> None:
    """Break the next stick off every node's rest: a fraction Beta(1, γ_0) at the root, and below
    Beta(γβ_parent,new, γβ*_parent)."""
    new, state.next_component = state.next_component, state.next_component + 1
    fractions: dict[int, float] = {}
    for z in state.by_level():
        node = state.nodes[z]
        if z == ROOT:
            fraction = float(rng.beta(1.0, model.gamma0))
        else:
            parent = state.nodes[node.parent]
            a, b = model.gamma * parent.weights[new], model.gamma * parent.rest
            fraction = draw_beta(rng, a, b, limit=fractions[node.parent])
        fractions[z] = fraction
        node.weights[new] = node.rest * fraction
        node.rest *= 1.0 - fraction
    state.means[new] = draw_mean(model, [], rng)


def simulate_component(state: State, model: Model, n: int, rng: np.random.Generator) -> int:
    """c_n ~ Discrete(β_leaf), breaking sticks until one reaches a uniform."""
    leaf = state.nodes[state.paths[n][-1]]
    u = rng.random()
    cumulated = 0.0
    k = 0
    while True:
        if k == state.next_component:
            if leaf.rest < 1e-12:  # nothing but rounding is left
                return max(leaf.weights, key=lambda i: leaf.weights[i])
            break_sticks(state, model, rng)
        cumulated += leaf.weights[k]
        if u < cumulated:
            return k
        k += 1


def simulate_prior(model: Model, rng: np.random.Generator) -> State:
    """(V, β, c, θ, η) from the prior, the sticks that no item took returned to the rest."""
    state = State.empty(model.n_items)
    simulate_tree(state, model, rng)
    for n in range(model.n_items):
        state.component[n] = simulate_component(state, model, n, rng)
    drop_empty_components(state)
    return state


def simulate_items(state: State, model: Model, rng: np.random.Generator) -> Array:
    """x_n ~ N(θ_{c_n}, Σ)."""
    factor = np.linalg.cholesky(model.noise.matrix)
    rows = [state.means[k] + factor @ rng.standard_normal(model.n_dims) for k in state.component]
    return np.array(rows)
