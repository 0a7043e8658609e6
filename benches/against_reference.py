"""Sweeps a second of the Rust core against the slow, obvious NumPy implementation, in one run.

Both sample the same table with the same settings, each after a few sweeps of its own; rounds
alternate, and the ratio is taken within a round, so that a noisy machine disturbs both alike.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import rbhmc

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from reference import ReferenceSampler

CASES = [(33, 7, 3), (100, 10, 4)]
ROUNDS = 5
WARMUP = 2_000


def main() -> None:
    """Print the table."""
    print(f"{'table':>14} {'scheme':>10}   C   core µs   NumPy µs   ratio  spread")
    for n_items, n_dims, n_levels in CASES:
        X = rbhmc.simulate(
            n_items, n_dims, n_levels=n_levels, alpha=1.0, gamma0=3.0, base_cov=9.0, seed=0
        )["X"]
        for scheme in ("collapsed", "exact", "paper"):
            for C in (0.0, 1.0):
                settings = {"n_levels": n_levels, "C": C, "base_cov": 9.0, "scheme": scheme}
                core = rbhmc.Sampler(X, seed=1, **settings)
                core.sweep(WARMUP)
                slow = ReferenceSampler(X, seed=1, **settings)
                slow.sweep(10)
                rounds = [
                    (seconds(core.sweep, 2_000), seconds(slow.sweep, 3)) for _ in range(ROUNDS)
                ]
                ratios = sorted(b / a for a, b in rounds)
                fast, numpy = (statistics.median(times) for times in zip(*rounds, strict=True))
                print(
                    f"{f'{n_items}x{n_dims}, L={n_levels}':>14} {scheme:>10} {C:>3.0f} "
                    f"{fast * 1e6:>9.1f} {numpy * 1e6:>10.0f} {statistics.median(ratios):>6.0f}x  "
                    f"{ratios[0]:.0f}x to {ratios[-1]:.0f}x",
                    flush=True,
                )


def seconds(sweep: Callable[[int], None], n: int) -> float:
    """Time a sweep, over n of them."""
    start = time.perf_counter()
    sweep(n)
    return (time.perf_counter() - start) / n


if __name__ == "__main__":
    main()
