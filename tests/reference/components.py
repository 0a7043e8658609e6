"""Components: an item's mixture density, its component, births and deaths."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from .distributions import draw_beta, draw_log_index, log_sum_exp
from .means import draw_mean
from .model import Model
from .state import ROOT, UNSET, Node, State


@dataclass(frozen=True)
class Densities:
    """log f(x_n; θ_k) of one item for every component, and log f*(x_n)."""

    known: dict[int, float]
    new: float

    def log_terms(self, node: Node) -> list[float]:
        """log β_zk f(x_n; θ_k) for every k, in the order of `known`, then log β*_z f*(x_n)."""
        pairs = [(node.weights[k], log_f) for k, log_f in self.known.items()]
        pairs.append((node.rest, self.new))
        return [math.log(w) + log_f if w > 0.0 else -math.inf for w, log_f in pairs]

    def log_mix(self, node: Node) -> float:
        """log mix(n, z) = log [ Σ_k β_zk f(x_n; θ_k) + β*_z f*(x_n) ]."""
        return log_sum_exp(self.log_terms(node))


def item_densities(state: State, model: Model, n: int) -> Densities:
    known = {k: model.log_density(n, mean) for k, mean in state.means.items()}
    return Densities(known, model.log_new_density(n))


def drop_component(state: State, k: int) -> None:
    """Forget θ_k and return β_zk to β*_z at every node."""
    del state.means[k]
    for node in state.nodes.values():
        node.rest += node.weights.pop(k)


def drop_empty_components(state: State) -> None:
    for k in set(state.means) - set(state.component):
        drop_component(state, k)


def take_out(state: State, n: int) -> None:
    """Take n out of its component and drop the component if that empties it."""
    state.component[n] = UNSET
    drop_empty_components(state)


def add_component(
    state: State, model: Model, n: int, boosted: Collection[int], rng: np.random.Generator
) -> int:
    """Add a component for item n: draw θ given x_n alone, and split the rest of every node.

    The fraction of β*_z that goes to the new component is Beta(1, γ_0) at the root and, below,
    Beta(γβ_parent,new + [z in boosted], γβ*_parent), parents first.
    """
    new, state.next_component = state.next_component, state.next_component + 1
    fractions: dict[int, float] = {}
    for z in state.by_level():
        node = state.nodes[z]
        if z == ROOT:
            fractions[z] = float(rng.beta(1.0, model.gamma0))
        else:
            parent = state.nodes[node.parent]
            a = model.gamma * parent.weights[new] + float(z in boosted)
            b = model.gamma * parent.rest
            fractions[z] = draw_beta(rng, a, b, limit=fractions[node.parent])
        node.weights[new] = node.rest * fractions[z]
        node.rest *= 1.0 - fractions[z]
    state.means[new] = draw_mean(model, [n], rng)
    return new


def draw_component(
    state: State, model: Model, n: int, z: int, boosted: Collection[int], rng: np.random.Generator
) -> None:
    """Draw c_n = k with weight β_zk f(x_n; θ_k), a new one with weight β*_z f*(x_n).

    z is the item's leaf, or the node at which its new branch will leave the tree.
    """
    densities = item_densities(state, model, n)
    chosen = draw_log_index(rng, densities.log_terms(state.nodes[z]))
    known = list(densities.known)
    if chosen < len(known):
        state.component[n] = known[chosen]
    else:
        state.component[n] = add_component(state, model, n, boosted, rng)


def update_components_paper(state: State, model: Model, rng: np.random.Generator) -> None:
    """Draw c_1, …, c_N in index order as printed: no +1 in the splits, and a component that loses
    its last item stays a candidate until all are drawn."""
    for n, path in enumerate(state.paths):
        draw_component(state, model, n, path[-1], (), rng)
    drop_empty_components(state)
