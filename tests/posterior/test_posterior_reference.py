"""The reference test: what it finds, what it must not find, and tables too small for it."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import kstest, norm, uniform

import rbhmc
from rbhmc.posterior.reference import (
    N_REFERENCES,
    ReferenceTest,
    compactness,
    draw_references,
    reference_test,
)
from rbhmc.posterior.separation import MAX_DEPTH, separation, valley_depth
from rbhmc.preparation import Preparation

Array = NDArray[np.float64]


def run(table: Array, seed: int = 0) -> ReferenceTest:
    """Prepare and test a table."""
    return reference_test(Preparation().fit_transform(table), seed)


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


def test_compactness_is_the_share_of_variance_between_groups() -> None:
    table = two_groups(90, 4.0, n_columns=3)
    ward = linkage(table, "ward")
    groups = fcluster(ward, 11, "maxclust")  # √90 is between 9 and 10
    within = sum(
        ((table[groups == k] - table[groups == k].mean(axis=0)) ** 2).sum() for k in set(groups)
    )
    total = ((table - table.mean(axis=0)) ** 2).sum()
    assert compactness(ward) == pytest.approx(1.0 - within / total)


def test_references_have_the_moments_of_the_table() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(4_000, 3)) @ rng.normal(size=(3, 3)) + 5.0
    uniform_tables, elliptical_tables = draw_references(table, np.random.default_rng(0))
    for each in (*uniform_tables, *elliptical_tables):
        np.testing.assert_allclose(each.mean(axis=0), table.mean(axis=0), atol=0.3)
        np.testing.assert_allclose(np.cov(each.T), np.cov(table.T), rtol=0.15, atol=0.3)
    _, _, axes = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    # The table is Gaussian, and so are elliptical clouds with its norms.
    families = [
        (uniform_tables[0], uniform(-(3**0.5), 2 * 3**0.5), norm()),
        (elliptical_tables[0], norm(), uniform(-(3**0.5), 2 * 3**0.5)),
    ]
    for each, law, other in families:
        scores = (each - each.mean(axis=0)) @ axes.T
        scores = scores[:, 0] / scores[:, 0].std()
        assert kstest(scores, law.cdf).pvalue > 0.001
        assert kstest(scores, other.cdf).pvalue < 0.001


def test_elliptical_references_have_the_tails_of_the_table() -> None:
    heavy = np.random.default_rng(4).standard_t(3, size=(300, 2))
    _, elliptical = draw_references(heavy, np.random.default_rng(0))
    uniform_tables, _ = draw_references(heavy, np.random.default_rng(0))
    largest = np.linalg.norm(heavy, axis=1).max()
    assert np.median(np.linalg.norm(elliptical, axis=2).max(axis=1)) > 0.6 * largest
    assert np.linalg.norm(uniform_tables, axis=2).max() < 0.6 * largest


def test_the_p_value_counts_the_closer_family_and_both_statistics() -> None:
    none, three = np.zeros(49), np.append(np.ones(3), np.zeros(46))
    found = ReferenceTest(0.5, 0.5, {"uniform": three}, {"uniform": none, "elliptical": three})
    assert (found.n_as_separated, found.n_as_compact) == (3, 3)
    assert found.p_value == pytest.approx(16 / 150)
    assert not found.is_structured
    found = ReferenceTest(0.5, 0.5, {"uniform": three}, {"uniform": none, "elliptical": none})
    assert (found.p_value, found.is_structured) == (0.08, True)
    found = ReferenceTest(0.5, 0.5, {"uniform": none}, {"uniform": three, "elliptical": none})
    assert found.p_value == pytest.approx(4 / 150)
    assert found.is_structured


@pytest.mark.parametrize("n_columns", [1, 2, 10])
def test_two_groups_are_found(n_columns: int) -> None:
    found = run(two_groups(150, 5.0, n_columns))
    assert found.is_structured
    assert found.n_as_separated == 0


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
    first, again, other = (run(table, seed).reference_separation["uniform"] for seed in (7, 7, 8))
    assert first.tolist() == again.tolist() != other.tolist()


@pytest.mark.parametrize(
    "table",
    [np.eye(2), np.eye(5), np.full((50, 3), 7.0)],
    ids=["2 items", "5 items", "equal items"],
)
def test_tables_too_small_or_constant_are_not_structured(table: Array) -> None:
    found = reference_test(table, 0)
    assert not found.is_structured
    assert found.n_references == N_REFERENCES


def test_many_items_are_sampled() -> None:
    assert run(two_groups(70_000, 6.0)).is_structured


@pytest.mark.parametrize("n_items", [6, 9])
def test_few_items_and_constant_columns_have_a_p_value(n_items: int) -> None:
    table = np.append(two_groups(n_items, 3.0), np.ones((n_items, 1)), axis=1)
    assert 0.0 < run(table).p_value <= 1.0


def test_tables_are_checked() -> None:
    with pytest.raises(rbhmc.InvalidInput, match="prepared"):
        reference_test(np.full((8, 2), np.nan), 0)
