"""The same seed gives the same draws, wherever joblib runs the chains."""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

import rbhmc
from rbhmc.sampling import RunFolder, run_chains
from sampling.cases import QUICK, X, assert_same_chunks, assert_same_model, chains


@pytest.fixture(scope="module")
def serial() -> rbhmc.RBHMC:
    return rbhmc.RBHMC(**QUICK, n_jobs=1).fit(X)


@pytest.mark.parametrize("n_jobs", [2, 4, -1, None])
def test_threads(serial: rbhmc.RBHMC, n_jobs: int | None) -> None:
    assert_same_model(serial, rbhmc.RBHMC(**QUICK, n_jobs=n_jobs).fit(X))


def count_jobs(n_jobs: int | None = None) -> int:
    """Return how many chains `run_chains` runs at the same time."""
    asked: list[Any] = []

    class Recorded(joblib.Parallel):
        def __call__(self, iterable: Any) -> Any:
            asked.append(self._effective_n_jobs())
            return super().__call__(iterable)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joblib, "Parallel", Recorded)
        run_chains(chains(2, n_draws=2), n_jobs=n_jobs)
    return int(asked[0])


def test_all_cores_are_used_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "3")
    assert count_jobs() == joblib.cpu_count() == min(3, os.cpu_count() or 1)
    assert count_jobs(1) == 1
    assert count_jobs(5) == 5
    with joblib.parallel_config(n_jobs=4):
        assert count_jobs() == 4
        assert count_jobs(2) == 2
    with joblib.parallel_config(n_jobs=1):
        assert count_jobs() == 1
    with joblib.parallel_config(backend="threading"):
        assert count_jobs() == joblib.cpu_count()


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_chains_inside_a_worker_run_one_after_another(backend: str) -> None:
    # One task only: threads would replace joblib.Parallel at the same time.
    inside = joblib.Parallel(n_jobs=2, backend=backend)([joblib.delayed(count_jobs)()])
    assert inside == [1]


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_backends_of_joblib(serial: rbhmc.RBHMC, backend: str) -> None:
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert_same_model(serial, rbhmc.RBHMC(**QUICK).fit(X))


@pytest.fixture(scope="module")
def dask() -> Iterator[None]:
    """A cluster of two worker processes."""
    with warnings.catch_warnings():
        # distributed warns on import and start.
        warnings.simplefilter("ignore")
        distributed = pytest.importorskip("distributed")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        )
        with cluster, distributed.Client(cluster):
            yield


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster(serial: rbhmc.RBHMC, dask: None) -> None:
    with joblib.parallel_config(backend="dask"):
        assert_same_model(serial, rbhmc.RBHMC(**QUICK).fit(X))


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_reports_and_stops(
    dask: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from sampling.watching import stop_after

    folder = RunFolder.create(tmp_path, {}, 10**7)
    with joblib.parallel_config(backend="dask"):
        reports, results = stop_after(
            monkeypatch, chains(2, n_draws=10**7), n_jobs=2, n_reports=3, folder=folder
        )
    assert {number for number, _ in reports} == {0, 1}
    assert all(0 < len(chunk["cdll"]) < 10**7 for chunk in results)
    for number, chunk in enumerate(results):
        kept = folder.store(number).load()
        assert kept is not None
        assert sum(len(chunk["cdll"]) for chunk in kept[1]) == len(chunk["cdll"])


def test_read_only_memory_maps() -> None:
    """joblib passes a table above its size limit to processes as a memory map."""
    table = np.random.default_rng(0).normal(size=(200, 1000))
    quick = {**QUICK, "n_pca": 2, "n_draws": 3, "n_chains": 2}
    with joblib.parallel_config(backend="loky", n_jobs=2, max_nbytes=100):
        mapped = rbhmc.RBHMC(**quick).fit(table)
    assert np.array_equal(mapped.draws_.paths, rbhmc.RBHMC(**quick).fit(table).draws_.paths)


def test_the_draws_of_a_chain_depend_on_the_chain_alone() -> None:
    alone = [run_chains([chain])[0] for chain in chains(3)]
    together = run_chains(chains(3), n_jobs=3)
    for one, other in zip(alone, together, strict=True):
        assert_same_chunks(one, other)
