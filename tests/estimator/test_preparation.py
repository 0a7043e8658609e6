"""Principal components and the factor: how they are chosen, applied and inverted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rbhmc
from rbhmc.preparation import Preparation
from rbhmc.projection import NEIGHBOUR_DISTANCE

X = np.random.default_rng(0).normal(size=(40, 5)) * [5, 4, 3, 2, 1] + 100


def test_one_factor_brings_close_items_to_their_distance() -> None:
    preparation = Preparation().fit(X)
    prepared = preparation.transform(X)
    # 40 items: k = max(3, round(3.16)), the third neighbour.
    apart = np.sort(np.linalg.norm(prepared[:, None] - prepared[None], axis=2), axis=1)[:, 3]
    assert np.isclose(np.median(apart), NEIGHBOUR_DISTANCE * np.sqrt(2 * 5))
    columns = X[:, preparation.order_]
    assert np.allclose(prepared, (columns - columns.mean(axis=0)) * preparation.factor_)


def test_columns_are_sorted_by_variance_and_then_by_their_values() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=30)
    table = np.column_stack([values, 3.0 * rng.normal(size=30), values[::-1], np.ones(30), values])
    prepared = Preparation().fit_transform(table)
    assert (np.diff(prepared.std(axis=0)) <= 1e-9).all()
    for order in (rng.permutation(5) for _ in range(20)):
        for unit in (1.0, 1e-3, 7.0):
            other = Preparation().fit(unit * table[:, order])
            np.testing.assert_array_equal(other.transform(unit * table[:, order]), prepared)
            np.testing.assert_allclose(
                other.inverse_transform(prepared), unit * table[:, order], atol=1e-7
            )


@pytest.mark.parametrize("table", [np.ones((4, 3)), np.zeros((1, 2)), np.eye(3) * 1e300])
def test_a_fit_does_not_change_the_table(table: np.ndarray) -> None:
    for used in (table.copy(), np.asfortranarray(table), table[:, :1].copy()):
        before = used.copy()
        assert np.isfinite(Preparation().fit_transform(used)).all()
        np.testing.assert_array_equal(used, before)


def test_settings_of_columns_have_the_order_of_the_prepared_table() -> None:
    table = np.random.default_rng(0).normal(size=(20, 3)) * [2.0, 9.0, 4.0]
    preparation = Preparation().fit(table)
    assert preparation.order_.tolist() == [1, 2, 0]
    matrix = np.arange(9.0).reshape(3, 3)
    wanted = {
        "noise_cov": matrix.tolist(),
        "base_mean": (1.0, 2.0, 3.0),
        "base_cov": "auto",
        "C": 1,
    }
    arranged = preparation.arrange_settings(wanted)
    assert arranged["noise_cov"].tolist() == [[4, 5, 3], [7, 8, 6], [1, 2, 0]]
    assert arranged["base_mean"].tolist() == [2.0, 3.0, 1.0]
    assert (arranged["base_cov"], arranged["C"]) == ("auto", 1)
    assert Preparation(n_pca=3).fit(table).arrange_settings(wanted) is wanted
    plain = Preparation(scale=False).fit(table).arrange_settings(wanted)
    assert plain["noise_cov"].tolist() == matrix.tolist()
    # What the sampler refuses stays as it is.
    for wrong in ([1.0, 2.0], [[1.0], [1.0, 2.0]], np.ones((3, 2)), object()):
        assert preparation.arrange_settings({"noise_cov": wrong})["noise_cov"] is wrong


@pytest.mark.parametrize("points", [[[1.0]], [1.0, 2.0, 3.0, 4.0, 5.0]])
def test_points_of_another_width_have_no_inverse(points: list[list[float]]) -> None:
    for preparation in (Preparation().fit(X), Preparation(n_pca=2).fit(X)):
        with pytest.raises(
            rbhmc.InvalidInput, match=r"prepared has shape .*; it must be \(n_items,"
        ):
            preparation.inverse_transform(points)


def test_identical_and_single_items_have_a_factor_of_one() -> None:
    assert Preparation().fit(np.ones((4, 2))).factor_ == 1.0
    assert Preparation().fit(np.ones((1, 2))).factor_ == 1.0


@pytest.mark.parametrize("largest", [1e-308, 1e-310, 5e-324])
def test_values_too_small_for_a_factor_are_refused(largest: float) -> None:
    with pytest.raises(rbhmc.InvalidInput, match=r"too little for the scale.*: rescale the table"):
        Preparation().fit(np.array([[0.0], [0.01], [0.02], [0.03], [1.0]]) * largest)


def test_many_duplicates_still_give_a_scale() -> None:
    table = np.vstack([np.zeros((20, 2)), np.full((20, 2), 1e3)])
    assert np.isfinite(Preparation().fit(table).factor_)
    assert Preparation().fit(table).factor_ != 1.0


def test_scale_false_does_not_change_the_table() -> None:
    assert np.array_equal(Preparation(scale=False).fit_transform(X), X)


def test_a_given_factor_is_used() -> None:
    assert np.allclose(Preparation(scale=2.5).fit_transform(X), 2.5 * (X - X.mean(axis=0)))


def test_a_share_of_variance_sets_the_number_of_components() -> None:
    preparation = Preparation(n_pca=0.9).fit(X)
    assert preparation.describe()["explained_variance_ratio"] >= 0.9
    assert preparation.describe()["n_dims"] < 5


@pytest.mark.parametrize(("n_columns", "n_dims"), [(3, 3), (20, 20), (21, 6), (60, 6)])
def test_many_columns_are_projected_on_few_components(n_columns: int, n_dims: int) -> None:
    """The root of 40 items is about 6."""
    rng = np.random.default_rng(2)
    table = rng.normal(size=(40, 2)) @ np.linalg.qr(rng.normal(size=(n_columns, 2)))[0].T
    table += 1e-3 * rng.normal(size=table.shape)
    assert Preparation().fit(table).describe()["n_dims"] == n_dims
    assert Preparation(n_pca=None).fit(table).describe()["n_dims"] == n_columns


def test_at_most_ten_components_are_kept_of_many_items() -> None:
    table = np.random.default_rng(3).normal(size=(400, 30))
    assert Preparation().fit(table).describe()["n_dims"] == 10


@pytest.mark.parametrize("table", [np.ones((1, 30)), np.ones((5, 30)), np.eye(5, 30) * 1e-200])
def test_many_columns_without_variance_are_not_projected(table: np.ndarray) -> None:
    assert Preparation().fit_transform(table).shape == table.shape


@pytest.mark.parametrize("n_pca", [2, 0.5])
def test_a_constant_table_is_projected_without_a_warning(n_pca: float) -> None:
    preparation = Preparation(n_pca=n_pca).fit(np.ones((6, 3)))
    assert preparation.describe()["explained_variance_ratio"] == 1.0
    assert (preparation.transform(np.ones((2, 3))) == 0.0).all()


def test_more_components_than_columns_are_refused() -> None:
    with pytest.raises(rbhmc.InvalidInput, match="from 1 to 5"):
        Preparation(n_pca=6).fit(X)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(
    arrays(np.float64, (6, 3), elements=st.floats(-1e3, 1e3)),
    st.sampled_from([None, 3]),
    st.sampled_from(["auto", False, 0.1]),
)
def test_inverse_transform_inverts_transform(table: np.ndarray, n_pca: int, scale: float) -> None:
    preparation = Preparation(n_pca=n_pca, scale=scale).fit(table)
    back = preparation.inverse_transform(preparation.transform(table))
    assert np.allclose(back, table, atol=1e-6 * (1.0 + np.abs(table).max()))
