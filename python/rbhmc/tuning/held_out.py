"""What is measured on a chain that some items were kept from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.posterior import measures
from rbhmc.posterior.selection import select
from rbhmc.predictive import learn_predictive
from rbhmc.tuning.density import ln_density

# Draws of a chain whose trees are compared with those of other chains.
N_TREES = 20
# Draws of the parameters given the chain's tree that densities are averaged over.
PARAMETER_DRAWS = {"n_draws": 25, "n_warmup": 50, "thin": 2}


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Density of the items kept out, AID and AOD of the draws, and some of their trees.

    Attributes
    ----------
    X, kept_out : array of shape (n_items, n_dims)
        The items of the chain, and the others; both prepared.
    settings : dict
        Keywords of `Sampler` that the chain was run with.
    """

    X: NDArray[np.float64]
    kept_out: NDArray[np.float64]
    settings: dict[str, Any]

    def __call__(self, draws: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Measure the draws of the chain."""
        paths = draws["paths"]
        _, chosen = select(paths)
        predictive = learn_predictive(self.X, paths[chosen], self.settings, **PARAMETER_DRAWS)
        found = {key: value.mean for key, value in measures(paths, X=self.X).items()}
        some = np.linspace(0, len(paths) - 1, min(N_TREES, len(paths))).round().astype(int)
        return {
            "ln_density": ln_density(predictive, self.kept_out).tolist(),
            # NaN, where no draw has siblings, is nothing that JSON can hold.
            **{key: None if np.isnan(value) else value for key, value in found.items()},
            "n_nodes": draws["n_nodes"].mean(axis=0).tolist(),
            "trees": paths[some].tolist(),
        }
