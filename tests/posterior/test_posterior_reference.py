"""The reference test: what it finds, what it must not find, and tables too small for it."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import kstest, norm, skew, spearmanr, uniform

import rbhmc
from rbhmc.posterior.clouds import draw_clouds, draw_pairings, find_columns
from rbhmc.posterior.reference import (
    COMPACTNESS_SHARE,
    N_REFERENCES,
    SEPARATION_SHARE,
    ReferenceTest,
    compactness,
    reference_test,
)
from rbhmc.preparation import Preparation

Array = NDArray[np.float64]


def run(table: Any, seed: int = 0) -> ReferenceTest:
    """Prepare and test a table without gaps."""
    preparation = Preparation()
    encoded = preparation.learn_encoding(table)
    prepared = preparation.learn(encoded).prepare(encoded)
    return reference_test(prepared, seed, find_columns(preparation, encoded))


def two_groups(n_items: int, distance: float, n_columns: int = 2, seed: int = 0) -> Array:
    table = np.random.default_rng(seed).normal(size=(n_items, n_columns))
    table[::2, 0] += distance
    return table


def test_compactness_is_the_share_of_variance_between_groups() -> None:
    table = two_groups(90, 4.0, n_columns=3)
    ward = linkage(table, "ward")
    groups = fcluster(ward, 11, "maxclust")  # √90 is between 9 and 10
    within = sum(
        ((table[groups == k] - table[groups == k].mean(axis=0)) ** 2).sum() for k in set(groups)
    )
    total = ((table - table.mean(axis=0)) ** 2).sum()
    assert compactness(ward) == pytest.approx(1.0 - within / total)


@pytest.mark.parametrize("skewed", [False, True])
def test_clouds_have_the_moments_of_the_table(skewed: bool) -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(4_000, 3)) @ rng.normal(size=(3, 3)) + 5.0
    clouds = draw_clouds(table, [], np.random.default_rng(0), 20, skewed=skewed)
    for each in clouds:
        np.testing.assert_allclose(each.mean(axis=0), table.mean(axis=0), atol=0.3)
        np.testing.assert_allclose(np.cov(each.T), np.cov(table.T), rtol=0.15, atol=0.3)
    _, _, axes = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    scores = (clouds[0] - clouds[0].mean(axis=0)) @ axes.T
    scores = scores[:, 0] / scores[:, 0].std()
    laws = [uniform(-(3**0.5), 2 * 3**0.5), norm()]
    # The table is Gaussian, and so are skewed clouds without skewness.
    assert kstest(scores, laws[skewed].cdf).pvalue > 0.001
    assert kstest(scores, laws[not skewed].cdf).pvalue < 0.001


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_skewed_clouds_have_the_skewness_of_the_table(sign: float) -> None:
    table = sign * np.random.default_rng(4).gamma(4.0, size=(5_000, 1))
    skewed = draw_clouds(table, [], np.random.default_rng(0), 20, skewed=True)
    # Of Gamma(4) it is 1.
    assert np.median(skew(skewed[:, :, 0], axis=1)) == pytest.approx(sign, abs=0.15)
    even = draw_clouds(table, [], np.random.default_rng(0), 20, skewed=False)
    assert np.abs(skew(even[:, :, 0], axis=1)).max() < 0.1


@pytest.mark.parametrize("by_scores", [True, False])
def test_pairings_have_the_columns_and_the_correlations_of_the_table(by_scores: bool) -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(2_000, 3)) @ rng.normal(size=(3, 3))
    if by_scores:
        table = np.exp(table)
    pairings = draw_pairings(table, [], np.random.default_rng(0), 20, by_scores=by_scores)
    for each in pairings:
        assert np.array_equal(np.sort(each, axis=0), np.sort(table, axis=0))
        correlations = spearmanr(each).statistic
        np.testing.assert_allclose(correlations, spearmanr(table).statistic, atol=0.12)
    # The control: items that only columns together can tell apart are not together any more.
    assert not any(
        np.isin(table[:, 0] * table[:, 1], each[:, 0] * each[:, 1]).all() for each in pairings
    )


def test_few_values_and_categories_stay_what_they_are() -> None:
    rng = np.random.default_rng(4)
    indicators = np.eye(3)[rng.integers(3, size=60)]
    table = np.column_stack([rng.normal(size=60), rng.integers(2, size=60), indicators])
    draws = [
        *(draw_clouds(table, [slice(2, 5)], rng, 5, skewed=skewed) for skewed in (False, True)),
        *(
            draw_pairings(table, [slice(2, 5)], rng, 5, by_scores=scores)
            for scores in (False, True)
        ),
    ]
    for each in np.concatenate(draws):
        assert each[:, 1].sum() == table[:, 1].sum()
        assert set(each[:, 1]) == {0.0, 1.0}
        assert each[:, 2:].sum(axis=0).tolist() == indicators.sum(axis=0).tolist()
        assert (each[:, 2:].sum(axis=1) == 1.0).all()
    assert len(np.intersect1d(draws[0][0, :, 0], table[:, 0])) == 0


def test_the_p_value_counts_the_closer_family_and_both_statistics() -> None:
    none, three, all_ = np.zeros(39), np.append(np.ones(3), np.zeros(36)), np.ones(39)
    own = np.full(2, 0.5)
    found = ReferenceTest(own, 0.5, np.stack([three, none]), np.stack([none, three]))
    assert (found.n_as_separated, found.n_as_compact) == (3, 3)
    assert found.p_value == pytest.approx(4 / SEPARATION_SHARE / 40)
    assert not found.is_structured
    # A family has its own statistic.
    found = ReferenceTest(np.array([2.0, 0.5]), 0.5, np.stack([all_, none]), np.stack([all_, all_]))
    assert (found.n_as_separated, found.is_structured) == (0, True)
    # Like one family is like a cloud.
    found = ReferenceTest(own, 0.5, np.stack([none, all_]), np.stack([none, all_]))
    assert not found.is_structured
    found = ReferenceTest(own, 0.5, np.stack([all_, all_]), np.stack([none, none]))
    assert found.p_value == pytest.approx(1 / COMPACTNESS_SHARE / 40)
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


def draw_discrete(kind: str, n_columns: int) -> Any:
    """Draw independent columns of few values."""
    rng = np.random.default_rng(6)
    if kind == "yes/no":
        return rng.integers(2, size=(100, n_columns)).astype(float)
    if kind == "ratings":
        return rng.binomial(4, 0.6, size=(100, n_columns)).astype(float)
    return rng.choice(["a", "b", "c", "d"], size=(100, n_columns)).astype(object)


@pytest.mark.parametrize("n_columns", [1, 2, 5, 10])
@pytest.mark.parametrize("kind", ["yes/no", "ratings", "categories"])
def test_independent_columns_of_few_values_are_not_found(kind: str, n_columns: int) -> None:
    assert not run(draw_discrete(kind, n_columns)).is_structured


@pytest.mark.parametrize("kind", ["yes/no", "categories"])
def test_groups_that_columns_of_few_values_have_in_common_are_found(kind: str) -> None:
    """The control of the last test: nine of ten values are those of the item's group."""
    rng = np.random.default_rng(7)
    group = np.repeat([0, 1], 50)[:, None]
    is_other = rng.random((100, 8)) < 0.1
    values = np.where(is_other, 1 - group, group)
    table: Any = values.astype(float)
    if kind == "categories":
        third = rng.random((100, 8)) < 0.2
        table = np.where(third, "c", np.array(["a", "b"])[values]).astype(object)
    assert run(table).is_structured


