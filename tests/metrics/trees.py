"""Small random trees, and reference implementations of every measure."""

import math
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

Paths = NDArray[np.int64]
quick = settings(deadline=None, derandomize=True, max_examples=40)


def build_paths(choices: NDArray[Any], names: NDArray[Any]) -> Paths:
    """Return the tree in which items share a node if their choices agree from the top down.

    The nodes of a level are numbered by `names`, in order of first appearance.
    """
    paths = np.empty(choices.shape, dtype=np.int64)
    for level in range(choices.shape[1]):
        seen: dict[tuple[int, ...], int] = {}
        for item, path in enumerate(choices[:, : level + 1].tolist()):
            paths[item, level] = names[seen.setdefault(tuple(path), len(seen))]
    return paths


def random_tree(rng: np.random.Generator, n_items: int, n_levels: int, branches: int = 3) -> Paths:
    choices = rng.integers(branches, size=(n_items, n_levels))
    return build_paths(choices, rng.permutation(n_items))


def random_draws(seed: int, *shape: int) -> Paths:
    """Return draws of shape (…, n_items, n_levels)."""
    rng = np.random.default_rng(seed)
    *front, n_items, n_levels = shape
    draws = [random_tree(rng, n_items, n_levels) for _ in range(math.prod(front))]
    return np.reshape(draws, shape)


@st.composite
def trees(draw: st.DrawFn, n_items: int | None = None, n_levels: int | None = None) -> Paths:
    n = draw(st.integers(1, 9)) if n_items is None else n_items
    levels = draw(st.integers(1, 4)) if n_levels is None else n_levels
    path = st.lists(st.integers(0, 2), min_size=levels, max_size=levels)
    choices = draw(st.lists(path, min_size=n, max_size=n))
    return build_paths(np.array(choices).reshape(n, levels), np.arange(n))


@st.composite
def several_trees(draw: st.DrawFn, least: int, most: int) -> Paths:
    n_items, n_levels = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    return np.stack(
        draw(st.lists(trees(n_items, n_levels), min_size=least, max_size=most)),
    )


@st.composite
def trees_with_classes(draw: st.DrawFn) -> tuple[Paths, list[int]]:
    paths = draw(trees())
    return paths, draw(st.lists(st.integers(0, 3), min_size=len(paths), max_size=len(paths)))


@st.composite
def trees_with_items(draw: st.DrawFn) -> tuple[Paths, NDArray[np.float64]]:
    paths = draw(trees())
    point = st.lists(st.integers(-9, 9), min_size=2, max_size=2)
    points = draw(st.lists(point, min_size=len(paths), max_size=len(paths)))
    return paths, np.array(points, dtype=np.float64)


def relabel(paths: Paths, seed: int) -> Paths:
    """Return the same tree with other node numbers, some of them negative, some huge."""
    rng = np.random.default_rng(seed)
    other = np.empty_like(paths)
    for level in range(paths.shape[1]):
        old, inverse = np.unique(paths[:, level], return_inverse=True)
        other[:, level] = rng.choice(2**40, size=len(old), replace=False)[inverse] - 2**39
    return other


def nodes(paths: Paths) -> dict[tuple[int, int], list[int]]:
    """Return the items of each node below the root, by (level, number)."""
    found: dict[tuple[int, int], list[int]] = {}
    for item, path in enumerate(paths.tolist()):
        for level, number in enumerate(path, start=1):
            found.setdefault((level, number), []).append(item)
    return found


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def distance(X: NDArray[np.float64], i: int, j: int) -> float:
    return math.dist(X[i].tolist(), X[j].tolist())


def reference_aid(
    X: NDArray[np.float64], paths: Paths, singletons: str, level: int | None
) -> float:
    means = []
    for (at, _), items in nodes(paths).items():
        if level not in (None, at) or (singletons == "skip" and len(items) == 1):
            continue
        pairs = [distance(X, i, j) ** 2 for i, j in combinations(items, 2)]
        means.append(mean(pairs) if pairs else 0.0)
    return mean(means)


def reference_aod(
    X: NDArray[np.float64], paths: Paths, singletons: str, level: int | None
) -> float:
    means = []
    for ((at, _), items), ((also_at, _), others) in combinations(nodes(paths).items(), 2):
        above = paths[items[0], : at - 1].tolist(), paths[others[0], : at - 1].tolist()
        if at != also_at or above[0] != above[1] or level not in (None, at):
            continue
        if singletons == "skip" and 1 in (len(items), len(others)):
            continue
        means.append(float(((X[items].mean(axis=0) - X[others].mean(axis=0)) ** 2).sum()))
    return mean(means)


def reference_f_measure(paths: Paths, classes: list[int]) -> list[float]:
    values = [0.0] * paths.shape[1]
    for of_class in set(classes):
        members = {i for i, c in enumerate(classes) if c == of_class}
        for level in range(1, paths.shape[1] + 1):
            best = 0.0
            for (at, _), items in nodes(paths).items():
                if at == level:
                    both = len(members.intersection(items))
                    precision, recall = both / len(items), both / len(members)
                    if both:
                        best = max(best, 2 * precision * recall / (precision + recall))
            values[level - 1] += best * len(members) / len(classes)
    return values


def reference_purity(paths: Paths, classes: list[int]) -> float:
    everywhere = [list(range(len(paths))), *nodes(paths).values()]
    purities = []
    for i, j in combinations(range(len(paths)), 2):
        if classes[i] == classes[j]:
            smallest = min((z for z in everywhere if i in z and j in z), key=len)
            purities.append(mean([float(classes[n] == classes[i]) for n in smallest]))
    return mean(purities)


def entropy(labels: list[Any]) -> float:
    shares = [labels.count(label) / len(labels) for label in set(labels)]
    return -sum(share * math.log2(share) for share in shares)


def reference_vi(a: NDArray[Any], b: NDArray[Any]) -> list[float]:
    """Return 2 H(a, b) - H(a) - H(b) at each level."""
    both = [list(zip(x, y, strict=True)) for x, y in zip(a.T.tolist(), b.T.tolist(), strict=True)]
    columns = zip(both, a.T.tolist(), b.T.tolist(), strict=True)
    return [2 * entropy(xy) - entropy(x) - entropy(y) for xy, x, y in columns]


def reference_binder(a: NDArray[Any], b: NDArray[Any]) -> list[float]:
    pairs = list(combinations(range(len(a)), 2))
    return [
        sum((a[i, at] == a[j, at]) != (b[i, at] == b[j, at]) for i, j in pairs) / max(1, len(pairs))
        for at in range(a.shape[1])
    ]
