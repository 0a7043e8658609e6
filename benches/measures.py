"""Seconds that the posterior, the measures and prediction take, against plain NumPy, in one run.

The draws are those of a tree with some items astray in each. NumPy does the same by the shortest
way, for as many draws, trees or items as take it a second or so, and its time is scaled up to all
of them: where it says so, the figure is an estimate. Beside the seconds stand those of all cores
together, which do not depend on who else is at work on the machine; the ratio is of these.
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
    """What is timed, and a NumPy version of a part of it: how many parts make the whole."""

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
    n_nodes = len(model._predictive.parameters.parent)
    print(f"{n_new:,} new items, {n_nodes} nodes, {len(model._predictive.parameters.means)} draws")
    some = model.preparation_.transform(new[:2_000])
    show(
        [
            Row(
                "predict",
                lambda: model.predict(new),
                lambda: path_probabilities(model._predictive, some),
                n_new / len(some),
            )
        ]
    )


def show(rows: list[Row]) -> None:
    """Time each, and print a line."""
    print(f"  {'':<34} {'seconds':>8} {'of cores':>9} {'NumPy':>9} {'ratio':>8}")
    for row in rows:
        seconds, of_cores = timed(row.work)
        line = f"  {row.name:<34} {seconds:>8.2f} {of_cores:>9.2f}"
        if row.plain is not None:
            plain = timed(row.plain)[1] * row.n_parts
            scaled = f", scaled up {row.n_parts:,.0f} times" if row.n_parts > 1 else ""
            line += f" {plain:>9.1f} {plain / of_cores:>7.1f}x{scaled}"
        print(line, flush=True)


def draws_of(n_items: int, n_levels: int, n_draws: int) -> NDArray[np.int32]:
    """Draw a tree of three branches at each node, a twentieth of the items astray in each draw."""
    rng = np.random.default_rng(0)
    leaf = np.arange(n_items) % 3**n_levels
    leaves = np.repeat(leaf[None], n_draws, axis=0)
    astray = rng.random(leaves.shape) < 0.05
    leaves[astray] = rng.integers(3**n_levels, size=astray.sum())
    levels = [leaves // 3 ** (n_levels - level) for level in range(1, n_levels + 1)]
    return np.stack(levels, axis=2).astype(np.int32)


def rows_of(draws: NDArray[np.int32], tree: Tree) -> list[Row]:
    """List what is done with draws."""
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
        Row("consensus, greedy", lambda: posterior.consensus(draws, greedy=True)),
        Row("unstable items", lambda: posterior.unstable_items(draws, tree)),
    ]


def n_pairs(n_items: int, n_draws: int) -> int:
    """Count the comparisons of a tree with a draw that `select` stands for."""
    if n_items <= selection.LARGE:
        return min(2_000, n_draws) * n_draws
    most = selection.STEPS // n_items
    n_candidates = min(n_draws, 2_000, int((most // 4) ** 0.5) + 1)
    return n_candidates * min(n_draws, most // n_candidates)


def co_occurrence(labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Count, draw by draw, which items have the same label."""
    together = np.zeros((labels.shape[1], labels.shape[1]))
    for draw in labels:
        together += draw[:, None] == draw
    return together / len(labels)


def distances(X: NDArray[np.float64], tree: NDArray[np.int32]) -> tuple[float, float]:
    """Measure AID and AOD node by node."""
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
    """Count the items of each two clusters."""
    counts = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(counts, (a, b), 1.0)
    return counts


def agreement(tree: NDArray[np.int32], classes: NDArray[Any]) -> tuple[list[float], float]:
    """Measure F of each level, and purity level by level."""
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
    """Compare two trees by variation of information."""
    total = 0.0
    for x, y in zip(a.T, b.T, strict=True):
        counts = table(x, y)
        both = counts[counts > 0]
        one, other = counts.sum(axis=1), counts.sum(axis=0)
        total += one @ np.log2(one) + other @ np.log2(other) - 2.0 * both @ np.log2(both)
    return total / a.size


def binder(a: NDArray[np.int32], b: NDArray[np.int32]) -> float:
    """Compare two trees by the pairs on which they disagree."""
    total = 0.0
    for x, y in zip(a.T, b.T, strict=True):
        counts = table(x, y)
        squares = (counts.sum(axis=1) ** 2).sum() + (counts.sum(axis=0) ** 2).sum()
        total += squares - 2.0 * (counts**2).sum()
    return total / (a.size * (len(a) - 1))


def clades(tree: NDArray[np.int32]) -> Iterator[bytes]:
    """List the sets of items that are nodes."""
    for labels in tree.T:
        for node in np.unique(labels):
            yield np.flatnonzero(labels == node).tobytes()


def model_and_items(n_new: int) -> tuple[rbhmc.RBHMC, NDArray[np.float64]]:
    """Fit a table, and draw new items around those of it."""
    X = rbhmc.simulate(1_000, DIMS, alpha=1.0, gamma0=3.0, base_cov=9.0, seed=0)["X"]
    model = rbhmc.RBHMC(n_chains=1, n_warmup=300, n_draws=100, random_state=0)
    rng = np.random.default_rng(2)
    new = X[rng.integers(len(X), size=n_new)] + rng.normal(size=(n_new, DIMS))
    return model.fit(X, progress=False), new


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that a call takes, by the clock and of all cores together."""
    start, before = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - before


if __name__ == "__main__":
    main()
