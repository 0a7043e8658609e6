"""Small, random and large trees for tests, and a reference construction of nodes."""

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rbhmc.tree import Tree
from rbhmc.tree.node import SUPPORT_FIELDS

PROPERTY = settings(deadline=None, derandomize=True, max_examples=100)

# Birds, which split into two groups; fish; and a single insect.
NAMES = ["eagle", "owl", "robin", "salmon", "finch", "trout", "ant", "wren"]
PATHS = np.array([[7, 1], [7, 1], [7, 2], [3, 5], [7, 2], [3, 5], [4, 9], [7, 2]])

DIFFICULT = "'\",()[]{};:=\\/\n\r\t\v\x00\x1b\x85\u2028 _-#&<>|%éßЖΩאع漢字かなनि😀👨‍👩‍👧"
names = st.one_of(
    st.sampled_from(["", "'", "''", "a", "a", "root", "1", "NaN", "&amp;", "\\N", "x;y", "[c]"]),
    st.text(st.sampled_from(DIFFICULT), max_size=8),
    st.text(max_size=8),
)
# Sixteenths, whose sums are exact.
numbers = st.integers(-(10**6), 10**6).map(lambda n: n / 16)


@st.composite
def labels(draw: st.DrawFn, max_items: int = 12, max_levels: int = 5) -> NDArray[np.int64]:
    """Generate labels of a random tree, neither consecutive nor positive."""
    n_items, n_levels = draw(st.integers(1, max_items)), draw(st.integers(1, max_levels))
    node: list[tuple[int, ...]] = [()] * n_items
    columns = []
    for _ in range(n_levels):
        width = draw(st.integers(1, 4))
        steps = draw(st.lists(st.integers(0, width - 1), min_size=n_items, max_size=n_items))
        node = [(*above, step) for above, step in zip(node, steps, strict=True)]
        distinct = sorted(set(node))
        values = st.lists(
            st.integers(-(2**40), 2**40) | st.integers(0, 30),
            unique=True,
            min_size=len(distinct),
            max_size=len(distinct),
        )
        label = dict(zip(distinct, draw(values), strict=True))
        columns.append([label[path] for path in node])
    return np.array(columns, dtype=np.int64).T


@st.composite
def trees(draw: st.DrawFn, max_items: int = 12) -> Tree:
    """Generate a tree with difficult names, with or without centroids and supports."""
    paths = draw(labels(max_items))
    n_items, arguments = len(paths), dict[str, Any]()
    if draw(st.booleans()):
        arguments["names"] = draw(st.lists(names, min_size=n_items, max_size=n_items))
    if draw(st.booleans()):
        d = draw(st.integers(0, 3))
        row = st.lists(numbers, min_size=d, max_size=d)
        X = draw(st.lists(row, min_size=n_items, max_size=n_items))
        arguments["X"] = np.reshape(np.array(X, dtype=float), (n_items, d))
        if draw(st.booleans()):
            arguments["feature_names"] = draw(st.lists(names, min_size=d, max_size=d))
    tree = Tree.from_labels(paths, **arguments)
    if draw(st.booleans()):
        arguments |= draw(marks(tree))
        tree = Tree.from_labels(paths, **arguments)
    if draw(st.booleans()):
        ids = st.sampled_from([node.id for node in tree.nodes if not node.is_remainder])
        shares = st.dictionaries(ids, st.floats(0, 1))
        counts = st.dictionaries(ids, st.floats(1, 64))
        given = {name: draw(shares) for name in SUPPORT_FIELDS[:-1]}
        tree = tree.with_support(**given | {"effective_chains": draw(counts)})
    return tree


@st.composite
def marks(draw: st.DrawFn, tree: Tree) -> dict[str, Any]:
    """Generate clusters and remainders of a tree, as arguments of `Tree.from_labels`."""
    clusters = np.zeros(tree.n_items, int)
    in_remainder = np.zeros(tree.n_items, bool)
    stack = [(tree.root, False)]
    while stack:
        node, is_below = stack.pop()
        if not is_below and (node.is_leaf or draw(st.booleans())):
            clusters[node.items] = int(node.items[0])
            is_below = True
        children = [tree.node(child) for child in node.children]
        leaves = [child for child in children if child.is_leaf]
        if is_below and leaves and draw(st.booleans()):
            in_remainder[draw(st.sampled_from(leaves)).items] = True
        stack += [(child, is_below) for child in children]
    return {"clusters": clusters, "in_remainder": in_remainder}


def reference_nodes(paths: NDArray[Any]) -> list[tuple[str, int, list[int]]]:
    """Return id, level and items of each node, literally by the definition."""
    found: list[tuple[str, int, list[int]]] = []

    def visit(id: str, level: int, items: list[int]) -> None:
        found.append((id, level, items))
        for below in range(level, paths.shape[1]):
            groups: dict[int, list[int]] = {}
            for item in items:
                groups.setdefault(int(paths[item, below]), []).append(item)
            if len(groups) > 1:
                ranked = sorted(groups.values(), key=lambda group: (-len(group), group[0]))
                for rank, group in enumerate(ranked, start=1):
                    visit(str(rank) if id == "root" else f"{id}.{rank}", below + 1, group)
                return

    visit("root", 0, list(range(len(paths))))
    return found


def same_partition(a: Any, b: Any) -> bool:
    pairs = set(zip(np.asarray(a).tolist(), np.asarray(b).tolist(), strict=True))
    return len(pairs) == len(set(np.asarray(a).tolist())) == len(set(np.asarray(b).tolist()))


def many_labels(n_items: int, widths: list[int], seed: int = 0) -> NDArray[np.int64]:
    """Return labels of a large tree; each node of a level splits into up to `width` parts."""
    rng = np.random.default_rng(seed)
    label, columns = np.zeros(n_items, np.int64), []
    for width in widths:
        label = label * width + rng.integers(0, width, n_items)
        label = np.unique(label, return_inverse=True)[1]
        columns.append(label)
    return np.stack(columns, axis=1)


def deep_labels(n_items: int, n_levels: int = 255) -> NDArray[np.int64]:
    """Return labels of a tree of the greatest depth, in which one part splits off at each level."""
    part = np.arange(n_items) * (n_levels + 1) // n_items
    return np.stack([np.minimum(part, level) for level in range(1, n_levels + 1)], axis=1)


def deepest() -> Tree:
    """Return a tree that presents 255 levels below its root."""
    return Tree.from_labels(deep_labels(512))
