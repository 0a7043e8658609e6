"""Scores of a setting: the density of held-out items, and the disagreement between trees."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc.metrics import variation_of_information
from rbhmc.posterior import measures
from rbhmc.posterior.selection import select
from rbhmc.predictive import learn_predictive
from rbhmc.tree.labels import Labels, as_labels

# Draws of a chain, evenly spaced, whose trees are compared with the trees of other chains.
N_COMPARED_TREES = 20
# Draws of the parameters given the selected tree, over which densities are averaged.
PARAMETER_DRAWS = {"n_draws": 25, "n_warmup": 50, "thin": 2}


@dataclass(frozen=True, eq=False)
class HeldOutScore:
    """The `measure` of a chain: density of held-out items, AID and AOD, and some of its trees.

    Attributes
    ----------
    X, held_out : array of shape (n_items, n_dims)
        The items of the chain, and the other items; both prepared.
    settings : dict
        Keywords of `Sampler` of the chain.
    """

    X: NDArray[np.float64]
    held_out: NDArray[np.float64]
    settings: dict[str, Any]

    def __call__(self, draws: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Score the draws of the chain."""
        paths = draws["paths"]
        _, selected = select(paths)
        predictive = learn_predictive(self.X, paths[selected], self.settings, **PARAMETER_DRAWS)
        means = {key: value.mean for key, value in measures(paths, X=self.X).items()}
        n_trees = min(N_COMPARED_TREES, len(paths))
        compared = np.linspace(0, len(paths) - 1, n_trees).round().astype(int)
        return {
            "ln_density": predictive.ln_density(self.held_out).tolist(),
            # AOD is NaN if no draw has siblings; JSON cannot represent it.
            **{key: None if np.isnan(value) else value for key, value in means.items()},
            "n_nodes": draws["n_nodes"].mean(axis=0).tolist(),
            "trees": paths[compared].tolist(),
        }


def disagreement(paths_a: ArrayLike, paths_b: ArrayLike) -> float:
    """Return the mean over levels of the normalised variation of information of two trees.

    With H the entropy of a level's partition and H(a, b) the joint entropy of two,

        VI(a, b) / H(a, b) = (H(a|b) + H(b|a)) / H(a, b),

    which is 0 for equal partitions and 1 for independent ones. A level that is one node or has each
    item alone, in either tree, counts 1: chains that find no structure do not agree on a structure.

    Parameters
    ----------
    paths_a, paths_b : array of integers of shape (n_items, n_levels)
        The trees.

    Examples
    --------
    >>> disagreement([[0], [0], [1], [1]], [[7], [7], [5], [5]])
    0.0
    >>> disagreement([[0], [0], [1], [1]], [[0], [1], [0], [1]])
    1.0
    >>> disagreement([[0], [0], [0]], [[0], [0], [0]])
    1.0
    """
    trees = [as_labels(paths_a, "paths_a", dims=(2,)), as_labels(paths_b, "paths_b", dims=(2,))]
    distance = variation_of_information(paths_a, paths_b)
    # H(a) + H(b) = 2 H(a, b) - VI(a, b), and H(a) is the distance of a to one single cluster.
    one_cluster = np.zeros(trees[0].shape[1], int)
    entropies = sum(variation_of_information(paths, one_cluster) for paths in (paths_a, paths_b))
    informative = _is_informative(trees[0]) & _is_informative(trees[1])
    levels = np.ones(len(distance))
    np.divide(2.0 * distance, entropies + distance, out=levels, where=informative)
    return float(levels.mean())


def _is_informative(tree: Labels) -> NDArray[np.bool_]:
    """Tell of each level whether it has more than one node and fewer nodes than items."""
    n_nodes = tree.max(axis=1) + 1
    return np.asarray((n_nodes > 1) & (n_nodes < tree.shape[1]))
