"""The reference test: what it finds, what it must not find, and tables too small for it."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.stats import kstest, norm, uniform

import rbhmc
from rbhmc.posterior.reference import (
    N_REFERENCES,
    ReferenceTest,
    draw_references,
    reference_test,
    upper_tail,
)
from rbhmc.posterior.separation import MAX_DEPTH, separation, valley_depth
from rbhmc.preparation import Preparation

Array = NDArray[np.float64]

DEFAULTS: dict[str, Any] = {name: getattr(rbhmc.RBHMC(), name) for name in rbhmc._core.SETTINGS}


def run(table: Array, seed: int = 0, **options: Any) -> ReferenceTest:
    """Test a table with the default settings."""
    return reference_test(Preparation().fit_transform(table), DEFAULTS, seed, **options)


def two_groups(n_items: int, distance: float, n_columns: int = 2, seed: int = 0) -> Array:
    table = np.random.default_rng(seed).normal(size=(n_items, n_columns))
    table[::2, 0] += distance
    return table


def reference_depth(values: Array, bandwidth: float) -> float:
    """Return the depth of the deepest valley by its definition, on a fine grid."""
    grid = np.linspace(values.min(), values.max(), 2_000)
    density = norm.pdf(grid[:, None], values, bandwidth).mean(axis=1)
    depths = [
        np.log(min(density[: i + 1].max(), density[i:].max()) / density[i])
        for i in range(len(grid))
        if 0.2 < (values < grid[i]).mean() < 0.8
    ]
    return float(max(depths))


def test_valley_depth_follows_its_definition() -> None:
    values = two_groups(200, 4.0, n_columns=1)[:, 0]
    quartiles = np.subtract(*np.percentile(values, [75, 25])) / 1.34
    bandwidth = 0.9 * min(values.std(), quartiles) * 200**-0.2
    expected = reference_depth(values, bandwidth)
    assert expected > 0.5
    assert valley_depth(values) == pytest.approx(expected, abs=0.01)


def test_valley_depth_does_not_depend_on_units_order_or_direction() -> None:
    values = two_groups(100, 4.0, n_columns=1)[:, 0]
    depth = valley_depth(values)
    for other in (values[::-1], -values, 1e-6 * values, 1e6 * values + 5.0):
        assert valley_depth(other) == pytest.approx(depth, rel=1e-6)


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(10),
        np.array([1.0]),
        np.arange(30.0),
        np.repeat(np.arange(6.0), 20),  # a grid that is coarser than the usual bandwidth
        norm.ppf((np.arange(100) + 0.5) / 100),
        -np.log((np.arange(100) + 0.5) / 100),
    ],
    ids=["equal", "one", "uniform", "grid", "Gaussian", "exponential"],
)
def test_one_mode_has_no_valley(values: Array) -> None:
    assert valley_depth(values) < 0.01


def test_outliers_make_no_valley_and_empty_gaps_are_bounded() -> None:
    body = norm.ppf((np.arange(100) + 0.5) / 100)
    assert valley_depth(np.append(body, [50.0] * 5)) < 0.01
    # More than half of the values are equal, so the quartiles say nothing about the spread.
    assert valley_depth(np.append(np.zeros(60), np.ones(40))) < 0.01
    assert 3.0 < valley_depth(np.append(body, body + 1e4)) <= MAX_DEPTH


def test_only_groups_that_lie_apart_are_separated() -> None:
    """The controls: the dendrogram of two groups on columns, and on items, that have no groups."""
    table = two_groups(200, 6.0, n_columns=5)
    found = linkage(table, "ward")
    assert separation(table, found) > 1.0
    assert separation(table[:, 1:], found) < 0.3
    assert separation(np.random.default_rng(2).normal(size=(200, 5)), found) < 0.3


def test_references_have_the_moments_of_the_table() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(4_000, 3)) @ rng.normal(size=(3, 3)) + 5.0
    references = draw_references(table, np.random.default_rng(0))
    assert len(references) == 2 * N_REFERENCES
    for each in references:
        np.testing.assert_allclose(each.mean(axis=0), table.mean(axis=0), atol=0.3)
        np.testing.assert_allclose(np.cov(each.T), np.cov(table.T), rtol=0.15, atol=0.3)
    _, _, axes = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    families = (references[0], norm()), (references[-1], uniform(-(3**0.5), 2 * 3**0.5))
    for (each, law), (_, other) in zip(families, families[::-1], strict=True):
        scores = (each - each.mean(axis=0)) @ axes.T
        scores = scores[:, 0] / scores[:, 0].std()
        assert kstest(scores, law.cdf).pvalue > 0.001
        assert kstest(scores, other.cdf).pvalue < 0.001


def test_upper_tail_is_the_probability_of_one_more_reference() -> None:
    rng = np.random.default_rng(4)
    samples = rng.normal(1.0, 5.0, size=(4_000, 13))  # so wide that LEAST_DEPTH has no effect
    tails = [upper_tail(float(sample[0]), sample[1:]) for sample in samples]
    assert kstest(tails, "uniform").pvalue > 0.01


@pytest.mark.parametrize("n_columns", [1, 2, 10])
def test_two_groups_are_found(n_columns: int) -> None:
    found = run(two_groups(150, 5.0, n_columns))
    assert found.is_structured
    assert found.p_value < 0.05
    assert found.statistic > max(found.reference["gaussian"])


@pytest.mark.parametrize("n_columns", [1, 2, 10])
@pytest.mark.parametrize("law", ["normal", "uniform", "standard_t"])
def test_clouds_are_not_found(law: str, n_columns: int) -> None:
    degrees = {"df": 4} if law == "standard_t" else {}
    draw = getattr(np.random.default_rng(5), law)
    assert not run(draw(size=(100, n_columns), **degrees)).is_structured


def test_animals_are_found() -> None:
    assert run(np.asarray(rbhmc.datasets.load_animals().data, np.float64)).is_structured


def test_the_seed_determines_the_result() -> None:
    table = two_groups(40, 4.0)
    first, again = run(table, 7, n_jobs=1), run(table, 7, n_jobs=2)
    assert (first.statistic, first.p_value) == (again.statistic, again.p_value)
    for family, values in first.reference.items():
        assert values.tolist() == again.reference[family].tolist()
    assert run(table, 8).reference["uniform"].tolist() != first.reference["uniform"].tolist()


@pytest.mark.parametrize(
    "table",
    [np.zeros((1, 2)), np.eye(2), np.eye(5), np.full((50, 3), 7.0)],
    ids=["1 item", "2 items", "5 items", "equal items"],
)
def test_tables_too_small_or_constant_are_not_structured(table: Array) -> None:
    found = reference_test(table, DEFAULTS, 0)
    assert (found.statistic, found.p_value, found.is_structured) == (0.0, 1.0, False)
    assert {len(values) for values in found.reference.values()} == {N_REFERENCES}


def test_many_items_are_sampled() -> None:
    assert run(two_groups(70_000, 6.0)).is_structured


@pytest.mark.parametrize("n_items", [6, 9])
def test_few_items_and_constant_columns_have_a_p_value(n_items: int) -> None:
    table = np.append(two_groups(n_items, 3.0), np.ones((n_items, 1)), axis=1)
    assert 0.0 < run(table).p_value <= 1.0


def test_settings_and_tables_are_checked() -> None:
    with pytest.raises(rbhmc.InvalidInput, match="prepared"):
        reference_test(np.full((8, 2), np.nan), DEFAULTS, 0)
    with pytest.raises(rbhmc.InvalidInput, match="alpha"):
        reference_test(two_groups(20, 3.0), DEFAULTS | {"alpha": -1.0}, 0)
