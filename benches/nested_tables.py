"""Tables of nested Gaussian groups with known trees, in families that differ in shape.

The groups of a table are the leaves of a random tree. Siblings are about equally far from each
other: at level l of L, the nearest two are r^(L - l) s standard deviations apart, where s, the
separation, ranges from hopeless to easy. Nothing here is drawn from the model.
"""

import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

Array = NDArray[np.float64]
Items = NDArray[np.intp]
Generator = np.random.Generator
Range = tuple[float, float]

MIN_GROUP = 4  # items
N_TRIES = 100  # sets of centres, of which the most regular is taken


class Family(NamedTuple):
    """Tables of one shape.

    Attributes
    ----------
    n_items, n_columns : tuple of int
        A table has one of these numbers.
    branching : tuple of pairs
        The fewest and the most children of a node, level by level.
    separation, ratio : pair of float
        The range of s, drawn on the logarithmic scale, and of r.
    evenness : float
        The parameter of the symmetric Dirichlet distribution of the shares of siblings.
    leaf_share : float
        The probability that a node below the root has no children.
    elongation, width : float
        The ratio of the largest to the smallest standard deviation of a group along random axes,
        and of one group to another.
    held_out : bool
        Whether the transformation of supports was chosen without it.
    """

    n_items: tuple[int, ...]
    n_columns: tuple[int, ...]
    branching: tuple[tuple[int, int], ...]
    separation: Range
    ratio: Range = (2.0, 4.0)
    evenness: float = 20.0
    leaf_share: float = 0.0
    elongation: float = 1.0
    width: float = 1.0
    held_out: bool = False


FAMILIES: dict[str, Family] = {
    "flat": Family((50, 100, 200), (2, 4, 8, 16), ((2, 6),), (2.0, 10.0)),
    "two levels": Family((60, 120, 240), (2, 3, 5, 10), ((2, 4), (2, 3)), (2.0, 10.0)),
    "three levels": Family((120, 240), (3, 6, 12), ((2, 3), (2, 2), (2, 3)), (2.0, 8.0)),
    "unequal": Family((80, 160, 300), (2, 5, 10, 20), ((2, 4), (2, 4)), (2.0, 10.0), evenness=1.5),
    "nothing": Family((50, 100, 200), (2, 5, 10, 20), ((2, 3),), (0.2, 2.0)),
    "uneven depth": Family(
        (80, 150, 300),
        (2, 4, 8, 20),
        ((2, 4), (2, 3), (2, 3)),
        (2.0, 10.0),
        leaf_share=0.5,
        held_out=True,
    ),
    "elongated": Family(
        (60, 150, 300),
        (3, 5, 10),
        ((2, 3), (2, 4)),
        (2.5, 10.0),
        evenness=3.0,
        elongation=3.0,
        held_out=True,
    ),
    "binary": Family(
        (100, 200), (5, 10, 20), ((2, 2), (2, 2), (2, 2)), (1.5, 8.0), (1.5, 3.0), held_out=True
    ),
    "unequal widths": Family(
        (60, 120, 240), (2, 5, 10), ((2, 4), (2, 3)), (2.5, 12.0), width=3.0, held_out=True
    ),
    "large": Family(
        (500, 1000),
        (2, 6, 15),
        ((2, 5), (2, 4)),
        (2.0, 8.0),
        evenness=3.0,
        leaf_share=0.2,
        held_out=True,
    ),
}


class NestedTable(NamedTuple):
    """A table, the nodes of its true tree without the root, and its separation."""

    X: Array
    nodes: list[Items]
    separation: float


def draw_table(name: str, seed: int) -> NestedTable:
    """Draw a table of a family."""
    family = FAMILIES[name]
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    n_items, n_columns = int(rng.choice(family.n_items)), int(rng.choice(family.n_columns))
    separation = float(np.exp(rng.uniform(*np.log(family.separation))))
    ratio = rng.uniform(*family.ratio)
    leaves = list(_grow(family, rng, n_columns, separation, ratio))
    shares = np.array([leaf.share for leaf in leaves])
    sizes = MIN_GROUP + rng.multinomial(n_items - MIN_GROUP * len(leaves), shares / shares.sum())
    groups = rng.permutation(np.repeat(np.arange(len(leaves)), sizes))
    X = np.empty((n_items, n_columns))
    for number, leaf in enumerate(leaves):
        members = groups == number
        noise = rng.normal(size=(sizes[number], n_columns))
        width = family.width ** rng.uniform(-0.5, 0.5)
        X[members] = leaf.centre + width * noise @ _axes(family.elongation, n_columns, rng)
    prefixes = sorted(
        {leaf.path[:depth] for leaf in leaves for depth in range(1, 1 + len(leaf.path))}
    )
    nodes = []
    for prefix in prefixes:
        inside = [leaf.path[: len(prefix)] == prefix for leaf in leaves]
        nodes.append(np.flatnonzero(np.array(inside)[groups]))
    return NestedTable(X, nodes, separation)


class _Leaf(NamedTuple):
    path: tuple[int, ...]
    centre: Array
    share: float


def _grow(
    family: Family, rng: Generator, n_columns: int, separation: float, ratio: float
) -> Iterator[_Leaf]:
    """Draw the tree from the root on, and yield its leaves."""
    stack = [_Leaf((), np.zeros(n_columns), 1.0)]
    depth = len(family.branching)
    while stack:
        node = stack.pop()
        level = len(node.path)
        if level == depth or (level > 0 and rng.random() < family.leaf_share):
            yield node
            continue
        low, high = family.branching[level]
        n_children = int(rng.integers(low, high + 1))
        offsets = regular_centres(n_children, n_columns, rng)
        distance = separation * ratio ** (depth - level - 1)
        shares = rng.dirichlet(np.full(n_children, family.evenness))
        stack += [
            _Leaf((*node.path, child), node.centre + distance * offset, node.share * share)
            for child, (offset, share) in enumerate(zip(offsets, shares.tolist(), strict=True))
        ]


def regular_centres(n: int, n_columns: int, rng: Generator) -> Array:
    """Return points whose mean is 0 and least distance 1, and which are about equally far apart."""
    best, least = np.zeros((n, n_columns)), np.inf
    for _ in range(N_TRIES):
        points = rng.normal(size=(n, n_columns))
        distances = pdist(points)
        if distances.max() / distances.min() < least:
            least = distances.max() / distances.min()
            best = (points - points.mean(axis=0)) / distances.min()
    return best


def _axes(elongation: float, n_columns: int, rng: Generator) -> Array:
    """Return a matrix that gives unit noise the geometric mean 1 and the given elongation."""
    if elongation == 1.0:
        return np.eye(n_columns)
    rotation, _ = np.linalg.qr(rng.normal(size=(n_columns, n_columns)))
    widths = np.exp(np.log(elongation) * np.linspace(-0.5, 0.5, n_columns))
    return np.asarray(widths[:, None] * rotation)
