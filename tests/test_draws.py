"""The dict that `Sampler.run` returns: arrays, their consistency, thinning, seeds, pinned draws."""

from typing import Any

import numpy as np
import pytest

import rbhmc
from reference.snapshot import canonical
from support import (
    SCHEMES,
    TABLE,
    assert_canonical_tree,
    assert_same_draws,
    scheme_name,
)

N_ITEMS = len(TABLE)
each_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=scheme_name)
each_strength = pytest.mark.parametrize("C", [0.0, 0.7])


def sampler_of(scheme: dict[str, Any], **settings: Any) -> rbhmc.Sampler:
    return rbhmc.Sampler(
        TABLE, **{"n_levels": 2, "alpha": 1.5, "base_cov": 30.0} | scheme | settings
    )


@each_scheme
@each_strength
@pytest.mark.parametrize("n_draws", [0, 1, 25])
def test_draws_have_their_names_shapes_and_types(
    scheme: dict[str, Any], C: float, n_draws: int
) -> None:
    draws = sampler_of(scheme, C=C).run(n_draws)
    shapes = {name: values.shape for name, values in draws.items()}  # type: ignore[attr-defined]
    assert shapes == {
        "paths": (n_draws, N_ITEMS, 2),
        "components": (n_draws, N_ITEMS),
        "cdll": (n_draws,),
        "rcdll": (n_draws,),
        "n_nodes": (n_draws, 2),
        "n_components": (n_draws,),
        "loss": (n_draws,),
        "path_acceptance": (n_draws,),
        "eta_acceptance": (n_draws,),
        "split_merge_acceptance": (n_draws,),
    }
    whole = {"paths", "components", "n_nodes", "n_components"}
    for name, values in draws.items():
        assert values.dtype == (np.int32 if name in whole else np.float64)  # type: ignore[attr-defined]


@each_scheme
@each_strength
def test_the_arrays_of_a_draw_are_consistent(scheme: dict[str, Any], C: float) -> None:
    draws = sampler_of(scheme, C=C).run(60)
    for index in range(60):
        paths, components = draws["paths"][index], draws["components"][index]
        assert_canonical_tree(paths)
        assert components.tolist() == canonical(components.tolist())
        assert draws["n_nodes"][index].tolist() == [len(set(level)) for level in paths.T.tolist()]
        assert draws["n_components"][index] == len(set(components.tolist()))
    assert np.isfinite(draws["cdll"]).all()
    assert (draws["loss"] >= 0).all()
    np.testing.assert_allclose(draws["rcdll"], draws["cdll"] - 2 * C * draws["loss"], rtol=1e-12)
    if C == 0:
        assert (draws["loss"] == 0).all()


@each_scheme
@each_strength
def test_acceptances_are_shares(scheme: dict[str, Any], C: float) -> None:
    draws = sampler_of(scheme, C=C).run(40)
    path, eta = draws["path_acceptance"], draws["eta_acceptance"]
    moves = draws["split_merge_acceptance"]
    assert ((path >= 0) & (path <= 1)).all()
    assert (((eta >= 0) & (eta <= 1)) | np.isnan(eta)).all()
    if scheme["path_move"] == "gibbs":
        assert (path == 1).all()
    else:
        assert ((path > 0) & (path < 1)).any()
    assert np.isfinite(eta).any() == (C > 0)
    if scheme["scheme"] == "paper":
        assert (np.isnan(eta) | (eta == 1)).all()
    assert (((moves >= 0) & (moves <= 1)) | np.isnan(moves)).all()
    assert np.isfinite(moves).any() == (scheme["scheme"] != "paper")


def test_acceptances_count_from_the_previous_draw() -> None:
    """Every sweep proposes once for each item: three sweeps have the mean share of the three."""
    scheme = SCHEMES[1]
    thinned = sampler_of(scheme).run(8, thin=3)["path_acceptance"]
    each = sampler_of(scheme).run(24)["path_acceptance"]
    np.testing.assert_allclose(thinned, each.reshape(8, 3).mean(axis=1), rtol=1e-12)


