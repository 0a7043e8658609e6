"""A grid over C and margin, each setting judged on items that its chains did not see."""

import itertools
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from rbhmc._core import InvalidInput, Sampler
from rbhmc.estimator import RBHMC, SAMPLER_SETTINGS
from rbhmc.preparation import Preparation
from rbhmc.sampling import Chain, open_run, run_chains
from rbhmc.sampling.provenance import checked_count, digest, seeds_of
from rbhmc.tuning.agreement import disagreement
from rbhmc.tuning.held_out import HeldOut
from rbhmc.tuning.result import Trial, Tuning


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
    n_folds = checked_count("n_folds", n_folds, 3)
    counts = {
        "n_warmup": checked_count("n_warmup", n_warmup, 0),
        "n_draws": checked_count("n_draws", n_draws, 1),
        "thin": checked_count("thin", thin, 1),
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
    for cell in cells:
        # Refused before anything runs or is written.
        Sampler(prepared, **shared | cell)
    jobs = list(itertools.product(range(n_folds), cells))
    *seeds, deal = seeds_of(random_state, len(jobs) + 1)
    about = {
        **shared,
        "cells": cells,
        "n_folds": n_folds,
        "n_pca": model.n_pca,
        "scale": model.scale,
        **counts,
        "X (SHA-256)": digest(table),
        "seeds": [*seeds, deal],
    }
    folder = open_run(
        checkpoint_dir, resume, about, counts["n_draws"], keep_seeds=random_state is None
    )
    if folder is not None:
        *seeds, deal = folder.record["about"]["seeds"]
    # Here: half of scikit-learn comes with it, and `import rbhmc` is to be quick.
    from sklearn.model_selection import KFold

    splits = list(KFold(n_folds, shuffle=True, random_state=deal % 2**32).split(prepared))
    parts = [(prepared[seen], prepared[kept_out]) for seen, kept_out in splits]
    chains = []
    for seed, (fold, cell) in zip(seeds, jobs, strict=True):
        seen, kept_out = parts[fold]
        settings = shared | cell
        measure = HeldOut(seen, kept_out, settings)
        chains.append(Chain(seen, seed=seed, settings=settings, measure=measure, **counts))
    found = run_chains(chains, n_jobs=n_jobs, folder=folder, progress=progress)
    if any(each is None for each in found):
        kept = "" if folder is None else f"; {folder.path} keeps what is done, to be resumed"
        raise KeyboardInterrupt(f"stopped before every chain was measured{kept}")
    values = [each[0] for each in found]
    return Tuning(
        tuple(
            _trial(cell, values[number :: len(cells)], splits) for number, cell in enumerate(cells)
        )
    )


def _cells(C: Sequence[float], margin: Sequence[float]) -> list[dict[str, float]]:
    for name, given in (("C", C), ("margin", margin)):
        if isinstance(given, str) or np.ndim(given) != 1 or len(given) == 0:
            raise InvalidInput(f"{name} is {given!r}; it must be a list of numbers to try")
    if any(strength == 0 for strength in C):
        raise InvalidInput("C holds 0, which is BHMC and is tried anyway; leave it out")
    pairs = itertools.product(map(float, C), map(float, margin))
    return [{"C": 0.0}, *({"C": strength, "margin": gap} for strength, gap in pairs)]


def _trial(
    cell: dict[str, float], folds: list[dict[str, Any]], splits: list[tuple[Any, Any]]
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


def _disagreement(folds: list[dict[str, Any]], seen: list[NDArray[np.intp]]) -> float:
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
