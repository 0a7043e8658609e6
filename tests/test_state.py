"""The state of a sampler: likelihoods and losses by the formulas, shapes, copies, given paths."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

import rbhmc
from reference.snapshot import canonical
from support import (
    SCHEMES,
    TABLE,
    Floats,
    Labels,
    assert_valid,
    scheme_name,
)

N_ITEMS, N_DIMS = TABLE.shape
each_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=scheme_name)

COVARIANCES: dict[str, dict[str, Any]] = {
    "scalar": {"noise_cov": 0.5, "base_cov": 9.0},
    "diagonal": {"noise_cov": [0.5, 2.0], "base_cov": [9.0, 25.0], "base_mean": [1.0, -2.0]},
    "full": {
        "noise_cov": [[1.0, 0.6], [0.6, 2.0]],
        "base_cov": [[20.0, -5.0], [-5.0, 30.0]],
        "base_mean": [1.0, -2.0],
    },
    "mixed": {"noise_cov": [[1.0, -0.6], [-0.6, 2.0]], "base_cov": 16.0},
}


def node_rows(paths: Labels) -> Labels:
    """Return the row in `.tree` of each item's node at each level, the root included."""
    n_nodes = 1 + paths.max(axis=0)
    first = 1 + np.cumsum([0, *n_nodes[:-1]])
    below = paths + first.astype(np.int32)
    return np.hstack([np.zeros((len(paths), 1), dtype=np.int32), below])


def losses_by_hand(sampler: rbhmc.Sampler, X: Floats, margin: float) -> Floats:
    """h_n = max(0, max over levels and siblings of margin - (eta_v - eta_z)ᵀ x_n)."""
    tree = sampler.tree
    etas = tree["discriminants"]
    assert etas is not None
    losses = np.zeros(len(X))
    for n, nodes in enumerate(node_rows(sampler.paths)):
        for v in nodes[1:]:
            siblings = np.flatnonzero(tree["parent"] == tree["parent"][v])
            for z in siblings[siblings != v]:
                losses[n] = max(losses[n], margin - (etas[v] - etas[z]) @ X[n])
    return losses


def cdll_by_hand(sampler: rbhmc.Sampler, X: Floats, alpha: float, noise_cov: Any) -> float:
    """Σ_n [ln N(x_n; θ_c, Σ) + ln β_leaf,c] + ln p(V)."""
    tree, components, means = sampler.tree, sampler.components, sampler.means
    noise = np.asarray(noise_cov, dtype=float)
    covariance = noise if noise.ndim == 2 else np.diag(np.broadcast_to(noise, X.shape[1]))
    leaves = node_rows(sampler.paths)[:, -1]
    total = 0.0
    for n, x in enumerate(X):
        total += stats.multivariate_normal(means[components[n]], covariance).logpdf(x)
        total += np.log(tree["weights"][leaves[n], components[n]])
    for node, size in enumerate(tree["n_items"]):
        children = tree["n_items"][tree["parent"] == node]
        if len(children):
            total += special.gammaln(alpha) - special.gammaln(alpha + size)
            total += np.sum(np.log(alpha) + special.gammaln(children))
    return float(total)


@each_scheme
@pytest.mark.parametrize("C", [0.0, 0.3])
@pytest.mark.parametrize("covariances", COVARIANCES.values(), ids=COVARIANCES)
def test_log_likelihoods_and_losses_follow_the_formulas(
    scheme: dict[str, Any], C: float, covariances: dict[str, Any]
) -> None:
    sampler = rbhmc.Sampler(TABLE, alpha=2.0, gamma=3.0, C=C, margin=1.5, **covariances, **scheme)
    for _ in range(5):
        assert_valid(sampler)
        cdll = cdll_by_hand(sampler, TABLE, 2.0, covariances["noise_cov"])
        losses = losses_by_hand(sampler, TABLE, 1.5) if C else np.zeros(N_ITEMS)
        np.testing.assert_allclose(sampler.losses, losses, rtol=1e-10, atol=1e-10)
        assert sampler.cdll == pytest.approx(cdll, rel=1e-10)
        assert sampler.rcdll == pytest.approx(cdll - 2 * C * losses.sum(), rel=1e-10)
        sampler.sweep(3)


def test_items_without_siblings_have_no_loss() -> None:
    one_path = np.zeros((N_ITEMS, 3), dtype=int)
    sampler = rbhmc.Sampler(TABLE, initial_paths=one_path)
    assert (sampler.losses == 0).all()
    assert sampler.rcdll == sampler.cdll


