"""Shared by the tests of samplers: a small table, the schemes, and the invariants of a state."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rbhmc import Sampler
from reference.snapshot import canonical

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
T = TypeVar("T")

# Three groups of items. Every value is a multiple of 1/4, so that half precision holds it exactly.
TABLE: Floats = np.array(
    [[0.25, 0.5], [6.0, -5.5], [0.0, 0.75], [-0.5, 0.25], [5.5, -6.25], [6.25, -6.0], [-7.0, -6.5]]
)

# Settings of `RBHMC` with the defaults of `Sampler`: the model without anything that is learned.
SAMPLER_DEFAULTS: dict[str, Any] = {
    "n_levels": 3,
    "margin": 5.0,
    "eta_scale": 1.0,
    "intercept": 0.0,
    "noise_cov": 1.0,
    "noise_warmup": 0,
    "base_cov": 1.0,
    "init": "prior",
}

# Every scheme with each of its path moves.
SCHEMES: list[dict[str, Any]] = [
    {"scheme": "collapsed", "path_move": "gibbs"},
    {"scheme": "collapsed", "path_move": "mh"},
    {"scheme": "exact", "path_move": "gibbs"},
    {"scheme": "exact", "path_move": "mh"},
    {"scheme": "paper", "path_move": "mh"},
]

# The presented tree is one of the draws, and its three levels are those of the draws; chains start
# from the prior, and nothing is learned.
ONE_DRAW: dict[str, Any] = SAMPLER_DEFAULTS | {"select": "vi"}

KERNELS_OF_MARGINS = ["margins", "margins_paper", "margins_path_sums"]
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


def assert_canonical_tree(paths: Labels) -> None:
    """Assert that labels are numbered by first appearance in each level, and form a tree."""
    for level in range(paths.shape[1]):
        assert paths[:, level].tolist() == canonical(paths[:, level].tolist())
        if level:
            steps = {(int(child), int(parent)) for parent, child in paths[:, level - 1 : level + 1]}
            assert len(steps) == len(np.unique(paths[:, level]))


def assert_flat_tree(tree: Any, paths: Labels, n_components: int) -> None:
    """Assert that the flat arrays agree with the paths, and that weights sum to one."""
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
    """Assert that the state is consistent, by the library's own check too, and finite.

    If not `weighed`, the weight of an item's component at its leaf may be 0, and CDLL be -inf.
    """
    sampler.check()
    paths, components, means = sampler.paths, sampler.components, sampler.means
    assert_canonical_tree(paths)
    assert components.tolist() == canonical(components.tolist())
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
    """Assert that draws are equal to the bit."""
    assert draws.keys() == others.keys()
    for name, values in draws.items():
        np.testing.assert_array_equal(values, others[name], err_msg=name, strict=True)


def assert_same_state(sampler: Sampler, other: Sampler) -> None:
    """Assert that states are equal to the bit, the random stream included."""
    assert sampler.to_bytes() == other.to_bytes()


def call_within(seconds: float, function: Callable[[], T]) -> T:
    """Return or raise what `function` does; fail if it takes longer.

    A panic of the Rust code is a BaseException and is raised too.
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
    assert not thread.is_alive(), f"still running after {seconds} s"
    if errors:
        raise errors[0]
    return results[0]
