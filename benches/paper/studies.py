"""A study: a grid of settings times repeats, one chain each, measured and kept.

Examples
--------
>>> import numpy as np
>>> X = np.array([[0.0], [0.3], [9.0], [9.3]])
>>> def n_leaves(draws):
...     return {"n_leaves": float(draws["n_nodes"][:, -1].mean())}
>>> runs = run_study(X, {"C": [0.0, 1.0]}, n_leaves, n_repeats=2, n_draws=50, random_state=0)
>>> [(run.settings, run.repeat) for run in runs]
[({'C': 0.0}, 0), ({'C': 0.0}, 1), ({'C': 1.0}, 0), ({'C': 1.0}, 1)]
"""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from rbhmc import InvalidInput
from rbhmc._checks import check_count
from rbhmc.sampling import Chain, sample
from rbhmc.sampling.chain import Measure
from rbhmc.sampling.provenance import digest


@dataclass(frozen=True)
class StudyRun:
    """One chain of a study: its settings, the number of the repeat, and its measured value."""

    settings: dict[str, Any]
    repeat: int
    values: Any


def run_study(
    X: ArrayLike,
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
    measure: Measure,
    *,
    n_repeats: int = 1,
    settings: Mapping[str, Any] | None = None,
    n_warmup: int = 0,
    n_draws: int = 1000,
    thin: int = 1,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    checkpoint_dir: str | PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = True,
) -> list[StudyRun]:
    """Run one chain for each setting and repeat, and measure each.

    The draws of a chain stay in the process that sampled them; only the return value of `measure`
    comes back.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
        The prepared table.
    grid : mapping of names to values, or sequence of mappings
        Keywords of `Sampler`: all combinations of the values, or the given combinations.
    measure : callable
        Takes the draws of a chain, as `Sampler.run` returns them; returns a value that JSON can
        represent, such as a dict of floats. Processes must be able to import it.
    n_repeats : int
        Chains for each setting.
    settings : mapping, optional
        Keywords of `Sampler` for all chains.
    n_warmup, n_draws, thin, random_state, n_jobs
        As in `RBHMC`.
    checkpoint_dir, resume, progress
        As in `RBHMC.fit`.

    Returns
    -------
    list of StudyRun
        Ordered by setting, then by repeat. After Ctrl-C only the measured chains, with a
        RuntimeWarning.
    """
    table = check_array(X, dtype=np.float64)
    n_repeats = check_count("n_repeats", n_repeats, 1)
    n_draws = check_count("n_draws", n_draws, 1)
    n_warmup = check_count("n_warmup", n_warmup, 0)
    thin = check_count("thin", thin, 1)
    cells = _cells(grid)
    if not cells:
        raise InvalidInput("grid is empty; it must hold at least one setting")
    shared = dict(settings or {})
    jobs = [
        (cell, repeat, of_chain)
        for cell, of_chain in [(cell, shared | cell) for cell in cells]
        for repeat in range(n_repeats)
    ]
    run = sample(
        lambda seeds: [
            Chain(
                table,
                seed=seed,
                n_draws=n_draws,
                n_warmup=n_warmup,
                thin=thin,
                settings=of_chain,
                measure=measure,
            )
            for (_, _, of_chain), seed in zip(jobs, seeds, strict=True)
        ],
        {
            "cells": [cell for cell, _, _ in jobs],
            **shared,
            "measure": _qualified_name(measure, checkpoint_dir is not None),
            "n_draws": n_draws,
            "n_warmup": n_warmup,
            "thin": thin,
            "X (SHA-256)": digest(table),
        },
        n_seeds=len(jobs),
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint_dir=checkpoint_dir,
        resume=resume,
        progress=progress,
    )
    measured = [
        StudyRun(cell, repeat, result[0])
        for (cell, repeat, _), result in zip(jobs, run.results, strict=True)
        if result is not None
    ]
    if len(measured) < len(jobs):
        warnings.warn(
            f"interrupted: {len(measured)} of {len(jobs)} chains are measured",
            RuntimeWarning,
            stacklevel=2,
        )
    return measured


def _cells(
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    if not isinstance(grid, Mapping):
        return [dict(cell) for cell in grid]
    for key, values in grid.items():
        if isinstance(values, str):
            raise InvalidInput(f"grid[{key!r}] is one string, {values!r}; give a list of values")
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def _qualified_name(measure: Measure, kept: bool) -> str:
    named = measure if hasattr(measure, "__qualname__") else type(measure)
    if kept and "<lambda>" in named.__qualname__:
        raise InvalidInput(
            "measure is a lambda, which cannot be identified on resume; with checkpoint_dir, give "
            "a named function"
        )
    return f"{named.__module__}.{named.__qualname__}"
