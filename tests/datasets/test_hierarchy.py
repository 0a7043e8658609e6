"""Simulated hierarchies equal those of `simulate`."""

import numpy as np
import pytest

import rbhmc
from rbhmc.datasets import make_hierarchy


def test_defaults() -> None:
    hierarchy = make_hierarchy()
    assert hierarchy.data.shape == (100, 5)
    assert hierarchy.paths.shape == (100, 3)
    assert hierarchy.components.shape == (100,)
    assert hierarchy.means.shape == (hierarchy.components.max() + 1, 5)
    assert hierarchy.names[7] == "item 7"


def test_it_equals_the_result_of_simulate() -> None:
    settings = {"n_levels": 4, "alpha": 0.5, "gamma": 2.0, "gamma0": 3.0, "seed": 11}
    scales = {"noise_cov": 0.5, "base_mean": 1.0, "base_cov": 9.0}
    hierarchy = make_hierarchy(30, 2, **settings, **scales)  # type: ignore[arg-type]
    truth = rbhmc.simulate(30, 2, **settings, **scales)  # type: ignore[arg-type]
    np.testing.assert_array_equal(hierarchy.data, truth["X"])
    for name in ("paths", "components", "means"):
        np.testing.assert_array_equal(hierarchy[name], truth[name])
    np.testing.assert_array_equal(hierarchy.target, truth["paths"][:, -1])
    assert len(hierarchy.target_names) == hierarchy.target.max() + 1


def test_equal_seeds_give_equal_tables() -> None:
    np.testing.assert_array_equal(make_hierarchy(seed=1).data, make_hierarchy(seed=1).data)
    assert (make_hierarchy(seed=1).data != make_hierarchy(seed=2).data).any()


def test_invalid_parameters_are_refused() -> None:
    with pytest.raises(rbhmc.InvalidInput):
        make_hierarchy(0)
    with pytest.raises(rbhmc.InvalidInput):
        make_hierarchy(noise_cov=-1.0)
