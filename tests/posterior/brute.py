"""Trees as sets of sets of items, and every answer by loops straight from its definition."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from hypothesis import strategies as st

from metrics.trees import Paths, renamed, trees
from rbhmc import Draws, Tree
from rbhmc.draws.variables import VARIABLES

Clade = frozenset[int]


def clades_at(paths: Paths, level: int) -> set[Clade]:
    """The nodes of a level; level 0 is the root."""
    if level == 0:
        return {frozenset(range(len(paths)))}
    labels = paths[:, level - 1].tolist()
    groups: dict[int, set[int]] = {}
    for item, label in enumerate(labels):
        groups.setdefault(label, set()).add(item)
    return {frozenset(group) for group in groups.values()}


def clades(paths: Paths) -> set[Clade]:
    return set().union(*(clades_at(paths, level) for level in range(paths.shape[1] + 1)))


def shares(draws: Paths) -> dict[Clade, float]:
    """The share of draws that have each clade as a node."""
    found = [clades(draw) for draw in draws]
    return {
        clade: sum(clade in each for each in found) / len(draws) for clade in set().union(*found)
    }


def jaccard(a: Clade, b: Clade) -> float:
    return len(a & b) / len(a | b)


def clades_of(tree: Tree) -> set[Clade]:
    return {frozenset(node.items.tolist()) for node in tree}


def partitions(items: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not items:
        yield []
        return
    first, *rest = items
    for keep in product((False, True), repeat=len(rest)):
        own = (first, *(item for item, kept in zip(rest, keep, strict=True) if kept))
        others = tuple(item for item, kept in zip(rest, keep, strict=True) if not kept)
        for more in partitions(others):
            yield [own, *more]


def all_trees(n_items: int, n_levels: int) -> Paths:
    """Every tree of so many items and levels."""
    found = [[np.zeros(n_items, np.int64)]]
    for _ in range(n_levels):
        finer = []
        for levels in found:
            nodes = [tuple(np.flatnonzero(levels[-1] == z).tolist()) for z in np.unique(levels[-1])]
            for parts in product(*(list(partitions(node)) for node in nodes)):
                labels = np.empty(n_items, np.int64)
                for number, part in enumerate(part for node in parts for part in node):
                    labels[list(part)] = number
                finer.append([*levels, labels])
        found = finer
    return np.array([np.stack(levels[1:], axis=1) for levels in found])


def disguised(draws: Paths, seed: int) -> Paths:
    """The same trees in another order, each with other numbers for its nodes."""
    rng = np.random.default_rng(seed)
    return np.stack([renamed(draws[draw], seed + draw) for draw in rng.permutation(len(draws))])


def as_draws(paths: Paths) -> Draws:
    """A run whose chains, draws, items and levels are those of the paths."""
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
    """Draws of trees, and another tree of the same items and levels."""
    n_items, n_levels = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    found = draw(st.lists(trees(n_items, n_levels), min_size=2, max_size=7))
    return np.stack(found[1:]), found[0]