@pytest.mark.parametrize("n_columns", [2, 5])
def test_skewed_columns_are_not_found(n_columns: int) -> None:
    assert not run(
        np.random.default_rng(5).lognormal(sigma=0.8, size=(150, n_columns))
    ).is_structured


def test_animals_are_found() -> None:
    assert run(np.asarray(rbhmc.datasets.load_animals().data, np.float64)).is_structured


def test_the_seed_determines_the_result() -> None:
    table = two_groups(40, 4.0)
    first, again, other = (run(table, seed).reference_separation for seed in (7, 7, 8))
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


def test_the_words_name_what_decides() -> None:
    none, all_, own = np.zeros((2, 39)), np.ones((2, 39)), np.full(2, 0.5)
    one = np.tile(np.append(1.0, np.zeros(38)), (2, 1))
    found = ReferenceTest(own, 0.5, one, all_)
    assert found.p_value == pytest.approx(0.1)
    assert found.is_structured
    assert "(1 of 39 references without groups are as separated; p = 0.10)" in str(found)
    assert "(0 of 39 references without groups are as compact;" in str(
        ReferenceTest(own, 0.5, all_, none)
    )
    assert "no more structure" in str(ReferenceTest(own, 0.5, all_, all_))
    assert "39 of 39 references without groups are as separated, 39 as compact;" in str(
        ReferenceTest(own, 0.5, all_, all_)
    )
