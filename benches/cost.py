"""How the cost of a fit grows: processor time and memory against items, columns and chains.

`python benches/cost.py` fits nested Gaussian groups with `RBHMC()` and nothing else but the number
that varies, each in a process of its own, prints a table, states the exponent of the items (the
slope of the line through the logarithms), and draws docs/images/cost.png. Finished rows are kept in
runs/cost.json, so that it can be stopped; `--quick` takes the smallest cases only.

`python benches/cost.py --consensus` measures the consensus of 5,000 items and 80 draws alone, and
its memory above that of the draws.
"""

import argparse
import json
import multiprocessing
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rbhmc
from rbhmc import posterior

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "runs/cost.json"
PICTURE = ROOT / "docs/images/cost.png"

ITEMS = (100, 300, 1_000, 2_000, 5_000, 30_000, 100_000, 1_000_000)
COLUMNS = (2, 5, 10, 20, 50, 100, 200, 500)
CHAINS = (1, 2, 4, 8, 16, 32)
# What the other numbers are while one varies.
USUAL = {"items": 1_000, "columns": 10, "chains": None}
# Chains of at most this number of items are fitted to all of them.
MAX_ITEMS_PER_CHAIN = 2_000
# The default of `max_items`: above it, the exponent is that of placing items in a tree.
MAX_ITEMS = 5_000


def main() -> None:
    """Measure what is not kept yet, and print all of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="the smallest cases only")
    parser.add_argument("--consensus", action="store_true", help="the consensus alone")
    arguments = parser.parse_args()
    if arguments.consensus:
        print(in_new_process(measure_consensus))
        return
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    KEPT.parent.mkdir(exist_ok=True)
    print(f"{'varies':<8} {'value':>9} {'processor s':>12} {'elapsed s':>10} {'peak GiB':>9}")
    for varies, values in (("items", ITEMS), ("columns", COLUMNS), ("chains", CHAINS)):
        for value in values[:3] if arguments.quick else values:
            case = f"{varies} {value}"
            if case not in kept:
                kept[case] = in_new_process(measure_fit, {**USUAL, varies: value})
                KEPT.write_text(json.dumps(kept, indent=1))
            found = kept[case]
            print(
                f"{varies:<8} {value:>9,} {found['processor']:>12.1f} {found['elapsed']:>10.1f} "
                f"{found['peak']:>9.2f}",
                flush=True,
            )
    for low, high in ((300, MAX_ITEMS_PER_CHAIN), (MAX_ITEMS, max(ITEMS))):
        sizes = [n for n in ITEMS if low <= n <= high and f"items {n}" in kept]
        if len(sizes) > 1:
            seconds = [kept[f"items {n}"]["processor"] for n in sizes]
            slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
            print(f"processor time grows as items^{slope:.2f} from {sizes[0]:,} to {sizes[-1]:,}")
    draw(kept)


def in_new_process(measure: Any, *arguments: Any) -> Any:
    """Call a function in a new process, whose peak of memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


def measure_fit(case: dict[str, int | None]) -> dict[str, float]:
    """Fit one case; return seconds, and the peak of memory in GiB."""
    n_items, n_columns = case["items"] or 0, case["columns"] or 0
    settings = {} if case["chains"] is None else {"n_chains": case["chains"]}
    X = nested_groups(n_items, n_columns)
    start, processor = time.perf_counter(), time.process_time()
    rbhmc.RBHMC(random_state=0, **settings).fit(X, progress=False)
    return {
        "processor": time.process_time() - processor,
        "elapsed": time.perf_counter() - start,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def measure_consensus(n_items: int = 5_000, n_draws: int = 80) -> str:
    """Return the time and the memory of similarity, linkage, cut and supports, as a line."""
    rng = np.random.default_rng(0)
    leaf = np.repeat((np.arange(n_items) % 256)[None], n_draws, axis=0)
    moved = rng.random(leaf.shape) < 0.1
    leaf[moved] = rng.integers(256, size=moved.sum())
    draws = np.stack([leaf // 4 ** (3 - level) for level in range(4)], axis=2).astype(np.int32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, processor = time.perf_counter(), time.process_time()
    found = posterior.consensus(draws)
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20
    return (
        f"consensus of {n_items:,} items and {n_draws} draws: {seconds:.1f} s, {processor:.1f} s "
        f"of processor time, {peak:.2f} GiB, {len(found.linkage):,} merges"
    )


def nested_groups(n_items: int, n_columns: int) -> NDArray[np.float64]:
    """Return ten groups of five groups each."""
    rng = np.random.default_rng(0)
    groups = np.repeat(4.0 * rng.normal(size=(10, n_columns)), 5, axis=0)
    groups += 2.0 * rng.normal(size=groups.shape)
    return groups[rng.integers(50, size=n_items)] + rng.normal(size=(n_items, n_columns))


def draw(kept: dict[str, Any]) -> None:
    """Draw processor time against each of the three numbers."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(9.0, 2.8), layout="constrained", sharey=True)
    for axis, varies in zip(axes, ("items", "columns", "chains"), strict=True):
        cases = [case.split() for case in kept if case.startswith(varies)]
        values = sorted(int(value) for _, value in cases)
        seconds = [kept[f"{varies} {value}"]["processor"] for value in values]
        axis.loglog(values, seconds, "o-", color="#3b6ea5", markersize=4)
        axis.set_xlabel(varies)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("processor time, s")
    figure.savefig(PICTURE, dpi=150)


if __name__ == "__main__":
    main()
