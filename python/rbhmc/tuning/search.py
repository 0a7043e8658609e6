"""A grid over C and margin, each setting judged on items that its chains did not see."""

import itertools
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from rbhmc._checks import check_count
from rbhmc._core import InvalidInput
from rbhmc.estimator import RBHMC, SAMPLER_SETTINGS
from rbhmc.preparation import Preparation
from rbhmc.sampling import Chain, sample
from rbhmc.sampling.provenance import digest
from rbhmc.tuning.agreement import disagreement
from rbhmc.tuning.held_out import HeldOut
from rbhmc.tuning.result import Trial, Tuning

Indices = NDArray[np.intp]


def tune(
    X: ArrayLike,
    *,
    C: Sequence[float] = (0.1, 0.3, 1.0, 3.0),
    margin: Sequence[float] = (1.0, 2.0, 5.0, 10.0),
    model: RBHMC | None = None,
    n_folds: int = 3,
    n_warmup: int = 1000,
    n_draws: int = 200,
    thin: int = 5,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    checkpoint_dir: str | PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = True,
) -> Tuning:
    """Try strengths and margins, and recommend one; no labels are needed.

    The items are dealt into folds. For each setting, and for BHMC (C = 0), one chain a fold runs on
    the items of the other folds, and is judged by

    - the log density of the items kept out, given the tree that the chain would present;
    - the disagreement of its draws with those of the other folds' chains, on the items that both
      have seen (see `disagreement`): a tree that hangs on which items were seen is no finding;
    - AID and AOD of its draws.

    Recommended is, of the settings whose density is within one standard error of the best one's
    (paired by item), that with the least disagreement.

    Parameters
    ----------
    X : array or data frame of shape (n_items, n_features)
        The table. Components and scale are found on all of it.
    C, margin : sequence of float
        What to try: all pairs.
    model : RBHMC, optional
        Where all other settings come from; `RBHMC()` where absent.
    n_folds : int
        Folds, and so chains for each setting; 3 at least, so that any two chains share items.
    n_warmup, n_draws, thin : int
        Of each chain, as of `RBHMC`; shorter, since many are run.
    random_state, n_jobs
        As of `RBHMC`.
    checkpoint_dir, resume, progress
        As of `RBHMC.fit`.

    Returns
    -------
    Tuning
        All trials and the recommendation; `print` it, or call its `plot`.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 6, axis=0)
    >>> X += np.random.default_rng(0).normal(size=X.shape)
    >>> tuning = rbhmc.tune(X, C=[1.0], margin=[1.0, 5.0], n_draws=50, random_state=0)
    >>> [(trial.C, trial.margin) for trial in tuning.trials]
    [(0.0, None), (1.0, 1.0), (1.0, 5.0)]
    >>> model = rbhmc.RBHMC(**tuning.best)
    """
    model = RBHMC() if model is None else model
    table = check_array(X, dtype=np.float64)
    n_folds = check_count("n_folds", n_folds, 3)
    counts = {
        "n_warmup": check_count("n_warmup", n_warmup, 0),
        "n_draws": check_count("n_draws", n_draws, 1),
        "thin": check_count("thin", thin, 1),
    }
    if len(table) < 2 * n_folds:
        raise InvalidInput(
            f"{len(table)} items are too few for {n_folds} folds; there must be {2 * n_folds} at "
            "least"
        )
    preparation = Preparation(n_pca=model.n_pca, scale=model.scale)
    prepared = preparation.fit(table).transform(table)
    shared = {key: getattr(model, key) for key in SAMPLER_SETTINGS}
    cells = _cells(C, margin)
    settings_of_cell = [shared | cell for cell in cells]

    def make_chains(seeds: list[int]) -> list[Chain]:
        *chain_seeds, deal = seeds
        parts = [(prepared[a], prepared[b]) for a, b in _split_items(len(table), n_folds, deal)]
        jobs = itertools.product(parts, settings_of_cell)
        return [
            Chain(
                seen,
                seed=seed,
                settings=settings,
                measure=HeldOut(seen, kept_out, settings),
                **counts,
            )
            for seed, ((seen, kept_out), settings) in zip(chain_seeds, jobs, strict=True)
        ]

    inputs = {
        **shared,
        "cells": cells,
        "n_folds": n_folds,
        "n_pca": model.n_pca,
        "scale": model.scale,
        **counts,
        "X (SHA-256)": digest(table),
    }
    run = sample(
        make_chains,
        inputs,
        n_seeds=n_folds * len(cells) + 1,
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint_dir=checkpoint_dir,
        resume=resume,
        progress=progress,
    )
    if any(each is None for each in run.results):
        kept = "" if checkpoint_dir is None else f"; resume the run in {checkpoint_dir}"
        raise KeyboardInterrupt(f"stopped before every chain was measured{kept}")
    values = [each[0] for each in run.results]
    splits = _split_items(len(table), n_folds, run.inputs["seeds"][-1])
    return Tuning(
        tuple(
            _trial(cell, values[number :: len(cells)], splits) for number, cell in enumerate(cells)
        )
    )


def _split_items(n_items: int, n_folds: int, seed: int) -> list[tuple[Indices, Indices]]:
    """Deal the items into folds; return the items outside and inside each fold."""
    # Imported here because it loads half of scikit-learn, which would slow `import rbhmc`.
    from sklearn.model_selection import KFold

    folds = KFold(n_folds, shuffle=True, random_state=seed % 2**32)
    return list(folds.split(np.empty(n_items)))


def _cells(C: Sequence[float], margin: Sequence[float]) -> list[dict[str, float]]:
    for name, given in (("C", C), ("margin", margin)):
        if isinstance(given, str) or np.ndim(given) != 1 or len(given) == 0:
            raise InvalidInput(f"{name} is {given!r}; it must be a list of numbers to try")
    if any(strength == 0 for strength in C):
        raise InvalidInput("C holds 0, which is BHMC and is tried anyway; leave it out")
    pairs = itertools.product(map(float, C), map(float, margin))
    return [{"C": 0.0}, *({"C": strength, "margin": gap} for strength, gap in pairs)]


def _trial(
    cell: dict[str, float], folds: list[dict[str, Any]], splits: list[tuple[Indices, Indices]]
) -> Trial:
    """Put together what the folds' chains say of one setting."""
    ln_density = np.empty(sum(len(kept_out) for _, kept_out in splits))
    for values, (_, kept_out) in zip(folds, splits, strict=True):
        ln_density[kept_out] = values["ln_density"]
    return Trial(
        C=cell["C"],
        margin=cell.get("margin"),
        ln_density=ln_density,
        disagreement=_disagreement(folds, [seen for seen, _ in splits]),
        aid=_mean([values["aid"] for values in folds]),
        aod=_mean([values["aod"] for values in folds]),
        n_nodes=tuple(np.mean([values["n_nodes"] for values in folds], axis=0).tolist()),
    )


def _disagreement(folds: list[dict[str, Any]], seen: list[Indices]) -> float:
    """Mean over pairs of folds and their draws, on the items that both have seen."""
    found = []
    for one, other in itertools.combinations(range(len(folds)), 2):
        _, in_one, in_other = np.intersect1d(seen[one], seen[other], return_indices=True)
        trees = zip(folds[one]["trees"], folds[other]["trees"], strict=True)
        found += [disagreement(np.array(a)[in_one], np.array(b)[in_other]) for a, b in trees]
    return float(np.mean(found))


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
