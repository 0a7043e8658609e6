"""Dask tables: the sample, the chains and the labels of all rows are those of one machine."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rbhmc
from rbhmc import InvalidInput
from rbhmc.rows import count_rows, is_dask, take_rows

array = pytest.importorskip("dask.array")
frame = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pandas = pytest.importorskip("pandas")

SHORT: dict[str, Any] = {"n_chains": 2, "n_warmup": 20, "n_draws": 5, "noise_warmup": 10}
pytestmark = pytest.mark.filterwarnings("ignore")


def groups(n_items: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    centres = 9.0 * rng.normal(size=(6, 4))
    return centres[rng.integers(6, size=n_items)] + rng.normal(size=(n_items, 4))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A client of two worker processes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        workers = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
        with workers, distributed.Client(workers) as client:
            yield client


def fit(X: Any, **settings: Any) -> rbhmc.RBHMC:
    model = rbhmc.RBHMC(random_state=0, **(SHORT | {"max_items": 300} | settings))
    return model.fit(X, progress=False)


def test_fifty_thousand_rows_on_a_cluster_have_the_labels_of_one_machine(cluster: Any) -> None:
    X = groups(50_000)
    blocks = array.from_array(X, chunks=(7_001, 2))
    here, there = fit(X), fit(blocks)
    assert np.array_equal(there.labels_, here.labels_)
    assert np.array_equal(there.items_, here.items_)
    assert np.array_equal(there.draws_.paths, here.draws_.paths)
    assert len(set(here.labels_)) > 1
    predicted: Any = here.predict(blocks)
    assert is_dask(predicted)
    assert np.array_equal(predicted.compute(), here.predict(X))
    in_threads = predicted.compute(scheduler="threads")
    assert np.array_equal(in_threads, here.predict(X))


def test_a_data_frame_has_the_names_and_labels_of_pandas(cluster: Any) -> None:
    table = pandas.DataFrame(groups(2_000), columns=list("abcd"))
    table["kind"] = np.where(table["a"] > 0, "large", "small")
    blocks = frame.from_pandas(table, npartitions=3)
    here, there = fit(table), fit(blocks)
    assert there.draws_.names == here.draws_.names
    assert np.array_equal(there.labels_, here.labels_)
    predicted: Any = here.predict(blocks)
    assert np.array_equal(predicted.compute(), here.predict(table))
    # The index of each block begins with 0 if the table is read from several files.
    pieces = [table[:700].reset_index(drop=True), table[700:].reset_index(drop=True)]
    read = frame.concat([frame.from_pandas(piece, npartitions=1) for piece in pieces])
    assert fit(read).draws_.names == here.draws_.names


def test_gaps_that_are_dropped_have_no_label(cluster: Any) -> None:
    X = groups(2_000)
    X[::7, 1] = np.nan
    here = fit(X, missing="drop")
    there = fit(array.from_array(X, chunks=(900, 4)), missing="drop")
    assert np.array_equal(there.labels_, here.labels_)
    assert np.array_equal(here.labels_ == -1, np.isnan(X).any(axis=1))


def test_all_rows_of_a_dask_table_are_fitted_without_a_limit() -> None:
    X = groups(120)
    here, there = fit(X, max_items=None), fit(array.from_array(X, chunks=(50, 4)), max_items=None)
    assert np.array_equal(there.labels_, here.labels_)
    assert np.array_equal(there.items_, np.arange(120))


def test_rows_of_unknown_number_are_counted() -> None:
    X = groups(100)
    blocks = array.from_array(X, chunks=(30, 4))
    some = blocks[blocks[:, 0] > 0]
    expected = X[X[:, 0] > 0]
    assert count_rows(some) == len(expected)
    rows = np.array([0, 2, len(expected) - 1])
    assert np.array_equal(take_rows(some, rows), expected[rows])


def test_an_array_of_three_dimensions_is_refused() -> None:
    with pytest.raises(InvalidInput, match="3 dimensions"):
        fit(array.zeros((400, 2, 2)))
