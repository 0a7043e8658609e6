"""The mixture weights β of all nodes, by tables (exact) or by counts (as printed)."""

from __future__ import annotations

import numpy as np

from .distributions import draw_crt, draw_dirichlet
from .model import Model
from .state import ROOT, Node, State


def draw_weights(
    node: Node, shapes: dict[int, float], rest: float, rng: np.random.Generator
) -> None:
    """(β_z1, …, β_zK, β*_z) ~ Dir(shapes, rest)."""
    draw = draw_dirichlet(rng, [*shapes.values(), rest])
    node.weights = dict(zip(shapes, draw[:-1], strict=True))
    node.rest = draw[-1]


def draw_weights_below(
    node: Node, parent: Node, counts: dict[int, int], model: Model, rng: np.random.Generator
) -> None:
    """β_z ~ Dir(counts_k + γβ_parent,k, …, γβ*_parent)."""
    shapes = {k: counts.get(k, 0) + model.gamma * w for k, w in parent.weights.items()}
    draw_weights(node, shapes, model.gamma * parent.rest, rng)


def count_items(state: State, z: int) -> dict[int, int]:
    """N_zk: the items in z of each component."""
    counts = dict.fromkeys(state.means, 0)
    for n in state.nodes[z].items:
        counts[state.component[n]] += 1
    return counts


def draw_tables(state: State, model: Model, rng: np.random.Generator) -> dict[int, dict[int, int]]:
    """n_zk of every node: items at a leaf, above it the tables T of the children.

    Bottom up, T_zk = CRT(n_zk, γβ_parent,k) with the parent's present weights.
    """
    counts = {}
    for z in reversed(state.by_level()):
        if state.nodes[z].level == model.n_levels:
            counts[z] = count_items(state, z)
        else:
            counts[z] = dict.fromkeys(state.means, 0)
            for child in state.children(z):
                for k in state.means:
                    concentration = model.gamma * state.nodes[z].weights[k]
                    counts[z][k] += draw_crt(rng, counts[child][k], concentration)
    return counts


def update_weights(
    state: State, model: Model, counts: dict[int, dict[int, int]], rng: np.random.Generator
) -> None:
    """Top down: root ~ Dir(n_root,k, …, γ_0); below ~ Dir(n_zk + γβ_parent,k, …, γβ*_parent)."""
    for z in state.by_level():
        node = state.nodes[z]
        if z == ROOT:
            shapes = {k: float(count) for k, count in counts[z].items()}
            draw_weights(node, shapes, model.gamma0, rng)
        else:
            draw_weights_below(node, state.nodes[node.parent], counts[z], model, rng)


def update_weights_exact(state: State, model: Model, rng: np.random.Generator) -> None:
    """The weights given c, with the numbers of tables as auxiliary variables."""
    update_weights(state, model, draw_tables(state, model, rng), rng)


def update_weights_paper(state: State, model: Model, rng: np.random.Generator) -> None:
    """The weights as printed: every node counts all items that pass through it."""
    update_weights(state, model, {z: count_items(state, z) for z in state.nodes}, rng)
