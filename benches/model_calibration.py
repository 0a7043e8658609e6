"""Check the calibration of `rbhmc.posterior` on tables simulated from the model.

Many times over: simulates a tree and a table, fits the table with the same settings (C = 0,
`exact`), and compares the posterior with the true tree. If the model is true and the chains have
converged, the true tree is exchangeable with the draws, so

- among all clades with support near p, a share near p is true;
- the rank of any summary of the true tree among the draws is uniform (ties broken at random);
- a ball with a share p of the draws contains the true tree with probability p.

Intervals are 95 %: by resampling whole tables for clades, exact binomial for the balls. Two more
studies fit other settings than were simulated: a quarter of the noise, as a control that must fail,
and the default margins and scheme of `RBHMC`, to show what its supports mean.
"""

import argparse
import time
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, chisquare

import rbhmc
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior import credible_ball
from rbhmc.posterior.selection import select
from rbhmc.posterior.support import find_clades
from rbhmc.tree import Tree

N_ITEMS, N_DIMS = 20, 2
MODEL: dict[str, Any] = {
    "n_levels": 2,
    "alpha": 0.8,
    "gamma": 0.1,
    "gamma0": 5.0,
    "noise_cov": 1.0,
    "base_cov": 100.0,
}
PLAIN: dict[str, Any] = {"C": 0.0, "scheme": "exact"}
FITS: dict[str, dict[str, Any]] = {
    "fitted as drawn, C = 0, exact": PLAIN,
    "control: a quarter of the noise, C = 0, exact": PLAIN | {"noise_cov": 0.25},
    "regularised: C = 1, margin 5, collapsed": {"C": 1.0, "margin": 5.0, "scheme": "collapsed"},
}
N_CHAINS, N_WARMUP, N_DRAWS, THIN = 4, 2_000, 500, 20
N_RANKED = 199  # draws among which the true tree is ranked
BINS = np.array([0.0, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99, 1.0])
PROBABILITIES = (0.5, 0.8, 0.95)
LOSSES = ("vi", "binder")
SUMMARIES = (
    "nodes, all levels",
    "clades",
    "largest clade",
    "item 0 is a clade",
    "items 0 and 1 share a clade",
    "smallest clade with 0 and 1",
)

Paths = NDArray[np.int32]
Floats = NDArray[np.float64]


class Result(NamedTuple):
    """The results of one table."""

    support: Floats  # of each clade in the draws
    is_true: NDArray[np.bool_]
    n_missed: int  # clades of the true tree that are in no draw
    n_clades: int  # clades of the true tree
    ranks: list[float]  # of each summary
    covered: NDArray[np.bool_]  # whether each ball (loss, probability) contains the true tree
    mass: Floats  # the share of draws in each ball


