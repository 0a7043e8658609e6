"""Time the posterior, the measures and prediction against plain NumPy.

Each draw is one tree with some items moved at random. NumPy computes the same in the shortest way,
for as many draws, trees or items as take it about a second, and its time is scaled up to all of
them: such a figure is an estimate. The table shows wall-clock seconds and the CPU seconds of all
cores, which other load on the machine does not affect; the ratio is of CPU seconds.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rbhmc
from rbhmc import Tree, metrics, posterior
from rbhmc.posterior import selection

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from reference.predictive import path_probabilities

CASES = [(1_000, 4, 4_000), (10_000, 3, 500)]
CLASSES = 10
DIMS = 10


class Row(NamedTuple):
    """A function to time, and a NumPy version of a part of it; `n_parts` parts make the whole."""

    name: str
    work: Callable[[], object]
    plain: Callable[[], object] | None = None
    n_parts: float = 1.0


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000, help="items to predict")
    n_new = parser.parse_args().items
    for n_items, n_levels, n_draws in CASES:
        draws = draws_of(n_items, n_levels, n_draws)
        tree = Tree.from_labels(draws[0])
        print(f"{n_items:,} items x {n_levels} levels x {n_draws:,} draws, {len(tree)} nodes")
        show(rows_of(draws, tree))
    model, new = model_and_items(n_new)
    draws_of_model = [draw.predictive for draw in model._learn_placement().predictive.draws]
    n_nodes = np.mean([len(draw.parameters.parent) for draw in draws_of_model])
    print(f"{n_new:,} new items, {len(draws_of_model)} draws of {n_nodes:.0f} nodes on average")
    some = model.preparation_.transform(new[:2_000])
    show(
        [
            Row(
                "predict",
                lambda: model.predict(new),
                lambda: path_probabilities(draws_of_model[0], some),
                n_new / len(some) * len(draws_of_model),
            )
        ]
    )


def show(rows: list[Row]) -> None:
    """Time each row, and print one line for it."""
    print(f"  {'':<34} {'seconds':>8} {'CPU':>9} {'NumPy':>9} {'ratio':>8}")
    for row in rows:
        seconds, cpu_seconds = timed(row.work)
        line = f"  {row.name:<34} {seconds:>8.2f} {cpu_seconds:>9.2f}"
        if row.plain is not None:
            plain = timed(row.plain)[1] * row.n_parts
            scaled = f", scaled up {row.n_parts:,.0f} times" if row.n_parts > 1 else ""
            line += f" {plain:>9.1f} {plain / cpu_seconds:>7.1f}x{scaled}"
        print(line, flush=True)


def draws_of(n_items: int, n_levels: int, n_draws: int) -> NDArray[np.int32]:
    """Return draws of a tree with three children per node; each moves 5 % of the items."""
    rng = np.random.default_rng(0)
    leaf = np.arange(n_items) % 3**n_levels
    leaves = np.repeat(leaf[None], n_draws, axis=0)
    moved = rng.random(leaves.shape) < 0.05
    leaves[moved] = rng.integers(3**n_levels, size=moved.sum())
    levels = [leaves // 3 ** (n_levels - level) for level in range(1, n_levels + 1)]
    return np.stack(levels, axis=2).astype(np.int32)


def rows_of(draws: NDArray[np.int32], tree: Tree) -> list[Row]:
    """List the functions of draws to time."""
    n_draws, n_items, n_levels = draws.shape
    rng = np.random.default_rng(1)
    X, classes = rng.normal(size=(n_items, DIMS)), rng.integers(CLASSES, size=n_items)
    some = draws[:: n_draws // 10]
    few = draws[: max(1, 10**8 // n_items**2)]
    return [
        Row(
            "co-occurrence of a level",
            lambda: metrics.co_occurrence(draws, n_levels),
            lambda: co_occurrence(few[:, :, -1]),
            n_draws / len(few),
        ),
        Row(
            "AID and AOD of every draw",
            lambda: posterior.measures(draws, X=X),
            lambda: [distances(X, draw) for draw in some],
            n_draws / len(some),
        ),
        Row(
            "F-measure and purity of every draw",
            lambda: posterior.measures(draws, classes=classes),
            lambda: [agreement(draw, classes) for draw in some],
            n_draws / len(some),
        ),
        Row(
            "credible ball, VI",
            lambda: posterior.credible_ball(draws, tree),
            lambda: [vi(draw, draws[0]) for draw in some],
            n_draws / len(some),
        ),
        Row(
            "credible ball, Binder",
            lambda: posterior.credible_ball(draws, tree, loss="binder"),
            lambda: [binder(draw, draws[0]) for draw in some],
            n_draws / len(some),
        ),
        Row(
            "expected loss of one tree",
            lambda: selection.expected_loss(draws[0], draws, loss="vi"),
            lambda: [vi(draw, draws[0]) for draw in some],
            n_draws / len(some),
        ),
        Row(
            "select, VI",
            lambda: selection.select(draws),
            lambda: [vi(draw, draws[0]) for draw in some],
            n_pairs(n_items, n_draws) / len(some),
        ),
        Row(
            "select, Binder",
            lambda: selection.select(draws, criterion="binder"),
            lambda: [binder(draw, draws[0]) for draw in some],
            n_pairs(n_items, n_draws) / len(some),
        ),
        Row(
            "support of every node",
            lambda: posterior.support(tree, draws),
            lambda: [list(clades(draw)) for draw in some],
            n_draws / len(some),
        ),
        Row("consensus", lambda: posterior.consensus(draws)),
        Row("unstable items", lambda: posterior.unstable_items(draws, tree)),
    ]


def n_pairs(n_items: int, n_draws: int) -> int:
    """Return how many comparisons of a tree with a draw `select` replaces."""
    if n_items <= selection.MAX_PAIRWISE_ITEMS:
        return min(2_000, n_draws) * n_draws
    most = selection.MAX_STEPS // n_items
    n_candidates = min(n_draws, 2_000, int((most // 4) ** 0.5) + 1)
    return n_candidates * min(n_draws, most // n_candidates)


def co_occurrence(labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the share of draws in which two items have the same label."""
    together = np.zeros((labels.shape[1], labels.shape[1]))
    for draw in labels:
        together += draw[:, None] == draw
    return together / len(labels)


