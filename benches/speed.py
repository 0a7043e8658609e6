"""Time the sweep against a lower bound, NumPy, and other samplers. Whole fits: `fit_time.py`.

Rounds alternate between the two sides of a row, and the ratio is taken within a round, so a noisy
machine disturbs both alike; the table shows medians with the smallest and largest ratio. The
lower bound ("floor") is a Rust program, which `make bench` builds first. Every side has one core.
"""

import importlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import rbhmc
from rbhmc.sampling.init import ward_paths

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from reference import ReferenceSampler

ROOT = Path(__file__).parents[1]
ROUNDS = 5


def main() -> None:
    """Print the sections named on the command line, or all of them."""
    sections = {
        "floor": against_floor,
        "numpy": against_numpy,
        "others": against_other_samplers,
    }
    os.environ["RAYON_NUM_THREADS"] = "1"
    for name in sys.argv[1:] or sections:
        sections[name]()


def against_floor() -> None:
    """Compare with the hand-written arithmetic of a sweep alone; both on one core."""
    print("— floor: the hand-written arithmetic of a sweep alone, one core each", flush=True)
    subprocess.run([ROOT / "target/release/floor"], check=True)


def against_numpy() -> None:
    """Compare with the NumPy reference implementation, after a few sweeps of each."""
    heading("the NumPy reference")
    for n_items, n_dims, n_levels in [(33, 7, 3), (100, 10, 4)]:
        X = rbhmc.simulate(
            n_items, n_dims, n_levels=n_levels, alpha=1.0, gamma0=3.0, base_cov=9.0, seed=0
        )["X"]
        for scheme in ("collapsed", "exact", "paper"):
            for C in (0.0, 1.0):
                settings = {"n_levels": n_levels, "C": C, "base_cov": 9.0, "scheme": scheme}
                core = rbhmc.Sampler(X, seed=1, **settings)
                core.sweep(2_000)
                slow = ReferenceSampler(X, seed=1, **settings)
                slow.sweep(10)
                name = f"{n_items} x {n_dims}, L={n_levels}, {scheme}, C={C:.0f}"
                row(name, lambda c=core: c.sweep(1_000), lambda s=slow: s.sweep(3), (1_000, 3))


def against_other_samplers() -> None:
    """Compare with a sweep of tomotopy's hLDA and of lace, on the same items.

    Neither has this model: hLDA is a nested restaurant over words, here the column of each value
    with its tenth; lace clusters rows and columns, without a tree and without margins. Ours has the
    defaults of `Sampler`, with four levels, and the start of a fit. All have had the same number of
    sweeps.
    """
    heading("other samplers: a sweep of tomotopy's hLDA with four levels, and of lace (flat)")
    for n_items, n_sweeps in ((33, 300), (1_000, 40), (10_000, 10)):
        X = mixture(n_items)
        hlda, train_hlda = make_hlda(X)
        others = {"hLDA": train_hlda, "lace": make_lace(X)}
        for sweep in others.values():
            sweep(n_sweeps)
        for C in (0.0, 1.0):
            core = rbhmc.Sampler(X, n_levels=4, C=C, seed=0, initial_paths=ward_paths(X, 4, 0))
            core.sweep(n_sweeps)
            n_nodes = 1 + int((core.paths.max(axis=0) + 1).sum())
            for name, sweep in others.items():
                size = f", {hlda.live_k} topics" if name == "hLDA" else ""
                row(
                    f"{n_items} x 10, C={C:.0f}, {n_nodes} nodes; {name}{size}",
                    partial(core.sweep, n_sweeps),
                    partial(sweep, n_sweeps),
                    (n_sweeps, n_sweeps),
                )


def make_hlda(X: NDArray[np.float64]) -> tuple[Any, Callable[[int], object]]:
    """Return tomotopy's hierarchical LDA, and a function that runs its sweeps."""
    model = importlib.import_module("tomotopy").HLDAModel(depth=4, seed=1)
    tenths = (10 * stats.rankdata(X, axis=0) / (len(X) + 1)).astype(int)
    for item in tenths.tolist():
        model.add_doc([f"{column}:{tenth}" for column, tenth in enumerate(item)])
    return model, lambda n: model.train(n, workers=1)


def make_lace(X: NDArray[np.float64]) -> Callable[[int], object]:
    """Return a function that runs sweeps of lace, with one state."""
    pandas = importlib.import_module("pandas")
    index = pandas.Index([f"r{item}" for item in range(len(X))], name="ID")
    frame = pandas.DataFrame(X, index, [f"c{column}" for column in range(X.shape[1])])
    engine = importlib.import_module("lace").Engine.from_df(frame, n_states=1)
    return lambda n: engine.update(n, quiet=True)


def mixture(n_items: int) -> NDArray[np.float64]:
    """Simulate 60 Gaussian groups in 10 columns."""
    rng = np.random.default_rng(0)
    means = 3.0 * rng.normal(size=(60, 10))
    return means[rng.integers(60, size=n_items)] + rng.normal(size=(n_items, 10))


def heading(what: str) -> None:
    """Print the heading of a section."""
    print(f"\n— {what}\n{'':<50} {'core µs':>12} {'other µs':>12}    ratio (spread)", flush=True)


def row(
    name: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    n: tuple[int, int],
) -> None:
    """Time both sides round by round, and print a row."""
    rounds = [(seconds(ours) / n[0], seconds(other) / n[1]) for _ in range(ROUNDS)]
    ratios = sorted(b / a for a, b in rounds)
    a, b = (1e6 * statistics.median(column) for column in zip(*rounds, strict=True))
    print(
        f"{name:<50} {a:>12.1f} {b:>12.1f} {statistics.median(ratios):>8.2f} "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f})",
        flush=True,
    )


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of a call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
