"""Chains inside a worker of `multiprocessing`, which may start threads but no processes."""

import multiprocessing
import warnings

import numpy as np

from rbhmc.sampling import Chain, run_chains


def count_draws() -> list[int]:
    """Run two chains, and turn warnings into errors."""
    warnings.simplefilter("error")
    chains = [Chain(np.eye(4), seed=seed, n_warmup=5, n_draws=10) for seed in (0, 1)]
    return [len(draws["cdll"]) for draws in run_chains(chains, n_jobs=2)]


def test_chains_run_in_a_worker_without_a_warning() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(count_draws) == [10, 10]