def distances(X: NDArray[np.float64], tree: NDArray[np.int32]) -> tuple[float, float]:
    """Compute AID and AOD node by node."""
    inner, outer = [], []
    for level in range(tree.shape[1]):
        centres, parents = [], []
        for node in np.unique(tree[:, level]):
            items = tree[:, level] == node
            inner.append(2.0 * X[items].var(axis=0, ddof=1).sum())
            centres.append(X[items].mean(axis=0))
            parents.append(tree[items.argmax(), level - 1] if level else 0)
        for parent in np.unique(parents):
            own = np.array(centres)[np.array(parents) == parent]
            gaps = ((own[:, None] - own) ** 2).sum(axis=2)
            outer += gaps[np.triu_indices(len(own), 1)].tolist()
    return float(np.mean(inner)), float(np.mean(outer))


def table(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """Return the contingency table of two partitions."""
    counts = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(counts, (a, b), 1.0)
    return counts


def agreement(tree: NDArray[np.int32], classes: NDArray[Any]) -> tuple[list[float], float]:
    """Compute F at each level, and purity level by level."""
    levels = [np.zeros(len(tree), int), *tree.T]
    f, together, share = [], [], []
    for labels in levels:
        counts = table(labels, classes)
        n_node, n_class = counts.sum(axis=1), counts.sum(axis=0)
        best = (2.0 * counts / (n_node[:, None] + n_class)).max(axis=0)
        f.append(float(best @ n_class) / len(tree))
        together.append(counts[labels, classes])
        share.append(counts[labels, classes] / n_node[labels])
    meet = np.array(together) - np.array([*together[1:], np.ones(len(tree))])
    return f[1:], float((meet * share).sum() / (together[0] - 1.0).sum())


def vi(a: NDArray[np.int32], b: NDArray[np.int32]) -> float:
    """Compute the variation of information of two trees."""
    total = 0.0
    for x, y in zip(a.T, b.T, strict=True):
        counts = table(x, y)
        both = counts[counts > 0]
        one, other = counts.sum(axis=1), counts.sum(axis=0)
        total += one @ np.log2(one) + other @ np.log2(other) - 2.0 * both @ np.log2(both)
    return total / a.size


def binder(a: NDArray[np.int32], b: NDArray[np.int32]) -> float:
    """Compute Binder's loss of two trees."""
    total = 0.0
    for x, y in zip(a.T, b.T, strict=True):
        counts = table(x, y)
        squares = (counts.sum(axis=1) ** 2).sum() + (counts.sum(axis=0) ** 2).sum()
        total += squares - 2.0 * (counts**2).sum()
    return total / (a.size * (len(a) - 1))


def clades(tree: NDArray[np.int32]) -> Iterator[bytes]:
    """Yield the item sets of all nodes."""
    for labels in tree.T:
        for node in np.unique(labels):
            yield np.flatnonzero(labels == node).tobytes()


def model_and_items(n_new: int) -> tuple[rbhmc.RBHMC, NDArray[np.float64]]:
    """Fit a table, and simulate new items near its items."""
    X = rbhmc.simulate(1_000, DIMS, alpha=1.0, gamma0=3.0, base_cov=9.0, seed=0)["X"]
    model = rbhmc.RBHMC(random_state=0)
    rng = np.random.default_rng(2)
    new = X[rng.integers(len(X), size=n_new)] + rng.normal(size=(n_new, DIMS))
    return model.fit(X, progress=False), new


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the wall-clock and the CPU seconds of a call."""
    start, before = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - before


if __name__ == "__main__":
    main()
