"""Measure how fast chains mix: effective draws per second of summaries of the tree.

Each sweep is a list of kernels, so every move can be left out: the published sweep,
Metropolis–Hastings or Gibbs paths in `collapsed` and `exact`, and splits and merges of components.
Two chains of each start from opposite trees, one path for all items and one path for each item. The
smallest effective sample size of `rbhmc.diagnostics` is printed, 0 if chains stay at one value.
Tables that are not on this machine are left out, with a message.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

import rbhmc
from paper.fashion_mnist import fetch_fashion_mnist
from paper.tables import fetch_or_skip
from rbhmc.datasets import load_animals, make_hierarchy
from rbhmc.diagnostics import Row, diagnose
from rbhmc.posterior.selection import select
from rbhmc.preparation import Preparation
from rbhmc.sampling.init import ward_paths

STRENGTHS = (0.0, 0.3, 1.0)
N_DRAWS = 1000
REST = ["weights_tables", "margins", "means"]
COMPONENTS = "split_merge_components"
GIBBS, MH = ["items_gibbs", *REST], ["items_mh", *REST]
PAPER = ["paths_paper", "components_paper", "weights_counts", "margins_paper", "means"]


class Sweep(NamedTuple):
    """A sweep to measure: its name, scheme and kernels."""

    name: str
    scheme: str
    kernels: list[str]


SWEEPS = [
    Sweep("paper", "paper", PAPER),
    Sweep("collapsed, MH", "collapsed", MH),
    Sweep("collapsed, Gibbs", "collapsed", GIBBS),
    Sweep("collapsed, + split_merge_components", "collapsed", [*GIBBS, COMPONENTS]),
    Sweep("exact, MH", "exact", MH),
    Sweep("exact, Gibbs", "exact", GIBBS),
    Sweep("exact, + split_merge_components", "exact", [*GIBBS, COMPONENTS]),
]


class Table(NamedTuple):
    """A table: its name, items, settings, and the number of sweeps of each chain."""

    name: str
    X: NDArray[np.float64]
    settings: dict[str, Any]
    n_sweeps: int


def tables() -> Iterator[Table]:
    """Yield all tables that are available."""
    yield Table("33 animals", prepared(load_animals().data, 7), {}, 20_000)
    images = fetch_or_skip("Fashion-MNIST", lambda: fetch_fashion_mnist(n_per_class=10, seed=0))
    if images is not None:
        paper = {"n_levels": 4, "alpha": 0.2, "gamma": 1.5}
        yield Table("Fashion-100", prepared(images.data, 10), paper, 5_000)
    made = make_hierarchy(500, 5, seed=0)
    yield Table("simulated 500", prepared(made.data, None), {}, 1_000)


def prepared(X: NDArray[np.float64], n_components: int | None) -> NDArray[np.float64]:
    """Project and scale a table as `RBHMC` does."""
    if n_components is not None:
        X = PCA(n_components, svd_solver="full").fit_transform(X)
    return Preparation().fit_transform(X)


def starts(table: Table) -> dict[str, NDArray[np.intp]]:
    """Return initial trees: one path for all items, one for each, and Ward's linkage."""
    n_items, n_levels = len(table.X), table.settings.get("n_levels", 3)
    return {
        "one path": np.zeros((n_items, n_levels), dtype=np.intp),
        "singletons": np.repeat(np.arange(n_items)[:, None], n_levels, axis=1),
        "ward": ward_paths(table.X, n_levels, seed=0),
    }


class Chain(NamedTuple):
    """The arrays of a chain's draws, and the seconds of its second half."""

    arrays: dict[str, NDArray[Any]]
    seconds: float


def run(table: Table, sweep: Sweep, C: float, paths: NDArray[np.intp] | None, seed: int) -> Chain:
    """Run a chain whose first half is the warm-up."""
    sampler = rbhmc.Sampler(
        table.X,
        C=C,
        scheme=sweep.scheme,
        initial_paths=paths,
        seed=seed,
        **table.settings,
    )
    kernels = [name for name in sweep.kernels if C > 0 or not name.startswith("margins")]
    draws: list[tuple[Any, ...]] = []
    half = table.n_sweeps // 2
    thin = max(1, half // N_DRAWS)
    start = time.process_time()
    for done in range(2 * half):
        if done == half:
            start = time.process_time()
        for name in kernels:
            sampler.apply(name)
        if done >= half and (done + 1) % thin == 0:
            loss = sampler.losses.sum()
            draws.append((sampler.paths, sampler.components, sampler.cdll, loss))
    seconds = time.process_time() - start
    paths_drawn, components, cdll, loss = (np.array(column) for column in zip(*draws, strict=True))
    nothing = np.full(len(cdll), np.nan)
    return Chain(
        {
            "paths": paths_drawn.astype(np.int32),
            "components": components.astype(np.int32),
            "cdll": cdll,
            "loss": loss,
            "rcdll": cdll - 2.0 * C * loss,
            "n_nodes": paths_drawn.max(axis=1).astype(np.int32) + 1,
            "n_components": components.max(axis=1).astype(np.int32) + 1,
            **{f"{name}_acceptance": nothing for name in ("path", "eta", "split_merge")},
        },
        seconds,
    )


def diagnose_chains(chains: list[Chain]) -> list[Row]:
    """Return the diagnostics of all summaries that vary."""
    names = [str(n) for n in range(chains[0].arrays["paths"].shape[1])]
    draws = rbhmc.Draws.of_chains([chain.arrays for chain in chains], names)
    selected = select(draws, criterion="vi")
    rows = diagnose(draws, rbhmc.Tree.from_labels(draws.paths[selected])).table
    return [row for row in rows if row.rhat is not None]


def show(table: Table, sweep: Sweep, C: float, which: tuple[str, str]) -> None:
    """Measure two chains, and print one line of the table."""
    trees = starts(table)
    chains = [run(table, sweep, C, trees.get(name), seed) for seed, name in enumerate(which)]
    rows = diagnose_chains(chains)
    seconds = sum(chain.seconds for chain in chains)
    worst = min(rows, key=lambda row: row.ess_bulk or 0.0)
    ess = worst.ess_bulk or 0.0
    rhat = max(row.rhat or 1.0 for row in rows)
    n_nodes = " ".join(f"{chain.arrays['n_nodes'][:, 0].mean():5.1f}" for chain in chains)
    microseconds = 1e6 * seconds / (2 * (table.n_sweeps // 2))
    print(
        f"| {table.name} | {C:g} | {sweep.name} | {which[0]}, {which[1]} | {microseconds:.0f} | "
        f"{ess / seconds:.2f} | {ess:.0f} | {worst.name} | {rhat:.3f} | {n_nodes} |",
        flush=True,
    )


def main() -> None:
    """Print one line for each table, C, sweep and pair of starts."""
    warnings.simplefilter("ignore")
    chosen = sys.argv[1:]
    print(
        "| table | C | sweep | starts | µs per sweep | worst ESS/s | ESS | of | R-hat | "
        "nodes at level 1 |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for table in tables():
        if chosen and not any(name in table.name for name in chosen):
            continue
        for C in STRENGTHS:
            for sweep in SWEEPS:
                # For C = 0 the two schemes are the same chain.
                if C > 0 or sweep.scheme != "exact":
                    show(table, sweep, C, ("one path", "singletons"))
            show(table, SWEEPS[2], C, ("prior", "ward"))


if __name__ == "__main__":
    main()
