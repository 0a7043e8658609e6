"""The reference chain: a sweep of each scheme, and runs of sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import components, margins, means, path_gibbs, path_mh, simulate, weights
from .model import Model
from .snapshot import canonical, canonical_paths
from .target import cdll, rcdll

SCHEMES = ("collapsed", "exact", "paper")
PATH_MOVES = ("gibbs", "mh")


class ReferenceSampler:
    """One chain, which starts from a draw of (V, β, c, θ, η) from the prior.

    `settings` are the fields of `Model`.
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        scheme: str = "collapsed",
        path_move: str | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        if path_move is None:
            path_move = "mh" if scheme == "paper" else "gibbs"
        if scheme not in SCHEMES or path_move not in PATH_MOVES:
            raise ValueError(f"scheme {scheme!r} with path move {path_move!r}")
        if scheme == "paper" and path_move != "mh":
            raise ValueError("the paper scheme moves paths by Metropolis–Hastings only")
        self.model = Model(np.asarray(X, dtype=np.float64), **settings)
        self.scheme = scheme
        self.path_move = path_move
        self.rng = np.random.default_rng(seed)
        self.state = simulate.simulate_prior(self.model, self.rng)
        if self.model.C > 0.0:
            for n in range(self.model.n_items):
                margins.update_lambda(self.state, self.model, n, self.rng)

    def sweep(self, n: int = 1) -> None:
        """Update all unknowns n times."""
        for _ in range(n):
            if self.scheme == "paper":
                self._sweep_paper()
            else:
                self._sweep_exact(joint=self.scheme == "exact")

    def _sweep_exact(self, joint: bool) -> None:
        """Sweep by `exact`, or by `collapsed` if the path step uses the own loss."""
        state, model, rng = self.state, self.model, self.rng
        for n in rng.permutation(model.n_items).tolist():
            components.take_out(state, n)
            if self.path_move == "gibbs":
                path_gibbs.move_item_gibbs(state, model, n, joint, rng)
            else:
                path_mh.move_path_mh(state, model, n, "joint" if joint else "own", rng)
                path = state.paths[n]
                components.draw_component(state, model, n, path[-1], path, rng)
        weights.update_weights_exact(state, model, rng)
        if model.C > 0.0:
            margins.update_discriminants_exact(state, model, rng)
        means.update_means(state, model, rng)

    def _sweep_paper(self) -> None:
        """Sweep by the published algorithm: slips corrected, approximations kept."""
        state, model, rng = self.state, self.model, self.rng
        for n in rng.permutation(model.n_items).tolist():
            path_mh.move_path_mh(state, model, n, "augmented", rng)
            if model.C > 0.0:
                margins.update_lambda(state, model, n, rng)
        components.update_components_paper(state, model, rng)
        weights.update_weights_paper(state, model, rng)
        if model.C > 0.0:
            margins.update_discriminants_paper(state, model, rng)
        means.update_means(state, model, rng)

    def run(self, n_draws: int, *, thin: int = 1, burn_in: int = 0) -> dict[str, NDArray[Any]]:
        """Make `burn_in` sweeps, then a draw after every `thin` sweeps; labels are canonical."""
        self.sweep(burn_in)
        rows = []
        for _ in range(n_draws):
            self.sweep(thin)
            rows.append(self.summary())
        return {key: np.array([row[key] for row in rows]) for key in rows[0]} if rows else {}

    def summary(self) -> dict[str, Any]:
        """Return the present state as one draw of `run`."""
        state, model = self.state, self.model
        paths = canonical_paths(state)
        labels = np.array(canonical(state.component), dtype=np.int64)
        return {
            "paths": paths,
            "components": labels,
            "cdll": cdll(state, model),
            "rcdll": rcdll(state, model),
            "loss": margins.total_loss(state, model),
            "n_nodes": paths.max(axis=0) + 1,
            "n_components": int(labels.max()) + 1,
        }
