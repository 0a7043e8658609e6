"""Measure chains per second with one and two workers, and the cost of checkpoints and progress.

Rounds alternate, and ratios are taken within a round, so a noisy machine disturbs both sides alike.
A checkpoint is timed alone, at the size of a chain after one interval, and compared with that
interval; progress bars are compared with the same run without them.
"""

import io
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import rbhmc
from rbhmc.sampling import Chain, run, run_chains
from rbhmc.sampling.chain_store import CHECKPOINT_SECONDS, GENERATION, ChainStore
from rbhmc.sampling.progress import Bars, Quiet

ROUNDS = 5


def main() -> None:
    """Print the three tables."""
    X = table(33, 7)
    chains = [Chain(X, seed=seed, n_draws=2_000, thin=5) for seed in range(8)]
    print(f"{len(chains)} chains of 10,000 sweeps, 33 x 7, C = 1")
    rounds = [
        [timed(lambda n=n: run_chains(chains, n_jobs=n, progress=False)) for n in (1, 2)]
        for _ in range(ROUNDS)
    ]
    for n, column in zip((1, 2), zip(*rounds, strict=True), strict=True):
        print(f"  {n} workers: {len(chains) / statistics.median(column):.2f} chains per second")
    print(f"  speed-up {statistics.median(one / two for one, two in rounds):.2f}")

    print(f"one checkpoint against its interval of {CHECKPOINT_SECONDS:.0f} s")
    for n_items, n_dims in ((33, 7), (1_000, 10), (10_000, 10)):
        cost, n_draws = checkpoint(table(n_items, n_dims))
        share = cost / CHECKPOINT_SECONDS
        print(f"  {n_items} x {n_dims}, {n_draws:,} draws: {cost * 1e3:.1f} ms, {share:.3%}")

    print("progress bars against none")
    rounds = [[timed(lambda b=b: watched(chains[:2], b)) for b in (False, True)] for _ in range(9)]
    costs = sorted(bars / none - 1.0 for none, bars in rounds)
    print(f"  {statistics.median(costs):+.2%} of the run ({costs[0]:+.2%} to {costs[-1]:+.2%})")


def table(n_items: int, n_dims: int) -> NDArray[np.float64]:
    """Simulate a table with a hierarchy."""
    return rbhmc.simulate(n_items, n_dims, alpha=1.0, gamma0=3.0, base_cov=9.0, seed=0)["X"]


def checkpoint(X: NDArray[np.float64]) -> tuple[float, int]:
    """Time the checkpoint of a chain after one interval, with a draw every tenth sweep."""
    sampler = rbhmc.Sampler(X, seed=0)
    sampler.sweep(20)
    sweep = timed(lambda: sampler.sweep(20)) / 20
    n_draws = max(1, round(CHECKPOINT_SECONDS / (10 * sweep)))
    short: Any = sampler.run(min(n_draws, 200), thin=1)
    chunk = {key: np.resize(values, (n_draws, *values.shape[1:])) for key, values in short.items()}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, GENERATION).write_text("1")
        stores = [ChainStore(Path(folder), n, "bench", 1) for n in range(ROUNDS)]
        costs = [timed(lambda s=store: s.save(sampler, chunk)) for store in stores]
    return statistics.median(costs), n_draws


def watched(chains: list[Chain], bars: bool) -> None:
    """Run chains one after the other, with or without bars, which are drawn into a string."""
    console = Console(file=io.StringIO(), force_terminal=True, width=140)
    run.make_display = lambda n, progress: Bars(n, console) if bars else Quiet()
    run_chains(chains, n_jobs=1)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