def main() -> None:
    """Fit the tables, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    n_tables = parser.parse_args().tables
    print(", ".join(f"{name} = {value}" for name, value in MODEL.items()))
    for name, settings in FITS.items():
        study(name, n_tables if settings == PLAIN else n_tables // 4, MODEL | settings)


def study(name: str, n_tables: int, settings: dict[str, Any]) -> None:
    """Fit tables with the given settings, and print the calibration."""
    start = time.perf_counter()
    jobs = (joblib.delayed(fit)(seed, settings) for seed in range(n_tables))
    results = joblib.Parallel(n_jobs=-1)(jobs)
    took = time.perf_counter() - start
    print(
        f"\n== {name} ==\n{n_tables} tables of {N_ITEMS} items x {N_DIMS}, {N_CHAINS} chains x "
        f"{N_DRAWS} draws, {THIN} sweeps per draw, after {N_WARMUP:,}; {took:.0f} s"
    )
    show_clades(results)
    show_ranks(results)
    show_balls(results)


def fit(seed: int, settings: dict[str, Any]) -> Result:
    """Simulate a table, fit it, and compare the posterior with the truth."""
    truth = rbhmc.simulate(N_ITEMS, N_DIMS, **MODEL, seed=seed)
    chains = [
        rbhmc.Sampler(truth["X"], **settings, seed=10**6 + N_CHAINS * seed + chain).run(
            N_DRAWS, thin=THIN, burn_in=N_WARMUP
        )["paths"]
        for chain in range(N_CHAINS)
    ]
    draws = np.stack(chains)
    blocks = TreeBlocks(draws)
    found = find_clades(blocks, 0.0)
    true = clades(truth["paths"])
    is_true = np.array([tuple(clade.items.tolist()) in true for clade in found], np.bool_)
    tree = Tree.from_labels(truth["paths"])
    centre = Tree.from_labels(draws[select(draws)])
    balls = [
        [credible_ball(draws, centre, probability=p, loss=loss) for p in PROBABILITIES]
        for loss in LOSSES
    ]
    rng = np.random.default_rng(seed)
    flat = draws.reshape(-1, *draws.shape[2:])
    some = flat[np.linspace(0, len(flat) - 1, N_RANKED).round().astype(int)]
    drawn = np.array([summarize(paths) for paths in some])
    own = np.array(summarize(truth["paths"]))
    below, equal = (drawn < own).sum(axis=0), (drawn == own).sum(axis=0)
    return Result(
        np.array([clade.n_draws for clade in found]) / blocks.n_all,
        is_true,
        len(true) - int(is_true.sum()),
        len(true),
        (below + rng.integers(0, equal + 1)).tolist(),
        np.array([[tree in ball for ball in row] for row in balls]),
        np.array([[ball.inside.mean() for ball in row] for row in balls]),
    )


def clades(paths: Paths) -> set[tuple[int, ...]]:
    """Return the item sets of all nodes except the root."""
    found = set()
    for labels in paths.T:
        for label in np.unique(labels):
            found.add(tuple(np.flatnonzero(labels == label).tolist()))
    return found - {tuple(range(len(paths)))}


def summarize(paths: Paths) -> list[float]:
    """Return the SUMMARIES of a tree, which do not depend on node numbers."""
    found = clades(paths)
    both = [len(clade) for clade in found if 0 in clade and 1 in clade]
    return [
        sum(len(np.unique(labels)) for labels in paths.T),
        len(found),
        max((len(clade) for clade in found), default=0),
        (0,) in found,
        bool(both),
        min(both, default=len(paths)),
    ]


def show_clades(results: list[Result]) -> None:
    """Print how often clades of a given support are true."""
    print("\nclades: stated support against the share that is true")
    print(f"{'support':>14} {'clades':>8} {'stated':>8} {'true':>8}   95 % interval of true")
    rng = np.random.default_rng(0)
    table = np.array([tally(result) for result in results])  # table, bin, (clades, stated, true)
    picks = rng.integers(len(results), size=(2_000, len(results)))
    resampled = np.stack([np.bincount(pick, minlength=len(results)) for pick in picks]) @ (
        table.reshape(len(results), -1)
    )
    resampled = resampled.reshape(len(picks), *table.shape[1:])
    total = table.sum(axis=0)
    for place, (n, stated, true) in enumerate(total):
        if n == 0:
            continue
        known = resampled[:, place, 0] > 0
        low, high = np.quantile(
            resampled[known, place, 2] / resampled[known, place, 0], [0.025, 0.975]
        )
        name = f"{BINS[place]:.2f} to {BINS[place + 1]:.2f}"
        print(f"{name:>14} {n:8.0f} {stated / n:8.3f} {true / n:8.3f}   {low:.3f} to {high:.3f}")
    n_missed, n_clades = (
        sum(getattr(r, name) for r in results) for name in ("n_missed", "n_clades")
    )
    print(f"{n_missed} of {n_clades} true clades were in no draw")


def tally(result: Result) -> Floats:
    """Return the clades, the sum of supports and the true clades in each bin of support."""
    place = np.clip(np.searchsorted(BINS, result.support, "right") - 1, 0, len(BINS) - 2)
    columns = (np.ones(len(place)), result.support, result.is_true)
    n_bins = len(BINS) - 1
    return np.stack([np.bincount(place, column, n_bins) for column in columns], axis=1)


def show_ranks(results: list[Result]) -> None:
    """Print histograms of ranks, and test whether they are uniform."""
    print(f"\nranks of the true tree among {N_RANKED} draws, in ten equal bins; chi-square, 9 df")
    ranks = np.array([result.ranks for result in results])
    for place, name in enumerate(SUMMARIES):
        bins = np.bincount(ranks[:, place].astype(int) * 10 // (N_RANKED + 1), minlength=10)
        p = chisquare(bins).pvalue
        print(f"{name:>28}  {' '.join(f'{n:3d}' for n in bins)}  p = {p:.3f}")
    print(
        f"{'':>28}  {len(SUMMARIES)} tests: significant if p is below {0.05 / len(SUMMARIES):.4f}"
    )


def show_balls(results: list[Result]) -> None:
    """Print how often balls contain the true tree."""
    print("\nballs around the selected draw: share of draws in them, share of true trees")
    for row, loss in enumerate(LOSSES):
        for column, probability in enumerate(PROBABILITIES):
            hits = sum(bool(result.covered[row, column]) for result in results)
            mass = np.mean([result.mass[row, column] for result in results])
            ends = binomtest(hits, len(results)).proportion_ci()
            print(
                f"{loss:>8} {probability:.0%}: {mass:.3f} of draws, {hits / len(results):.3f} of "
                f"true trees ({ends.low:.3f} to {ends.high:.3f})"
            )


if __name__ == "__main__":
    main()
