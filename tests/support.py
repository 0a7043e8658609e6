"""What the tests of a sampler share: a small table, the schemes, what must hold of any state."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rbhmc import Sampler

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
T = TypeVar("T")

# Three groups of items. Every value is a multiple of 1/4, so that half precision holds it exactly.
TABLE: Floats = np.array(
    [[0.25, 0.5], [6.0, -5.5], [0.0, 0.75], [-0.5, 0.25], [5.5, -6.25], [6.25, -6.0], [-7.0, -6.5]]
)

# Every scheme with every path move that it has.
SCHEMES: list[dict[str, Any]] = [
    {"scheme": "collapsed", "path_move": "gibbs"},
    {"scheme": "collapsed", "path_move": "mh"},
    {"scheme": "exact", "path_move": "gibbs"},
    {"scheme": "exact", "path_move": "mh"},
    {"scheme": "paper", "path_move": "mh"},
]

KERNELS_OF_MARGINS = ["margins", "margins_paper"]
KERNELS_WITHOUT_MARGINS = [
    "items_gibbs",
    "items_mh",
    "paths_paper",
    "components",
    "components_paper",
    "weights_tables",
    "weights_counts",
    "means",
    "split_merge_components",
]


def scheme_name(scheme: dict[str, Any]) -> str:
    return f"{scheme['scheme']}-{scheme['path_move']}"


def first_appearance(labels: NDArray[np.integer[Any]]) -> list[int]:
    """The labels, numbered by first appearance."""
    seen: dict[int, int] = {}
    return [seen.setdefault(int(label), len(seen)) for label in labels]


def assert_canonical_tree(paths: Labels) -> None:
    """Labels numbered by first appearance in each level, and each node with one parent."""
    for level in range(paths.shape[1]):
        assert paths[:, level].tolist() == first_appearance(paths[:, level])
        if level:
            steps = {(int(child), int(parent)) for parent, child in paths[:, level - 1 : level + 1]}
            assert len(steps) == len(np.unique(paths[:, level]))


def assert_flat_tree(tree: Any, paths: Labels, n_components: int) -> None:
    """The flat arrays say the same as the paths; the weights of a node sum to one."""
    n_items, n_levels = paths.shape
    n_nodes = [1, *(int(paths[:, level].max()) + 1 for level in range(n_levels))]
    first = np.cumsum([0, *n_nodes])
    level = np.repeat(np.arange(n_levels + 1), n_nodes)
    parent = np.full(first[-1], -1)
    size = np.zeros(first[-1], dtype=int)
    size[0] = n_items
    for path in paths:
        nodes = [0, *(first[1 + depth] + label for depth, label in enumerate(path))]
        parent[nodes[1:]] = nodes[:-1]
        size[nodes[1:]] += 1
    for name, recounted in (("parent", parent), ("level", level), ("n_items", size)):
        assert tree[name].dtype == np.int32
        np.testing.assert_array_equal(tree[name], recounted)
    assert tree["weights"].shape == (first[-1], n_components + 1)
    assert (tree["weights"] >= 0).all()
    np.testing.assert_allclose(tree["weights"].sum(axis=1), 1.0, atol=1e-9)


def assert_valid(sampler: Sampler, *, weighed: bool = True) -> None:
    """The state is consistent, in the library's own eyes and ours, and every number is finite.

    If not `weighed`, an item's component may have no weight at its leaf, and CDLL be -inf.
    """
    sampler.check()
    paths, components, means = sampler.paths, sampler.components, sampler.means
    assert_canonical_tree(paths)
    assert components.tolist() == first_appearance(components)
    assert len(means) == components.max() + 1
    tree = sampler.tree
    assert_flat_tree(tree, paths, len(means))
    likelihoods = np.array([sampler.cdll, sampler.rcdll])
    assert (likelihoods < np.inf).all()
    numbers = [means, sampler.losses, *([likelihoods] if weighed else [])]
    if tree["discriminants"] is not None:
        numbers.append(tree["discriminants"][1:])
    for values in numbers:
        assert np.isfinite(values).all()
    assert (sampler.losses >= 0).all()


def assert_same_draws(draws: Any, others: Any) -> None:
    """Equal to the bit."""
    assert draws.keys() == others.keys()
    for name, values in draws.items():
        np.testing.assert_array_equal(values, others[name], err_msg=name, strict=True)


def assert_same_state(sampler: Sampler, other: Sampler) -> None:
    """Equal to the bit, the random stream included."""
    assert sampler.to_bytes() == other.to_bytes()


def within(seconds: float, function: Callable[[], T]) -> T:
    """What `function` returns or raises; a failure if it takes longer.

    A panic of the Rust code is a BaseException and passes through like any other.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), f"still at work after {seconds} s"
    if errors:
        raise errors[0]
    return results[0]
