"""A chain of a subsample: every other item is placed in each of its draws.

Chains of random subsamples of the items average over which items were sampled, as the bagged
posterior does (Huggins and Miller 2023). They are faster than chains of all items, and where the
model is wrong, as it is for images, their consensus is better.

The path and the component of an item x that the chain is not fitted to are drawn given the
parameters of the draw, without new nodes and components: leaf z with probability proportional to
p(z) · mix(x, z) · exp(−2C h(x)), and then component k with β_zk f(x; θ_k).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from rbhmc._core import Sampler, path_probabilities
from rbhmc.sampling.chain_store import DrawChunk, join_chunks
from rbhmc.tree.labels import Labels, canonicalize

Array = NDArray[np.float64]
Items = NDArray[np.intp]

# A concentration of the nested Chinese restaurant process that leaves out new branches.
NO_NEW_BRANCH = float(np.finfo(np.float64).tiny)


def draw_subsample(n_items: int, n_fitted: int, seed: int) -> Items | None:
    """Return the items that a chain is fitted to, in ascending order; None is all of them.

    Examples
    --------
    >>> draw_subsample(6, 3, 0)
    array([3, 4, 5])
    >>> draw_subsample(6, 6, 0) is None
    True
    """
    if n_fitted >= n_items:
        return None
    return np.sort(np.random.default_rng(seed).choice(n_items, n_fitted, replace=False))


class SubsampleSampler:
    """A `Sampler` of some items whose draws have all of them.

    Parameters
    ----------
    sampler : Sampler
        The chain of ``X[fitted]``.
    X : array of shape (n_items, n_dims)
    fitted : array of shape (n_fitted,)
    seed : int
        The seed of the placements. Those of a draw depend on its sweep too, and on nothing else, so
        that a chain that is resumed has the same draws.

    Examples
    --------
    >>> X = np.repeat([0.0, 9.0], 4)[:, None]
    >>> fitted = np.array([0, 1, 4, 5])
    >>> sampler = Sampler(X[fitted], n_levels=1, initial_paths=[[0], [0], [1], [1]], C=1.0)
    >>> SubsampleSampler(sampler, X, fitted, seed=0).run(1)["paths"][0, :, 0]
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    """

    def __init__(self, sampler: Sampler, X: Array, fitted: Items, seed: int) -> None:
        self._sampler = sampler
        self._fitted = fitted
        self._others = np.setdiff1d(np.arange(len(X)), fitted)
        self._X = X[self._others]
        self._seed = seed

    @property
    def n_sweeps(self) -> int:
        """The number of sweeps since the start of the chain."""
        return self._sampler.n_sweeps

    def to_bytes(self) -> bytes:
        """Return the checkpoint of the chain."""
        return self._sampler.to_bytes()

    def run(
        self,
        n_draws: int,
        *,
        progress: Callable[[dict[str, Any]], object] | None = None,
        **options: Any,
    ) -> DrawChunk:
        """Continue the chain as `Sampler.run` does, and place all other items in each draw."""
        n_done = 0
        is_ended = False

        def report(now: dict[str, Any]) -> object:
            nonlocal is_ended
            wish = None if progress is None else progress(now | {"sweeps": n_done + now["sweeps"]})
            is_ended = wish is False or isinstance(wish, str)
            return wish

        empty: Any = self._sampler.run(0)
        chunks = [self._place(empty)]
        first = self.n_sweeps
        while len(chunks) <= n_draws and not is_ended:
            chunk: Any = self._sampler.run(1, progress=report, **options)
            if not len(chunk["cdll"]):
                break
            chunks.append(self._place(chunk))
            n_done = self.n_sweeps - first
            options |= {"burn_in": 0, "in_progress": 0}
        return join_chunks(chunks)

    def _place(self, chunk: DrawChunk) -> DrawChunk:
        """Add the other items to the labels of a chunk of at most one draw."""
        n_draws, n_fitted, n_levels = chunk["paths"].shape
        n_items = n_fitted + len(self._others)
        paths = np.empty((n_draws, n_items, n_levels), np.int32)
        components = np.empty((n_draws, n_items), np.int32)
        if n_draws:
            rng = np.random.default_rng([self._seed, self.n_sweeps])
            paths[0, self._fitted], components[0, self._fitted] = (
                chunk["paths"][0],
                chunk["components"][0],
            )
            paths[0, self._others], components[0, self._others] = place_items(
                self._sampler, self._X, rng
            )
            paths = canonicalize(paths).transpose(0, 2, 1)
            components = canonicalize(components[:, :, None])[:, 0]
        return chunk | {"paths": paths, "components": components}


def place_items(sampler: Sampler, X: Array, rng: np.random.Generator) -> tuple[Labels, Labels]:
    """Draw the paths and components of items that a sampler does not have, given its parameters.

    Examples
    --------
    >>> X = np.repeat([0.0, 9.0], 4)[:, None]
    >>> sampler = Sampler(X, n_levels=1, initial_paths=X.astype(int), noise_cov=0.1, C=0.0)
    >>> place_items(sampler, np.array([[9.1]]), np.random.default_rng(0))[0]
    array([[1]], dtype=int32)
    """
    tree = sampler.tree
    parent, level = tree["parent"], tree["level"]
    leaves = np.flatnonzero(level == level.max())
    columns = np.full(len(parent), len(leaves))
    columns[leaves] = np.arange(len(leaves))
    draw = sampler.settings | {
        "alpha": NO_NEW_BRANCH,
        "weights": tree["weights"],
        "means": sampler.means,
        "discriminants": tree["discriminants"],
    }
    probabilities = path_probabilities(X, parent, tree["n_items"], columns.tolist(), [draw])
    chosen = leaves[_draw_categories(probabilities[:, : len(leaves)], rng)]
    # An item may be nearer to a component that its leaf lacks than to all that it has.
    weights = tree["weights"][chosen, :-1] + np.finfo(np.float64).tiny
    densities = _scaled_densities(X, sampler.means, np.asarray(sampler.settings["noise_cov"]))
    components = _draw_categories(weights * densities, rng)
    return _leaf_paths(parent, level)[chosen], components.astype(np.int32)


def _draw_categories(weights: Array, rng: np.random.Generator) -> Items:
    """Draw a column of each row with probability proportional to its weight."""
    sums = weights.cumsum(axis=1)
    # Below the last sum, so that a column without weight is never drawn.
    limits = rng.random(len(weights)) * sums[:, -1]
    return np.asarray(np.minimum((sums <= limits[:, None]).sum(axis=1), weights.shape[1] - 1))


def _scaled_densities(X: Array, means: Array, noise_cov: Array) -> Array:
    """Return f(x; θ_k) of each item and component, divided by the largest of the item."""
    if noise_cov.ndim == 2:
        lower = np.linalg.cholesky(noise_cov)
        X, means = (solve_triangular(lower, rows.T, lower=True).T for rows in (X, means))
    else:
        X, means = X / np.sqrt(noise_cov), means / np.sqrt(noise_cov)
    ln_densities = X @ means.T - 0.5 * (means**2).sum(axis=1)
    return np.asarray(np.exp(ln_densities - ln_densities.max(axis=1, keepdims=True)))


def _leaf_paths(parent: NDArray[np.int32], level: NDArray[np.int32]) -> Labels:
    """Return the label of each node and its ancestors at each level, (n_nodes, n_levels).

    The nodes of a level follow one another in the order of their labels. Rows of inner nodes are
    not complete.
    """
    label = np.arange(len(level)) - np.searchsorted(level, level)
    paths = np.zeros((len(level), int(level.max())), np.int32)
    for node in range(1, len(level)):
        paths[node] = paths[parent[node]]
        paths[node, level[node] - 1] = label[node]
    return paths
