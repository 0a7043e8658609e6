"""The slow log of the regularised posterior (Q), and the scores that are reported with a draw."""

from __future__ import annotations

import math

from .margins import total_loss
from .model import Model, log_normal
from .state import ROOT, State


def log_tree_prior(state: State, model: Model) -> float:
    """log p(V) = Σ over inner z [ log Γ(α)/Γ(α + N_z) + Σ over children log α Γ(N_child) ]."""
    total = 0.0
    for z, node in state.nodes.items():
        if node.level == model.n_levels:
            continue
        total += math.lgamma(model.alpha) - math.lgamma(model.alpha + len(node.items))
        for child in state.children(z):
            total += math.log(model.alpha) + math.lgamma(len(state.nodes[child].items))
    return total


def log_weights_prior(state: State, model: Model) -> float:
    """log p(β), every instantiated component being occupied.

    root: K log γ_0 − Σ_k log β_k + (γ_0 − 1) log β*;
    below: log Dir(β_z; γβ_parent). Coordinates that have underflowed to 0 are left out.
    """
    total = 0.0
    for z, node in state.nodes.items():
        if z == ROOT:
            total += len(node.weights) * math.log(model.gamma0)
            total -= sum(math.log(w) for w in node.weights.values() if w > 0.0)
            total += (model.gamma0 - 1.0) * math.log(node.rest) if node.rest > 0.0 else 0.0
            continue
        parent = state.nodes[node.parent]
        pairs = [(model.gamma * parent.weights[k], w) for k, w in node.weights.items()]
        pairs.append((model.gamma * parent.rest, node.rest))
        total += math.lgamma(model.gamma)
        for shape, weight in pairs:
            if shape > 0.0 and weight > 0.0:
                total += (shape - 1.0) * math.log(weight) - math.lgamma(shape)
    return total


def log_components(state: State) -> float:
    """log p(c | V, β) = Σ_n log β_{leaf(n), c_n}."""
    return sum(
        math.log(state.nodes[path[-1]].weights[k])
        for path, k in zip(state.paths, state.component, strict=True)
    )


def log_likelihood(state: State, model: Model) -> float:
    """log p(X | c, θ) = Σ_n log N(x_n; θ_{c_n}, Σ)."""
    return sum(model.log_density(n, state.means[k]) for n, k in enumerate(state.component))


def log_means_prior(state: State, model: Model) -> float:
    """log p(θ) = Σ_k log N(θ_k; μ_0, Σ_0)."""
    return sum(log_normal(mean, model.mu0, model.base) for mean in state.means.values())


def log_discriminants_prior(state: State, model: Model) -> float:
    """log p(η) = Σ over z but the root, log N(η_z; 0, ν_0² I)."""
    total = 0.0
    for node in state.nodes.values():
        if node.discriminant is not None:
            square = float(node.discriminant @ node.discriminant)
            total -= 0.5 * square / model.eta_scale**2
            total -= 0.5 * model.n_dims * math.log(2.0 * math.pi * model.eta_scale**2)
    return total


def log_target(state: State, model: Model) -> float:
    """log q*(V, c, β, θ, η) of (Q) up to a constant: log p(V, c, β, θ, X) p(η) − 2C Σ_n h_n."""
    return (
        log_tree_prior(state, model)
        + log_weights_prior(state, model)
        + log_components(state)
        + log_likelihood(state, model)
        + log_means_prior(state, model)
        + log_discriminants_prior(state, model)
        - 2.0 * model.C * total_loss(state, model)
    )


def cdll(state: State, model: Model) -> float:
    """Σ_n [ log N(x_n; θ_{c_n}, Σ) + log β_{leaf(n), c_n} ] + log p(V)."""
    return log_likelihood(state, model) + log_components(state) + log_tree_prior(state, model)


def rcdll(state: State, model: Model) -> float:
    """CDLL − 2C Σ_n h_n."""
    return cdll(state, model) - 2.0 * model.C * total_loss(state, model)
