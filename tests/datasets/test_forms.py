"""Every data set is returned as a bunch, a pair, or frames."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.utils import Bunch

from rbhmc import datasets

pandas = pytest.importorskip("pandas")

LOADERS = ["load_animals", "make_hierarchy"]


@pytest.fixture(params=LOADERS)
def load(request: pytest.FixtureRequest) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(datasets, request.param)
    return function


def test_a_bunch_holds_arrays_with_names(load: Callable[..., Any]) -> None:
    bunch = load()
    assert isinstance(bunch, Bunch)
    n_items, n_features = bunch.data.shape
    assert isinstance(bunch.data, np.ndarray)
    assert bunch.data.dtype == np.float64
    assert bunch.target.shape == (n_items,)
    assert bunch.target.dtype == np.int64
    assert bunch.names.shape == (n_items,)
    assert len(set(bunch.names)) == n_items
    assert isinstance(bunch.feature_names, list)
    assert len(set(bunch.feature_names)) == n_features
    assert bunch.target.min() >= 0
    assert bunch.target.max() < len(bunch.target_names)
    assert bunch.frame is None
    assert bunch.DESCR.strip()


def test_a_pair_holds_the_same_arrays(load: Callable[..., Any]) -> None:
    bunch = load()
    X, y = load(return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data, strict=True)
    np.testing.assert_array_equal(y, bunch.target, strict=True)


def test_frames_carry_the_names(load: Callable[..., Any]) -> None:
    bunch, framed = load(), load(as_frame=True)
    assert isinstance(framed.data, pandas.DataFrame)
    assert isinstance(framed.target, pandas.Series)
    assert framed.data.index.tolist() == framed.target.index.tolist() == bunch.names.tolist()
    assert framed.data.columns.tolist() == bunch.feature_names
    assert framed.target.name == "target"
    np.testing.assert_array_equal(framed.data.to_numpy(), bunch.data)
    np.testing.assert_array_equal(framed.target.to_numpy(), bunch.target)
    assert framed.frame.columns.tolist() == [*bunch.feature_names, "target"]
    pandas.testing.assert_frame_equal(framed.frame.drop(columns="target"), framed.data)


def test_a_pair_of_frames(load: Callable[..., Any]) -> None:
    X, y = load(return_X_y=True, as_frame=True)
    framed = load(as_frame=True)
    pandas.testing.assert_frame_equal(X, framed.data)
    pandas.testing.assert_series_equal(y, framed.target)


def test_two_calls_share_nothing(load: Callable[..., Any]) -> None:
    first = load()
    first.data[:] = -1
    first.feature_names[0] = "changed"
    assert (load().data >= 0).any()
    assert load().feature_names[0] != "changed"


@pytest.mark.parametrize("name", LOADERS)
def test_the_form_is_given_by_name_only(name: str) -> None:
    parameters = inspect.signature(getattr(datasets, name)).parameters
    for form in ("return_X_y", "as_frame"):
        assert parameters[form].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[form].default is False