@each_scheme
@each_strength
def test_thinned_draws_are_a_subset_of_all_draws(scheme: dict[str, Any], C: float) -> None:
    thinned = sampler_of(scheme, C=C).run(10, thin=3, burn_in=5)
    every = sampler_of(scheme, C=C)
    every.sweep(5)
    draws = every.run(30)
    for name in ("paths", "components", "cdll", "rcdll", "n_nodes", "n_components", "loss"):
        np.testing.assert_array_equal(thinned[name], draws[name][2::3], err_msg=name)


def test_a_run_counts_its_sweeps() -> None:
    sampler = sampler_of(SCHEMES[0])
    sampler.run(10, thin=3, burn_in=5)
    assert sampler.n_sweeps == 35
    sampler.run(0, burn_in=2)
    assert sampler.n_sweeps == 37
    sampler.run(0)
    sampler.sweep(0)
    assert sampler.n_sweeps == 37
    sampler.sweep()
    assert sampler.n_sweeps == 38


@each_scheme
def test_the_last_draw_is_the_state(scheme: dict[str, Any]) -> None:
    sampler = sampler_of(scheme)
    draws = sampler.run(12, thin=2)
    np.testing.assert_array_equal(draws["paths"][-1], sampler.paths)
    np.testing.assert_array_equal(draws["components"][-1], sampler.components)
    assert draws["n_components"][-1] == len(sampler.means)
    assert draws["cdll"][-1] == sampler.cdll
    assert draws["rcdll"][-1] == pytest.approx(sampler.rcdll, rel=1e-14)
    assert draws["loss"][-1] == pytest.approx(sampler.losses.sum(), rel=1e-14)


@each_scheme
@each_strength
def test_equal_seeds_give_equal_draws_and_other_seeds_others(
    scheme: dict[str, Any], C: float
) -> None:
    draws = sampler_of(scheme, C=C, seed=8).run(20)
    assert_same_draws(draws, sampler_of(scheme, C=C, seed=8).run(20))
    for seed in (9, 2**64 - 1):
        assert (draws["cdll"] != sampler_of(scheme, C=C, seed=seed).run(20)["cdll"]).all()


def test_successive_runs_equal_one_run() -> None:
    whole = sampler_of(SCHEMES[0]).run(9)
    sampler = sampler_of(SCHEMES[0])
    runs = [sampler.run(n_draws) for n_draws in (2, 0, 3, 4)]
    for name, values in whole.items():
        joined = np.concatenate([run[name] for run in runs])  # type: ignore[literal-required]
        np.testing.assert_array_equal(joined, values, err_msg=name)


# The twentieth draw of each scheme with seed 0. Another value means another random stream, with
# which checkpoints of earlier versions no longer continue to the bit.
PINNED: dict[str, tuple[list[list[int]], float]] = {
    "collapsed-gibbs": (
        [[0, 0], [1, 1], [0, 0], [0, 2], [1, 1], [1, 1], [2, 3]],
        -42.654553673959036,
    ),
    "collapsed-mh": ([[0, 0], [1, 1], [2, 2], [2, 3], [1, 1], [1, 4], [3, 5]], -64.43409529187574),
    "exact-gibbs": ([[0, 0], [1, 1], [0, 0], [0, 0], [1, 1], [1, 1], [0, 0]], -37.89325065396997),
    "exact-mh": ([[0, 0], [1, 1], [0, 0], [0, 0], [1, 1], [0, 0], [2, 2]], -62.16088794885431),
    "paper-mh": ([[0, 0], [1, 1], [0, 0], [0, 2], [2, 3], [1, 1], [3, 4]], -59.25551313546968),
}


@each_scheme
def test_draws_equal_the_pinned_ones(scheme: dict[str, Any]) -> None:
    draws = sampler_of(scheme, C=0.7).run(20)
    paths, rcdll = PINNED[scheme_name(scheme)]
    assert draws["paths"][-1].tolist() == paths
    assert draws["rcdll"][-1] == pytest.approx(rcdll, rel=1e-9)
