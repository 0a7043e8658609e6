"""Studies: a grid of settings times repeats, each a chain of its own, measured and kept.

Examples
--------
>>> import numpy as np
>>> from rbhmc.studies import run_study
>>> X = np.array([[0.0], [0.3], [9.0], [9.3]])
>>> def n_leaves(draws):
...     return {"n_leaves": float(draws["n_nodes"][:, -1].mean())}
>>> found = run_study(X, {"C": [0.0, 1.0]}, n_leaves, n_repeats=2, n_draws=50, random_state=0)
>>> [(case.settings, case.repeat) for case in found]
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

from rbhmc._checks import check_count
from rbhmc._core import InvalidInput
from rbhmc.sampling import Chain, sample
from rbhmc.sampling.chain import Measure
from rbhmc.sampling.provenance import digest

__all__ = ["Case", "run_study"]


@dataclass(frozen=True)
class Case:
    """One chain of a study: its settings, which repeat it is, and what was measured on it.

    Examples
    --------
    >>> Case({"C": 1.0}, 0, {"aid": 3.5}).values["aid"]
    3.5
    """

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
) -> list[Case]:
    """Run a chain for each setting and repeat, and measure each.

    The chains are independent and go to joblib as those of `RBHMC.fit` do. A chain's draws stay
    where it ran; only what `measure` makes of them comes back.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
        The items, prepared (see `rbhmc.preparation`).
    grid : mapping of names to values, or sequence of mappings
        Keywords of `Sampler`: all combinations of a mapping's values, or the given ones.
    measure : callable
        Called with the draws of a chain, as `Sampler.run` gives them; must return what JSON can
        hold, such as a dict of floats. Defined in a module, if processes are to run it.
    n_repeats : int
        Chains for each setting.
    settings : mapping, optional
        Keywords of `Sampler` for all chains.
    n_warmup, n_draws, thin : int
        As of `RBHMC`.
    random_state : int, RandomState or None
    n_jobs, checkpoint_dir, resume, progress
        As of `RBHMC` and its `fit`.

    Returns
    -------
    list of Case
        Setting by setting, repeat by repeat. After Ctrl-C those that are done, with a
        RuntimeWarning.
    """
    table = check_array(X, dtype=np.float64)
    n_repeats = check_count("n_repeats", n_repeats, 1)
    n_draws = check_count("n_draws", n_draws, 1)
    n_warmup = check_count("n_warmup", n_warmup, 0)
    thin = check_count("thin", thin, 1)
    cells = [dict(cell) for cell in _cells(grid) for _ in range(n_repeats)]
    if not cells:
        raise InvalidInput("grid is empty; it must hold at least one setting")
    shared = dict(settings or {})
    settings_of_cell = [s for cell in cells[::n_repeats] for s in [shared | cell] * n_repeats]
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
            for of_chain, seed in zip(settings_of_cell, seeds, strict=True)
        ],
        {
            "cells": cells,
            **shared,
            "measure": _name_of(measure, checkpoint_dir is not None),
            "n_draws": n_draws,
            "n_warmup": n_warmup,
            "thin": thin,
            "X (SHA-256)": digest(table),
        },
        n_seeds=len(cells),
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint_dir=checkpoint_dir,
        resume=resume,
        progress=progress,
    )
    cases = [
        Case(cell, number % n_repeats, result[0])
        for number, (cell, result) in enumerate(zip(cells, run.results, strict=True))
        if result is not None
    ]
    if len(cases) < len(cells):
        warnings.warn(
            f"interrupted: {len(cases)} of {len(cells)} chains are measured",
            RuntimeWarning,
            stacklevel=2,
        )
    return cases


def _cells(
    grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
) -> list[Mapping[str, Any]]:
    if not isinstance(grid, Mapping):
        return list(grid)
    for key, values in grid.items():
        if isinstance(values, str):
            raise InvalidInput(f"grid[{key!r}] is one text, {values!r}; give a list of values")
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def _name_of(measure: Measure, kept: bool) -> str:
    named = measure if hasattr(measure, "__qualname__") else type(measure)
    if kept and "<lambda>" in named.__qualname__:
        raise InvalidInput(
            "measure is a lambda, which no other can be told from; with checkpoint_dir it must be "
            "a function with a name"
        )
    return f"{named.__module__}.{named.__qualname__}"
