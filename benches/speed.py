"""Time the sweep against a lower bound, NumPy, and other samplers. Whole fits: `fit_time.py`.

Rounds alternate between the two sides of a row, and the ratio is taken within a round, so a noisy
machine disturbs both alike; the table shows medians with the smallest and largest ratio. The
lower bound ("floor") and the growth are Rust programs, which `make bench` builds first.
"""

import importlib
import os
import re
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
from threadpoolctl import threadpool_info

import rbhmc

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from reference import ReferenceSampler

ROOT = Path(__file__).parents[1]
ROUNDS = 5
# The α that gives trees of about 450 nodes, by the number of items.
ALPHA_BY_ITEMS = {1_000: "0.8", 10_000: "0.3", 70_000: "0.1"}


def main() -> None:
    """Print the sections named on the command line, or all of them."""
    sections = {
        "floor": against_floor,
        "numpy": against_numpy,
        "products": against_products,
        "others": against_other_samplers,
        "growth": growth,
    }
    for name in sys.argv[1:] or sections:
        sections[name]()


def against_floor() -> None:
    """Compare with the hand-written arithmetic of a sweep alone; both on one core."""
    print("— floor: the hand-written arithmetic of a sweep alone, one core each", flush=True)
    one = os.environ | {"RAYON_NUM_THREADS": "1"}
    subprocess.run([ROOT / "target/release/floor"], check=True, env=one)


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


def against_products() -> None:
    """Compare with NumPy's time for the matrix products of a sweep, into allocated memory."""
    threads = max(info["num_threads"] for info in threadpool_info())
    heading(f"NumPy's bare products X·θᵀ, F·Bᵀ, X·ηᵀ (ratio: core over NumPy, {threads} threads)")
    rng = np.random.default_rng(0)
    X, paths = forest(70_000)
    for C in (0.0, 1.0):
        core = rbhmc.Sampler(X, initial_paths=paths, seed=0, alpha=0.1, C=C, base_cov=9.0)
        core.sweep(5)
        n_nodes = 1 + sum(len(np.unique(column)) for column in core.paths.T)
        K = len(core.means)
        F, B = rng.random((len(X), K)), rng.random((n_nodes, K))
        means, etas = rng.random((K, 10)), rng.random((n_nodes, 10))
        pairs = [(X, means), (F, B), (X, etas)]
        out = [np.empty((len(a), len(b))) for a, b in pairs]

        def products(pairs: Any = pairs, out: Any = out) -> None:
            for (a, b), into in zip(pairs, out, strict=True):
                np.matmul(a, b.T, out=into)

        name = f"70000 x 10, {n_nodes} nodes, {K} components, C={C:.0f}"
        row(name, lambda c=core: c.sweep(1), products, (1, 1), inverse=True)


def against_other_samplers() -> None:
    """Compare with a sweep of tomotopy's hLDA and of lace, on the same items.

    Neither has this model: hLDA is a nested restaurant over words, here the column of each value
    with its tenth; lace clusters rows and columns without a tree. Both run in one thread.
    """
    heading("other samplers: a sweep of tomotopy's hLDA with four levels, and of lace (flat)")
    for n_items in (33, 1_000, 10_000):
        X, paths = forest(n_items)
        settings = {"n_levels": 4, "initial_paths": paths[:, [0, 0, 1, 2]], "base_cov": 9.0}
        core = rbhmc.Sampler(X, seed=0, alpha=0.1, C=1.0, **settings)
        others = {"tomotopy hLDA": make_hlda(X), "lace": make_lace(X)}
        n = max(1, 10_000 // n_items)
        core.sweep(n)
        for name, sweep in others.items():
            sweep(n)
            ours, other = partial(core.sweep, n), partial(sweep, n)
            row(f"{n_items} x 10, {name}", ours, other, (n, n))


def make_hlda(X: NDArray[np.float64]) -> Callable[[int], object]:
    """Return a function that runs sweeps of tomotopy's hierarchical LDA."""
    model = importlib.import_module("tomotopy").HLDAModel(depth=4, seed=1)
    tenths = (10 * stats.rankdata(X, axis=0) / (len(X) + 1)).astype(int)
    for item in tenths.tolist():
        model.add_doc([f"{column}:{tenth}" for column, tenth in enumerate(item)])
    return lambda n: model.train(n, workers=1)


def make_lace(X: NDArray[np.float64]) -> Callable[[int], object]:
    """Return a function that runs sweeps of lace, with one state."""
    pandas = importlib.import_module("pandas")
    index = pandas.Index([f"r{item}" for item in range(len(X))], name="ID")
    frame = pandas.DataFrame(X, index, [f"c{column}" for column in range(X.shape[1])])
    engine = importlib.import_module("lace").Engine.from_df(frame, n_states=1)
    return lambda n: engine.update(n, quiet=True)


def growth() -> None:
    """Print time per item and memory for trees of one size, a large tree, and `exact`."""
    print(
        "\n— growth from 1,000 to 70,000 items, trees of about one size; rounds alternate",
        flush=True,
    )
    for C in ("0", "1"):
        found: dict[int, list[tuple[float, str]]] = {n: [] for n in ALPHA_BY_ITEMS}
        for _ in range(ROUNDS):
            for n, alpha in ALPHA_BY_ITEMS.items():
                found[n].append(run_growth(str(n), "10", "6", "60", alpha, C))
        few = found[min(ALPHA_BY_ITEMS)]
        for rounds in found.values():
            ratios = sorted(a / b for (a, _), (b, _) in zip(rounds, few, strict=True))
            print(
                f"{statistics.median_low(rounds)[1]}; {statistics.median(ratios):.2f} times "
                f"1,000 items ({ratios[0]:.2f} to {ratios[-1]:.2f})",
                flush=True,
            )
    print("— a large tree in 20 dimensions", flush=True)
    for n, alpha in list(ALPHA_BY_ITEMS.items())[1:]:
        for C in ("0", "1"):
            print(run_growth(str(n), "20", "10", "100", alpha, C)[1], flush=True)
    print("— exact, which sums the losses of all items", flush=True)
    for C in ("0.02", "0.1", "1"):
        for n in list(ALPHA_BY_ITEMS)[:2]:
            print(run_growth(str(n), "10", "5", "40", "0.3", C, "exact")[1], flush=True)


def run_growth(*arguments: str) -> tuple[float, str]:
    """Run the growth program, and return its time per item and its output."""
    command = [ROOT / "target/release/growth", *arguments]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    match = re.search(r"([\d.]+) µs an item", line)
    assert match is not None, line
    return float(match[1]), line


def forest(n_items: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Simulate a table of 60 components with a known tree of 216 leaves."""
    rng = np.random.default_rng(0)
    means = 3.0 * rng.normal(size=(60, 10))
    leaf = rng.integers(216, size=n_items)
    choices = np.stack([np.arange(216) % 60, rng.integers(60, size=216)], axis=1)
    component = choices[leaf, (rng.random(n_items) < 0.3).astype(int)]
    X = means[component] + rng.normal(size=(n_items, 10))
    return X, np.stack([leaf // 36, leaf // 6, leaf], axis=1)


def heading(what: str) -> None:
    """Print the heading of a section."""
    print(f"\n— {what}\n{'':<50} {'core µs':>12} {'other µs':>12}    ratio (spread)", flush=True)


def row(
    name: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    n: tuple[int, int],
    inverse: bool = False,
) -> None:
    """Time both sides round by round, and print a row."""
    rounds = [(seconds(ours) / n[0], seconds(other) / n[1]) for _ in range(ROUNDS)]
    ratios = sorted(a / b if inverse else b / a for a, b in rounds)
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
