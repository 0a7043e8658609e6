"""Time the sweep against a lower bound, NumPy, other samplers, and whole fits of other methods.

Rounds alternate between the two sides of a row, and the ratio is taken within a round, so a noisy
machine disturbs both alike; the table shows medians with the smallest and largest ratio. The
lower bound ("floor") and the growth are Rust programs, which `make bench` builds first.
"""

import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import HDBSCAN
from threadpoolctl import threadpool_info

import rbhmc

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from reference import ReferenceSampler

ROOT = Path(__file__).parents[1]
ROUNDS = 5
# Microseconds per sweep of other samplers on this kind of machine: (items, tool, time).
OTHERS = [
    (33, "tomotopy hLDA", 290.0),
    (33, "lace, flat", 930.0),
    (33, "stick-breaking, Python", 36_000.0),
    (10_000, "lace, flat", 27_000.0),
    (70_000, "lace, flat", 304_000.0),
]
# Children per node, components, and α for C = 0 and 1: trees with about as many leaves as a flat
# sampler has clusters, 100 for 10,000 items and 200 for 70,000.
FORESTS = {10_000: ("5", "40", ("0.12", "0.08")), 70_000: ("6", "60", ("0.04", "0.1"))}
# The α that gives trees of about 450 nodes, by the number of items.
ALPHA_BY_ITEMS = {1_000: "0.8", 10_000: "0.3", 70_000: "0.1"}


def main() -> None:
    """Print the sections named on the command line, or all of them."""
    sections = {
        "floor": against_floor,
        "numpy": against_numpy,
        "products": against_products,
        "others": against_other_samplers,
        "fits": against_whole_fits,
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
    """Compare with times of other samplers that were measured before and are not run here."""
    heading("other samplers, as measured before")
    small = rbhmc.simulate(33, 7, alpha=1.0, gamma0=3.0, base_cov=9.0, seed=0)["X"]
    for n_items, tool, other in OTHERS:
        for C in (0, 1):
            if n_items in FORESTS:
                fan, n_components, alphas = FORESTS[n_items]
                item, line = run_growth(str(n_items), "10", fan, n_components, alphas[C], str(C))
                ours, size = 1e-6 * n_items * item, " " + line.split(": ")[1].rsplit(", ", 3)[0]
            else:
                core = rbhmc.Sampler(small, seed=0, alpha=0.1, C=C, base_cov=9.0)
                core.sweep(600)
                ours = statistics.median(
                    seconds(lambda c=core: c.sweep(600)) / 600 for _ in range(3)
                )
                size = ""
            print(
                f"{f'{n_items} items, C={C}, {tool}':<50} {ours * 1e6:>12.1f} {other:>12.1f} "
                f"{other * 1e-6 / ours:>8.2f}{size}",
                flush=True,
            )


def against_whole_fits() -> None:
    """Compare 300 sweeps with Ward's linkage and HDBSCAN on the same table."""
    heading("a whole fit: 300 sweeps, C = 1, against Ward's linkage and HDBSCAN")
    for n_items in (1_000, 10_000):
        X, paths = forest(n_items)

        def fit(X: Any = X, paths: Any = paths) -> None:
            rbhmc.Sampler(X, initial_paths=paths, seed=0, alpha=0.1, base_cov=9.0).sweep(300)

        ours = seconds(fit)
        for name, other in (
            ("scipy Ward", lambda X=X: linkage(X, "ward")),
            ("HDBSCAN", lambda X=X: HDBSCAN(copy=True).fit(X)),
        ):
            theirs = seconds(other)
            print(
                f"{f'{n_items} x 10, {name}':<50} {ours * 1e6:>12.0f} {theirs * 1e6:>12.0f} "
                f"{theirs / ours:>8.2f}",
                flush=True,
            )


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