@each_scheme
def test_a_state_has_its_shapes_and_types(scheme: dict[str, Any]) -> None:
    sampler = rbhmc.Sampler(TABLE, n_levels=2, alpha=2.0, **scheme)
    sampler.sweep(4)
    tree, n_components = sampler.tree, len(sampler.means)
    expected: list[tuple[NDArray[Any], tuple[int, ...], type]] = [
        (sampler.paths, (N_ITEMS, 2), np.int32),
        (sampler.components, (N_ITEMS,), np.int32),
        (sampler.means, (n_components, N_DIMS), np.float64),
        (sampler.losses, (N_ITEMS,), np.float64),
    ]
    for values, shape, dtype in expected:
        assert values.shape == shape
        assert values.dtype == dtype
    assert set(tree) == {"parent", "level", "n_items", "weights", "discriminants"}
    assert tree["discriminants"] is not None
    assert tree["discriminants"].shape == (len(tree["parent"]), N_DIMS)
    assert np.isnan(tree["discriminants"][0]).all()
    assert (type(sampler.cdll), type(sampler.rcdll)) == (float, float)
    assert sampler.n_sweeps == 4


def test_without_regularisation_there_are_no_discriminants() -> None:
    sampler = rbhmc.Sampler(TABLE, C=0.0)
    sampler.sweep(3)
    assert sampler.tree["discriminants"] is None
    assert (sampler.losses == 0).all()
    assert sampler.rcdll == sampler.cdll


def test_arrays_of_a_state_are_copies() -> None:
    sampler = rbhmc.Sampler(TABLE)
    before = sampler.to_bytes()
    for values in (sampler.paths, sampler.components, sampler.means, sampler.tree["weights"]):
        values[...] = 7
    assert sampler.to_bytes() == before


def test_reading_the_state_does_not_change_the_chain() -> None:
    watched, other = rbhmc.Sampler(TABLE, seed=3), rbhmc.Sampler(TABLE, seed=3)
    for _ in range(10):
        assert_valid(watched)
        repr(watched)
        watched.sweep()
    other.sweep(10)
    assert watched.to_bytes() == other.to_bytes()


def test_the_repr_describes_the_state() -> None:
    sampler = rbhmc.Sampler(TABLE)
    sampler.sweep(2)
    assert repr(sampler).startswith("<rbhmc.Sampler of 7 items x 2 dims: 2 sweeps, ")


# Labels may have any value and order.
GIVEN_PATHS = np.array([[9, 40], [-3, 7], [9, 40], [9, 41], [-3, 8], [-3, 7], [2**40, -(2**50)]])


@each_scheme
@pytest.mark.parametrize("C", [0.0, 1.0])
def test_a_chain_starts_from_the_given_paths(scheme: dict[str, Any], C: float) -> None:
    sampler = rbhmc.Sampler(TABLE, n_levels=2, C=C, initial_paths=GIVEN_PATHS, **scheme)
    expected = np.array([canonical(level.tolist()) for level in GIVEN_PATHS.T]).T
    np.testing.assert_array_equal(sampler.paths, expected)
    assert sampler.n_sweeps == 0
    assert_valid(sampler)
    sampler.sweep(20)
    assert_valid(sampler)
    again = rbhmc.Sampler(TABLE, n_levels=2, C=C, initial_paths=sampler.paths, **scheme)
    np.testing.assert_array_equal(again.paths, sampler.paths)


def test_every_item_may_start_alone() -> None:
    alone = np.arange(N_ITEMS)[:, None].repeat(3, axis=1)
    sampler = rbhmc.Sampler(TABLE, initial_paths=alone)
    np.testing.assert_array_equal(sampler.paths, alone)
    assert_valid(sampler)


@pytest.mark.parametrize("kernel", ["items_gibbs", "weights_tables", "margins", "means"])
def test_a_kernel_does_not_count_as_a_sweep(kernel: str) -> None:
    sampler = rbhmc.Sampler(TABLE)
    before = sampler.to_bytes()
    sampler.apply(kernel)
    assert sampler.n_sweeps == 0
    assert sampler.to_bytes() != before


def test_the_kernels_of_a_sweep_equal_a_sweep() -> None:
    swept, applied = rbhmc.Sampler(TABLE, seed=2), rbhmc.Sampler(TABLE, seed=2)
    swept.sweep(3)
    for _ in range(3):
        for kernel in (
            "items_gibbs",
            "weights_tables",
            "margins",
            "means",
            "split_merge_components",
        ):
            applied.apply(kernel)
    np.testing.assert_array_equal(applied.paths, swept.paths)
    np.testing.assert_array_equal(applied.means, swept.means)
    assert applied.rcdll == swept.rcdll
