"""Reference implementations: trees as sets of sets of items."""

import numpy as np
from hypothesis import strategies as st

from metrics.trees import Paths, relabel, trees
from rbhmc import Draws
from rbhmc.draws.variables import VARIABLES

Clade = frozenset[int]


def clades_at(paths: Paths, level: int) -> set[Clade]:
    """Return the nodes of a level; level 0 is the root."""
    if level == 0:
        return {frozenset(range(len(paths)))}
    labels = paths[:, level - 1].tolist()
    groups: dict[int, set[int]] = {}
    for item, label in enumerate(labels):
        groups.setdefault(label, set()).add(item)
    return {frozenset(group) for group in groups.values()}


def clades(paths: Paths) -> set[Clade]:
    return set().union(*(clades_at(paths, level) for level in range(paths.shape[1] + 1)))


def jaccard(a: Clade, b: Clade) -> float:
    return len(a & b) / len(a | b)


def relabel_and_shuffle(draws: Paths, seed: int) -> Paths:
    """Return the same trees in another order, each with other node numbers."""
    rng = np.random.default_rng(seed)
    return np.stack([relabel(draws[draw], seed + draw) for draw in rng.permutation(len(draws))])


def as_draws(paths: Paths) -> Draws:
    """Return a run with the chains, draws, items and levels of the paths."""
    numbers = np.empty(paths.shape, np.int32)
    for place in np.ndindex(paths.shape[:2]):
        for level in range(paths.shape[3]):
            column = paths[(*place, slice(None), level)]
            numbers[(*place, slice(None), level)] = np.unique(column, return_inverse=True)[1]
    sizes = dict(zip(VARIABLES["paths"].dims, paths.shape, strict=True))
    arrays = {
        name: np.zeros([sizes[dim] for dim in variable.dims], variable.dtype)
        for name, variable in VARIABLES.items()
    }
    return Draws(arrays | {"paths": numbers}, [f"item {n}" for n in range(paths.shape[2])])


@st.composite
def draws_and_tree(draw: st.DrawFn) -> tuple[Paths, Paths]:
    """Generate draws of trees, and another tree of the same items and levels."""
    n_items, n_levels = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    found = draw(st.lists(trees(n_items, n_levels), min_size=2, max_size=7))
    return np.stack(found[1:]), found[0]
