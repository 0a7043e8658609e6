"""Separation: likelihood ratios of two groups on the lines between siblings."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.optimize import minimize
from scipy.stats import lognorm, norm, t
from scipy.stats import uniform as uniform_law

from rbhmc.posterior.separation import (
    CHOICE,
    Projections,
    project,
    separation,
    smooth,
    two_groups,
    uniform,
)

Array = NDArray[np.float64]


def draw_groups(n_items: int, distance: float, n_columns: int = 2, seed: int = 0) -> Array:
    table = np.random.default_rng(seed).normal(size=(n_items, n_columns))
    table[::2, 0] += distance
    return table


def as_projection(values: Array, n_zeros: int = 0) -> Projections:
    """Standardise sorted values, cut them in halves, and fill the row up with zeros."""
    values = np.sort((values - values.mean()) / values.std())
    is_value = np.append(np.ones(len(values)), np.zeros(n_zeros))
    is_first = np.append(np.arange(len(values)) < len(values) // 2, np.zeros(n_zeros))
    row = np.append(values, np.zeros(n_zeros))
    return Projections(row[None], is_value[None], is_first[None].astype(float))


def best_mixture(values: Array) -> float:
    """Return the greatest log-likelihood of two Gaussians with a common variance."""

    def loss(at: Any) -> float:
        share = 1.0 / (1.0 + np.exp(-at[0]))
        density = share * norm.pdf(values, at[1], np.exp(at[3]))
        density += (1.0 - share) * norm.pdf(values, at[2], np.exp(at[3]))
        return -float(np.log(density).sum())

    return -float(minimize(loss, [0.0, -0.9, 0.9, -1.0], method="Nelder-Mead").fun)


@pytest.mark.parametrize("n_zeros", [0, 7])
def test_likelihoods_are_those_of_the_densities(n_zeros: int) -> None:
    found = as_projection(draw_groups(200, 5.0, n_columns=1)[:, 0], n_zeros)
    values = found.values[0, :200]
    assert two_groups(found)[0] == pytest.approx(best_mixture(values), abs=0.05)
    width = np.ptp(values) * 201 / 199
    expected = uniform_law(values.min() - 1e-9, width).logpdf(values).sum()
    assert uniform(found)[0] == pytest.approx(expected)
    assert smooth(found)[0] >= norm.logpdf(values).sum() - 1e-6


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_smooth_densities_fit_tails_and_skew(sign: float) -> None:
    rng = np.random.default_rng(1)
    heavy = as_projection(rng.standard_t(4, size=500))
    fitted = t.logpdf(heavy.values[0], *t.fit(heavy.values[0], f0=4.0)).sum()
    assert smooth(heavy)[0] == pytest.approx(fitted, abs=0.5)
    values = rng.lognormal(sigma=0.8, size=500)
    skewed = as_projection(sign * values)
    true = lognorm.logpdf(values, 0.8).sum() + len(values) * np.log(values.std())
    assert smooth(skewed)[0] == pytest.approx(true, abs=5.0)
    # The control: a Gaussian density fits both far worse.
    for found in (heavy, skewed):
        assert smooth(found)[0] > norm.logpdf(found.values[0]).sum() + 15.0


def test_siblings_are_projected_on_the_line_between_their_centroids() -> None:
    table = draw_groups(90, 8.0, n_columns=3)
    found = project(table, linkage(table, "ward"))
    sides = [table[::2], table[1::2]]
    expected = table @ (sides[0].mean(axis=0) - sides[1].mean(axis=0))
    expected = np.sort((expected - expected.mean()) / expected.std())
    # Which of the siblings comes first is not defined.
    turned = [np.sort(sign * found.values[0]) for sign in (1.0, -1.0)]
    assert min(np.abs(each - expected).max() for each in turned) < 1e-6
    assert found.is_first[0].sum() == 45
    # Smaller groups than √n have no line.
    assert (found.is_first.sum(axis=1) >= 10).all()
    assert ((found.is_value - found.is_first).sum(axis=1) >= 10).all()


def test_separation_does_not_depend_on_units_place_or_rotation() -> None:
    table = draw_groups(100, 4.0, n_columns=3)
    expected = separation(table, linkage(table, "ward"))
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    for other in (-table, 1e-6 * table, 1e6 * table + 5.0, table @ turn):
        found = separation(other, linkage(other, "ward"))
        np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_only_groups_that_lie_apart_are_separated() -> None:
    """The controls: the dendrogram of two groups on columns, and on items, that have no groups."""
    table = draw_groups(200, 6.0, n_columns=5)
    found = linkage(table, "ward")
    assert separation(table, found).min() > 40.0
    assert separation(table[:, 1:], found)[1] < 5.0
    assert separation(np.random.default_rng(2).normal(size=(200, 5)), found)[1] < 5.0


def test_small_sets_of_items_pay_for_their_choice() -> None:
    pair = draw_groups(60, 8.0, n_columns=1)
    cloud = 1e3 + np.random.default_rng(1).normal(size=(240, 1))
    alone = separation(pair, linkage(pair, "ward"))
    both = np.append(pair, cloud, axis=0)
    lines = project(both, linkage(both, "ward"))
    inside = lines.is_value.sum(axis=1) == 60
    assert inside.sum() == 1
    gain = two_groups(lines)[inside] - uniform(lines)[inside]
    assert gain[0] - CHOICE * np.log(300 / 60) == pytest.approx(alone[0] - CHOICE * np.log(5.0))


@pytest.mark.parametrize("table", [np.zeros((9, 2)), np.arange(3.0)[:, None]], ids=["equal", "few"])
def test_nothing_is_separated_where_there_are_no_lines(table: Array) -> None:
    assert separation(table, linkage(table, "ward")).tolist() == [-np.inf, -np.inf]
