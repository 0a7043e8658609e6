"""Draws of random trees, independent of each other, made without a sampler."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc import Draws
from rbhmc.draws.variables import VARIABLES
from reference.snapshot import canonical

Labels = NDArray[np.int32]


def numbered(labels: NDArray[np.integer[Any]]) -> Labels:
    """Number the labels by first appearance."""
    return np.array(canonical(labels.tolist()), np.int32)


def made_tree(rng: np.random.Generator, n_items: int, n_levels: int, n_leaves: int) -> Labels:
    """Make the paths of a tree whose nodes have three children on average."""
    paths = np.empty((n_items, n_levels), np.int32)
    paths[:, -1] = labels = numbered(rng.integers(n_leaves, size=n_items))
    for level in reversed(range(n_levels - 1)):
        n_nodes = int(labels.max()) + 1
        parent = rng.integers(max(1, n_nodes // 3), size=n_nodes)
        paths[:, level] = labels = numbered(parent[labels])
    return paths


def made_draws(
    n_chains: int = 2,
    n_draws: int = 7,
    n_items: int = 9,
    n_levels: int = 3,
    *,
    n_leaves: int = 6,
    n_components: int = 4,
    seed: int = 0,
    settings: dict[str, Any] | None = None,
) -> Draws:
    rng = np.random.default_rng(seed)
    each = (n_chains, n_draws)
    arrays: dict[str, NDArray[Any]] = {
        "paths": np.empty((*each, n_items, n_levels), np.int32),
        "components": np.empty((*each, n_items), np.int32),
    }
    for place in np.ndindex(each):
        arrays["paths"][place] = made_tree(rng, n_items, n_levels, n_leaves)
        arrays["components"][place] = numbered(rng.integers(n_components, size=n_items))
    arrays["n_nodes"] = (arrays["paths"].max(axis=2, initial=0) + 1).astype(np.int32)
    arrays["n_components"] = (arrays["components"].max(axis=2, initial=0) + 1).astype(np.int32)
    acceptances = (f"{what}_acceptance" for what in ("path", "eta", "split_merge"))
    for name in ("cdll", "rcdll", "loss", *acceptances):
        arrays[name] = rng.normal(size=each)
    return Draws(arrays, [f"item {n}" for n in range(n_items)], settings)


def assert_same(one: Draws, other: Draws) -> None:
    """Compare to the bit, NaN and signed zeros included."""
    assert one.names == other.names
    assert one.settings == other.settings
    for name in VARIABLES:
        values, others = getattr(one, name), getattr(other, name)
        assert values.dtype == others.dtype
        assert values.shape == others.shape
        assert values.tobytes() == others.tobytes(), name
