"""The reference test: is there more structure than in one cloud of the same shape?

Mixtures and margins cut any cloud, so groups and their supports alone are no evidence of structure.
The test fits tables without groups in the same way as the given table, and compares the separation
of the groups that the chains find (`separation`). There are two families of references, both with
the mean, the principal axes and the variances of the table:

    gaussian   x = m + V diag(s) z,         z_d from N(0, 1)
    uniform    x = m + V diag(s) √3 u,      u_d from U(-1, 1).

Let T be the mean separation of the table over `N_TABLE_CHAINS` chains, and r̄ and s_r the mean and
the standard deviation over R references of one family, each with one chain. If T were one more
reference, (T - r̄) / (s_r √(1 + 1/R)) would be about t distributed with R - 1 degrees of freedom.
The p-value is the upper tail of that distribution, and the larger of the two families: the table
must be more separated than a Gaussian *and* than a uniform cloud, whose edges favour cuts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

from rbhmc._checks import check_numbers
from rbhmc._core import average_linkage, count_coclustered
from rbhmc.posterior.separation import separation
from rbhmc.sampling.chain import Chain
from rbhmc.sampling.chain_store import DrawChunk
from rbhmc.sampling.init import Init, initial_paths
from rbhmc.sampling.run import run_chains

Array = NDArray[np.float64]

# A table is structured if its p-value is less. See benches/structure.py for false alarms and power.
LEVEL = 0.1
# Of more items a sample is tested; fewer cannot show two groups.
MAX_ITEMS = 300
MIN_ITEMS = 6
N_TABLE_CHAINS = 4
N_REFERENCES = 9  # of each family
N_WARMUP, N_DRAWS, THIN = 10, 10, 1
# Sweeps before the noise is learned, at most.
NOISE_WARMUP = 13
# Added to s_r, which is 0 if no reference has a valley: shallower valleys are no evidence.
LEAST_DEPTH = 0.02


@dataclass(frozen=True, eq=False)
class ReferenceTest:
    """The separation of a table, and of tables without groups.

    Attributes
    ----------
    statistic : float
        The mean separation of the groups that the chains of the table find.
    reference : dict of arrays of shape (n_references,)
        The separation for each reference of the families "gaussian" and "uniform".
    p_value : float
        The larger of the two families' p-values.
    """

    statistic: float
    reference: dict[str, Array]
    p_value: float

    @property
    def is_structured(self) -> bool:
        """Whether the table has more structure than one cloud of the same shape would show."""
        return self.p_value < LEVEL


def reference_test(
    prepared: Array,
    settings: Mapping[str, Any],
    seed: int,
    *,
    init: Init = "ward",
    n_jobs: int | None = None,
) -> ReferenceTest:
    """Compare a table with tables that have no groups.

    Tables of fewer than 6 items, and tables in which all items are equal, have a p-value of 1.

    Parameters
    ----------
    prepared : array of shape (n_items, n_dims)
        The prepared table; of more than 300 items a sample is tested.
    settings : mapping
        Keywords of `Sampler`.
    seed : int
        The result depends on the table, the settings and the seed alone.
    init : {"ward", "prior"}
        How each chain starts.
    n_jobs : int, optional
        How many chains run at the same time.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cloud = rng.normal(size=(80, 2)) * 3.0
    >>> settings = {"n_levels": 4, "noise_cov": "auto", "base_cov": "auto"}
    >>> reference_test(cloud, settings, seed=0).is_structured
    False
    >>> groups = cloud + np.repeat([[0.0, 0.0], [18.0, 0.0]], 40, axis=0)
    >>> found = reference_test(groups, settings, seed=0)
    >>> found.is_structured, found.reference["uniform"].shape
    (True, (9,))
    """
    table = check_numbers(prepared, "prepared", ("n_items", "n_dims"))
    rng = np.random.default_rng(seed)
    if len(table) > MAX_ITEMS:
        table = table[np.sort(rng.choice(len(table), MAX_ITEMS, replace=False))]
    if len(table) < MIN_ITEMS or (table == table[0]).all():
        none = np.zeros(N_REFERENCES)
        return ReferenceTest(0.0, {"gaussian": none, "uniform": none.copy()}, 1.0)
    tables = [table] * N_TABLE_CHAINS + draw_references(table, rng)
    short = dict(settings)
    short["noise_warmup"] = min(settings.get("noise_warmup", NOISE_WARMUP), NOISE_WARMUP)
    seeds = rng.integers(2**63, size=len(tables)).tolist()
    chains = [
        _make_chain(each, short, init, chain_seed)
        for each, chain_seed in zip(tables, seeds, strict=True)
    ]
    results = run_chains(chains, n_jobs=n_jobs, progress=False)
    if any(result is None for result in results):
        raise KeyboardInterrupt
    depths = np.array([result[0] for result in results])
    statistic = float(depths[:N_TABLE_CHAINS].mean())
    gaussian, uniform = depths[N_TABLE_CHAINS:].reshape(2, N_REFERENCES)
    p_value = max(upper_tail(statistic, gaussian), upper_tail(statistic, uniform))
    return ReferenceTest(statistic, {"gaussian": gaussian, "uniform": uniform}, p_value)


def draw_references(table: Array, rng: np.random.Generator) -> list[Array]:
    """Draw tables with the mean and the covariance of a table: first Gaussian, then uniform ones.

    Examples
    --------
    >>> table = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    >>> references = draw_references(table, np.random.default_rng(0))
    >>> len(references), bool(np.allclose(references[0][:, 0], references[0][:, 1]))
    (18, True)
    """
    mean = table.mean(axis=0)
    _, lengths, axes = np.linalg.svd(table - mean, full_matrices=False)
    deviations = lengths / np.sqrt(len(table))
    shape = (N_REFERENCES, len(table), len(deviations))
    gaussian = rng.normal(size=shape)
    uniform = np.sqrt(3.0) * rng.uniform(-1.0, 1.0, size=shape)
    return [
        mean + (standard * deviations) @ axes
        for family in (gaussian, uniform)
        for standard in family
    ]


def upper_tail(statistic: float, reference: Array) -> float:
    """Return the probability that one more reference reaches the statistic, by Student's t.

    Examples
    --------
    >>> reference = np.array([0.0, 0.1, 0.2, 0.3])
    >>> round(upper_tail(0.15, reference), 3), round(upper_tail(1.0, reference), 3)
    (0.5, 0.007)
    """
    n = len(reference)
    scale = (reference.std(ddof=1) + LEAST_DEPTH) * np.sqrt(1.0 + 1.0 / n)
    return float(student_t.sf((statistic - reference.mean()) / scale, n - 1))


def _make_chain(table: Array, settings: dict[str, Any], init: Init, seed: int) -> Chain:
    start = initial_paths(table, settings["n_levels"], init, None, seed)
    return Chain(
        table,
        seed=seed,
        n_draws=N_DRAWS,
        n_warmup=N_WARMUP,
        thin=THIN,
        settings=settings | {"initial_paths": start},
        measure=partial(_measure, table),
    )


def _measure(table: Array, draws: DrawChunk) -> float:
    """Return the separation of the groups of one chain's draws.

    The dendrogram is the one of `rbhmc.posterior.dendrogram`, for draws that are in memory.
    """
    n_items = len(table)
    levels = draws["paths"].transpose(0, 2, 1).reshape(-1, n_items)
    labels = np.concatenate([levels, draws["components"]])
    counts = np.zeros((n_items, n_items), np.uint32)
    count_coclustered(labels, counts)
    return separation(table, average_linkage(counts, len(labels)))
