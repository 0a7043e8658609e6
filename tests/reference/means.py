"""The component means θ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .distributions import draw_canonical_normal
from .model import Array, Model
from .state import State


def draw_mean(model: Model, items: Sequence[int], rng: np.random.Generator) -> Array:
    """θ_k ~ N(μ̃, Σ̃), Σ̃ = (Σ_0^{-1} + N_k Σ^{-1})^{-1}, μ̃ = Σ̃ (Σ_0^{-1} μ_0 + Σ^{-1} Σ x_n).

    With no items this is the prior H.
    """
    precision = model.base.precision + len(items) * model.noise.precision
    linear = model.base.precision @ model.mu0
    for n in items:
        linear = linear + model.noise.precision @ model.X[n]
    return draw_canonical_normal(rng, precision, linear)


def update_means(state: State, model: Model, rng: np.random.Generator) -> None:
    for k in state.means:
        items = [n for n, component in enumerate(state.component) if component == k]
        state.means[k] = draw_mean(model, items, rng)
