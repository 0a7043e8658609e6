"""One chain of the reproduction: run, measured while it runs, and described by a small record."""

import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from paper.measures import evenness, inner_distances, pair_shares, shape
from paper.protocol import BHMC, Lengths, Task
from paper.records import pack
from paper.tables import Table
from rbhmc import Sampler
from rbhmc.metrics import aod, co_occurrence, f_measure, is_singular
from rbhmc.sampling.init import ward_paths

# Draws that are in memory at the same time; a multiple of every fifth.
N_CHUNK = 5_000
# Sweeps between two values of a trace.
TRACE_STEP = 250
# A sweep of the published algorithm with path sums in place of active sums.
PATH_SUMS = ("paths_paper", "components_paper", "weights_counts", "margins_path_sums", "means")
# What `RBHMC()` sets and the paper has otherwise.
DEFAULTS: dict[str, Any] = {
    "scheme": "collapsed",
    "eta_scale": "auto",
    "intercept": "auto",
    "noise_cov": "auto",
    "noise_warmup": 40,
    "base_cov": "auto",
}
Draws = dict[str, NDArray[Any]]


def run_chain(table: Table, reading: str, task: Task, lengths: Lengths) -> dict[str, Any]:
    """Run a chain, and return its record.

    Parameters
    ----------
    table : Table
    reading : {"active", "paths", "collapsed"}
        The published algorithm with active sums or with path sums, or `collapsed` with the
        defaults of `RBHMC`, started like these at Ward's linkage of a sample.
    task : Task
    lengths : Lengths
    """
    began = time.process_time()
    cell, repeat = task
    design = table.design
    sampler, draw = start_chain(table, reading, task)
    first = {"cdll": sampler.cdll, "rcdll": sampler.rcdll}
    burn_in = draw(lengths.n_burn_in // TRACE_STEP, TRACE_STEP)
    measured = Measured(table, cell in design.cases and repeat < lengths.n_scored)
    for start in range(0, lengths.n_draws, N_CHUNK):
        measured.add(draw(min(N_CHUNK, lengths.n_draws - start), 1), lengths.thin)
    record = {**cell._asdict(), "repeat": repeat, **measured.describe()}
    is_case = cell in design.cases and repeat < lengths.n_shown
    if is_case:
        record["tree"] = measured.best.tolist()
        record["names"] = [str(name) for name in table.names]
        record["maps"] = [pack(one) for one in measured.together()]
        n_more = design.n_case_draws * lengths.n_draws // 50_000 - lengths.n_draws
        if n_more > 0:
            for start in range(0, n_more, N_CHUNK):
                measured.keep_best(draw(min(N_CHUNK, n_more - start), 1))
            record["longer"] = measured.describe_best() | {"tree": measured.best.tolist()}
    if repeat < lengths.n_traced:
        for key in ("cdll", "rcdll"):
            kept = getattr(measured, key)[TRACE_STEP - 1 :: TRACE_STEP]
            values = [first[key], *burn_in[key], *kept]
            record[f"{key} trace"] = [round(float(value)) for value in values]
    record["seconds"] = time.process_time() - began
    return record


class Measured:
    """The draws after burn-in, measured in chunks, of which only the draw to present is kept."""

    def __init__(self, table: Table, with_pairs: bool) -> None:
        self.table = table
        self.cdll: NDArray[Any] = np.empty(0)
        self.rcdll: NDArray[Any] = np.empty(0)
        self.best: NDArray[Any] = np.empty(0)
        self.best_rcdll = -np.inf
        self.n_nodes: list[NDArray[Any]] = []
        self.singular: list[NDArray[Any]] = []
        # AID in three forms, AOD and evenness, by draw.
        self.values: list[NDArray[Any]] = []
        self.pairs: list[list[NDArray[Any]]] | None = [] if with_pairs else None

    def add(self, draws: Draws, thin: int) -> None:
        """Measure a chunk."""
        self.keep_best(draws)
        self.cdll = np.concatenate([self.cdll, draws["cdll"]])
        self.rcdll = np.concatenate([self.rcdll, draws["rcdll"]])
        self.n_nodes.append(draws["n_nodes"].mean(axis=0))
        paths = draws["paths"][thin - 1 :: thin]
        singular = np.asarray(is_singular(paths))
        self.singular.append(singular)
        if not singular.all():
            kept = paths[~singular]
            outer = aod(self.table.X, kept)
            self.values.append(
                np.array([*inner_distances(kept, self.table.X), outer, evenness(kept)])
            )
        if self.pairs is not None:
            above = np.triu_indices(paths.shape[1], k=1)
            levels = range(1, paths.shape[2] + 1)
            self.pairs.append([co_occurrence(draws["paths"], level)[above] for level in levels])

    def keep_best(self, draws: Draws) -> None:
        """Keep the draw of highest RCDLL, which is CDLL for BHMC."""
        at = int(np.argmax(draws["rcdll"]))
        if draws["rcdll"][at] > self.best_rcdll:
            self.best_rcdll, self.best = float(draws["rcdll"][at]), draws["paths"][at].copy()

    def together(self) -> list[NDArray[Any]]:
        """Return the co-occurrence of all pairs, by level."""
        assert self.pairs is not None
        return [np.mean(level, axis=0) for level in zip(*self.pairs, strict=True)]

    def describe(self) -> dict[str, Any]:
        """Return the numbers of the chain."""
        record: dict[str, Any] = {
            "singular": round(float(np.concatenate(self.singular).mean()), 5),
            "nodes": _rounded(np.mean(self.n_nodes, axis=0)),
        }
        for key in ("cdll", "rcdll"):
            values = getattr(self, key)
            record[key] = _rounded([values.mean(), values.std()])
        if self.values:
            values = np.concatenate(self.values, axis=1)
            record["aid"] = _rounded(values[:3].mean(axis=1))
            record["aod"] = _rounded(values[3].mean())
            record["evenness"] = _rounded(np.nanmean(values[4]))
        if self.pairs is not None:
            record["pairs"] = [
                {key: _rounded(value) for key, value in pair_shares(level).items()}
                for level in self.together()
            ]
        return record | self.describe_best()

    def describe_best(self) -> dict[str, Any]:
        """Return F-measure and shape of the draw to present."""
        scores = f_measure(self.best, self.table.classes)
        return {"f": _rounded(scores), **{key: _rounded(n) for key, n in shape(self.best).items()}}


def start_chain(
    table: Table, reading: str, task: Task
) -> tuple[Sampler, Callable[[int, int], Draws]]:
    """Start a chain; return it, and a function of (n_draws, thin) that continues it."""
    cell, repeat = task
    name = f"{table.name} {reading} {cell.name} {repeat}"
    seed = int(np.random.SeedSequence(list(name.encode())).generate_state(1)[0])
    settings = {**table.design.settings, "C": cell.C, "margin": cell.margin or 1.0, "seed": seed}
    if reading == "collapsed":
        initial = ward_paths(table.X, settings["n_levels"], seed)
        sampler = Sampler(table.X, initial_paths=initial, **settings, **DEFAULTS)
    else:
        sampler = Sampler(table.X, scheme="paper", **settings)
    if reading != "paths" or cell == BHMC:
        return sampler, lambda n_draws, thin: cast(Draws, sampler.run(n_draws, thin=thin))
    return sampler, lambda n_draws, thin: draw_by_path_sums(sampler, n_draws, thin)


def draw_by_path_sums(sampler: Sampler, n_draws: int, thin: int) -> Draws:
    """Continue a chain of the published algorithm with path sums in place of active sums."""
    n_items, n_levels = sampler.paths.shape
    cdll, rcdll = np.empty(n_draws), np.empty(n_draws)
    paths = np.empty((n_draws, n_items, n_levels), np.int32)
    for i in range(n_draws):
        for _ in range(thin):
            for kernel in PATH_SUMS:
                sampler.apply(kernel)
        cdll[i], rcdll[i], paths[i] = sampler.cdll, sampler.rcdll, sampler.paths
    return {"cdll": cdll, "rcdll": rcdll, "paths": paths, "n_nodes": paths.max(axis=1) + 1}


def _rounded(values: Any) -> Any:
    """Round to five significant digits."""
    if np.ndim(values):
        return [_rounded(value) for value in values]
    return float(f"{float(values):.5g}")
