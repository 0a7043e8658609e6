"""Cross-validation over a grid of C and margin."""

import itertools
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rbhmc._checks import check_count
from rbhmc._core import SETTINGS, InvalidInput
from rbhmc.estimator import RBHMC
from rbhmc.sampling import Chain, sample
from rbhmc.sampling.provenance import digest
from rbhmc.tuning.result import Trial, Tuning
from rbhmc.tuning.scores import HeldOutScore, disagreement

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
    """Try strengths C and margins, and recommend one pair; no labels are needed.

    The items are split into folds. For each setting, and for BHMC (C = 0), one chain per fold runs
    on the items of the other folds. It is scored by

    - the log density of the held-out items, given the tree that the chain selects;
    - the disagreement of its draws with the chains of the other folds, on the items that both have
      (see `disagreement`): a tree that depends on which items were seen is not a finding;
    - AID and AOD of its draws.

    Among the settings whose density is within one standard error of the best (paired by item), the
    one with the least disagreement is recommended.

    Parameters
    ----------
    X : array or data frame of shape (n_items, n_features)
        The table. Principal components and scale are computed on all of it.
    C, margin : sequence of float
        The values to try, in all pairs.
    model : RBHMC, optional
        The source of all other settings; by default `RBHMC()`.
    n_folds : int
        Number of folds, and of chains for each setting; at least 3, so that any two chains have
        items in common.
    n_warmup, n_draws, thin : int
        Length of each chain, as in `RBHMC`; shorter, because there are many.
    random_state, n_jobs
        As in `RBHMC`.
    checkpoint_dir, resume, progress
        As in `RBHMC.fit`.

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
    model = RBHMC() if model is None else clone(model)
    items = model._learn_items(X)
    preparation, table = items.preparation, items.encoded
    n_folds = check_count("n_folds", n_folds, 3)
    lengths: dict[str, Any] = {
        "n_warmup": check_count("n_warmup", n_warmup, 0),
        "n_draws": check_count("n_draws", n_draws, 1),
        "thin": check_count("thin", thin, 1),
    }
    if len(table) < 2 * n_folds:
        raise InvalidInput(
            f"{len(table)} items are too few for {n_folds} folds; there must be {2 * n_folds} at "
            "least"
        )
    prepared = items.prepared
    shared = {key: getattr(model, key) for key in SETTINGS}
    cells = _make_cells(C, margin)
    settings_of_cell = [preparation.arrange_settings(shared) | cell for cell in cells]

    def make_chains(seeds: list[int]) -> list[Chain]:
        *chain_seeds, fold_seed = seeds
        splits = _split_items(len(table), n_folds, fold_seed)
        parts = [(prepared[seen], prepared[held_out]) for seen, held_out in splits]
        jobs = itertools.product(parts, settings_of_cell)
        return [
            Chain(
                seen,
                seed=seed,
                settings=settings,
                measure=HeldOutScore(seen, held_out, settings),
                **lengths,
            )
            for seed, ((seen, held_out), settings) in zip(chain_seeds, jobs, strict=True)
        ]

    run = sample(
        make_chains,
        {
            **shared,
            "cells": cells,
            "n_folds": n_folds,
            "n_pca": model.n_pca,
            "scale": model.scale,
            "standardize": model.standardize,
            "missing": model.missing,
            **lengths,
            "X (SHA-256)": digest(table),
        },
        n_seeds=n_folds * len(cells) + 1,
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint_dir=checkpoint_dir,
        resume=resume,
        progress=progress,
    )
    if None in run.results:
        kept = "" if checkpoint_dir is None else f"; resume the run in {checkpoint_dir}"
        raise KeyboardInterrupt(f"stopped before all chains were complete{kept}")
    scores = [result[0] for result in run.results]
    splits = _split_items(len(table), n_folds, run.inputs["seeds"][-1])
    return Tuning(
        tuple(
            _make_trial(cell, scores[number :: len(cells)], splits)
            for number, cell in enumerate(cells)
        )
    )


def _split_items(n_items: int, n_folds: int, seed: int) -> list[tuple[Indices, Indices]]:
    """Split the items into folds; return the items outside and inside each fold."""
    # Imported here because it loads half of scikit-learn, which would slow `import rbhmc`.
    from sklearn.model_selection import KFold

    folds = KFold(n_folds, shuffle=True, random_state=seed % 2**32)
    return list(folds.split(np.empty(n_items)))


def _make_cells(C: Sequence[float], margin: Sequence[float]) -> list[dict[str, float]]:
    for name, given in (("C", C), ("margin", margin)):
        if isinstance(given, str) or np.ndim(given) != 1 or len(given) == 0:
            raise InvalidInput(f"{name} is {given!r}; it must be a list of numbers to try")
    if any(strength == 0 for strength in C):
        raise InvalidInput("C contains 0, which is BHMC and is always tried; leave it out")
    pairs = itertools.product(map(float, C), map(float, margin))
    return [{"C": 0.0}, *({"C": strength, "margin": gap} for strength, gap in pairs)]


def _make_trial(
    cell: dict[str, float], folds: list[dict[str, Any]], splits: list[tuple[Indices, Indices]]
) -> Trial:
    """Combine the scores of the folds for one setting."""
    ln_density = np.empty(sum(len(held_out) for _, held_out in splits))
    for scores, (_, held_out) in zip(folds, splits, strict=True):
        ln_density[held_out] = scores["ln_density"]
    return Trial(
        C=cell["C"],
        margin=cell.get("margin"),
        ln_density=ln_density,
        disagreement=_mean_disagreement(folds, [seen for seen, _ in splits]),
        aid=_mean([scores["aid"] for scores in folds]),
        aod=_mean([scores["aod"] for scores in folds]),
        n_nodes=tuple(np.mean([scores["n_nodes"] for scores in folds], axis=0).tolist()),
    )


def _mean_disagreement(folds: list[dict[str, Any]], seen: list[Indices]) -> float:
    """Return the mean over pairs of folds and draws, on the items that both folds have seen."""
    values = []
    for one, other in itertools.combinations(range(len(folds)), 2):
        _, in_one, in_other = np.intersect1d(seen[one], seen[other], return_indices=True)
        trees = zip(folds[one]["trees"], folds[other]["trees"], strict=True)
        values += [disagreement(np.array(a)[in_one], np.array(b)[in_other]) for a, b in trees]
    return float(np.mean(values))


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
