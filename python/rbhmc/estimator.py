"""The scikit-learn clusterers: `RBHMC`, and `BHMC`, the same without regularisation."""

import importlib
import inspect
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rbhmc import posterior
from rbhmc._checks import check_count, check_names
from rbhmc._core import InvalidInput
from rbhmc.diagnostics import Diagnostics, diagnose, summary_text
from rbhmc.draws import Draws
from rbhmc.metrics.partitions import Loss
from rbhmc.path_columns import path_columns
from rbhmc.posterior.selection import Criterion, check_criterion, select
from rbhmc.predictive import learn_predictive
from rbhmc.preparation import Preparation
from rbhmc.sampling import Chain, sample, truncate_to_common_length
from rbhmc.sampling.init import Init, initial_paths
from rbhmc.sampling.provenance import digest
from rbhmc.sampling.run_length import Length, count_sweeps
from rbhmc.tree import Tree

# Draws of the parameters given the selected tree that predictions are averaged over.
PREDICTIVE_DRAWS = {"n_draws": 50, "n_warmup": 100, "thin": 4}


class RBHMC(ClusterMixin, BaseEstimator):
    """Regularised Bayesian hierarchical mixture clustering.

    Several chains sample trees of the items; the tree that is presented is the draw of least
    posterior expected loss over all of them, never just the last one; or, since margins cut any
    table, the root alone if no node of that draw recurs in the others.

    Parameters
    ----------
    n_levels, alpha, gamma, gamma0, C, margin, eta_scale, noise_cov, base_mean, base_cov, scheme, \
path_move, initial_paths
        As of `Sampler`; covariances and means are in the units of the prepared table. The three
        concentrations and two covariances may be "learn", see docs/hyperparameters.md.
    init : {"prior", "ward"}
        Where chains start: at a draw from the prior, each at its own, or all at Ward's linkage cut
        into levels. Chains from one place cannot show that they would have met from others.
    n_pca : "auto", int, float or None
        Principal components kept: a number, a share of variance, or None for the data as they are.
        "auto" is None for up to 20 columns, and a share of 0.7 for more.
    scale : "auto", float or False
        One factor for the whole table, see `rbhmc.preparation.Preparation`; False leaves it alone.
    n_chains, n_draws : int
        Chains; draws of each.
    n_warmup, thin : int or "auto"
        Sweeps before the first draw of a chain; sweeps a draw. "auto" is 40 sweeps a draw for up
        to 250 items and as many fewer as there are more, 1 at least, and 500 times that before.
    select : {"vi", "binder", "rcdll", "cdll"}
        How the presented tree is chosen: see `rbhmc.posterior.selection.select`. With "vi" or
        "binder" it is the root alone if C > 0 and no node of the draw is stable, see
        `rbhmc.posterior.stability`.
    random_state : int, RandomState or None
        Equal numbers give equal results, to the bit, whatever `n_jobs` is.
    n_jobs : int or None
        Chains at once, through joblib; threads unless a joblib backend is chosen outside.

    Attributes
    ----------
    labels_ : array of shape (n_items,)
        The leaf of the selected tree that each item is in.
    tree_ : Tree
        The presented tree, with names, sizes, centroids in the user's units, and as support of a
        node the share of draws in which its items, exactly, are a node: see `rbhmc.posterior`.
    draws_ : Draws
        All draws of all chains.
    selected_ : tuple of int
        Chain and draw of the selected tree.
    stability_ : Stability
        How stable the nodes of the selected draw are, see `rbhmc.posterior.stability`.
    preparation_ : Preparation
        What the items went through, and new items go through.
    prepared_ : array of shape (n_items, n_dims)
        The items after it, as the sampler saw them.
    feature_std_ : array of shape (n_features,)
        Standard deviation of each column of the user's table.
    path_columns_ : tuple of str
        What the columns of `predict_path_proba` are.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has string column names.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8], [20.0, 0.1], [20.2, 0.3]])
    >>> model = rbhmc.RBHMC(n_levels=2, n_draws=200, random_state=0).fit(X)
    >>> len(model.labels_), model.tree_.n_levels
    (6, 2)
    """

    def __init__(
        self,
        *,
        n_levels: int = 3,
        alpha: float | Literal["learn"] = 0.35,
        gamma: float | Literal["learn"] = 1.0,
        gamma0: float | Literal["learn"] = 0.85,
        C: float = 1.0,
        margin: float = 5.0,
        eta_scale: float = 1.0,
        noise_cov: ArrayLike = 1.0,
        base_mean: ArrayLike = 0.0,
        base_cov: ArrayLike = 1.0,
        scheme: str = "collapsed",
        path_move: str | None = None,
        init: Init = "prior",
        initial_paths: ArrayLike | None = None,
        n_pca: float | Literal["auto"] | None = "auto",
        scale: float | Literal["auto", False] = "auto",
        n_chains: int = 4,
        n_warmup: Length = "auto",
        n_draws: int = 1000,
        thin: Length = "auto",
        select: Criterion = "vi",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_levels = n_levels
        self.alpha = alpha
        self.gamma = gamma
        self.gamma0 = gamma0
        self.C = C
        self.margin = margin
        self.eta_scale = eta_scale
        self.noise_cov = noise_cov
        self.base_mean = base_mean
        self.base_cov = base_cov
        self.scheme = scheme
        self.path_move = path_move
        self.init = init
        self.initial_paths = initial_paths
        self.n_pca = n_pca
        self.scale = scale
        self.n_chains = n_chains
        self.n_warmup = n_warmup
        self.n_draws = n_draws
        self.thin = thin
        self.select = select
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        names: Sequence[str] | None = None,
        checkpoint_dir: str | PathLike[str] | None = None,
        resume: bool = False,
        progress: bool = True,
    ) -> Self:
        """Sample all chains and select the tree to present.

        Ctrl-C stops the chains and fits the model on the draws that are complete, with a
        RuntimeWarning that says how many; a second one raises KeyboardInterrupt.

        Parameters
        ----------
        X : array or data frame of shape (n_items, n_features)
            A frame's index names the items, its columns the features.
        y : ignored
        names : sequence of str, optional
            The items' names, where X is no frame or its index is not meant.
        checkpoint_dir : path, optional
            A folder where every chain is kept while it runs, at least every 30 seconds. Workers on
            other machines must see it too.
        resume : bool
            Go on with the run that `checkpoint_dir` holds, to the bit as if it had never stopped;
            with a larger `n_draws`, add draws to a finished one. Other data or settings are
            refused; a run that is not there yet is started.
        progress : bool
            Show a bar for each chain, where standard error is a terminal.
        """
        if isinstance(names, str):
            raise InvalidInput("names is one text; it must hold a name for each item")
        names = item_names(X) if names is None else tuple(str(name) for name in names)
        if isinstance(X, np.ma.MaskedArray):
            # What is masked is missing, and is refused as such below.
            X = np.ma.filled(X.astype(np.float64), np.nan)
        table = validate_data(self, X, dtype=np.float64)
        counts = self._counts(len(table))
        named = check_names(names, len(table), what="names")
        check_criterion(self.select)
        preparation = Preparation(n_pca=self.n_pca, scale=self.scale)
        prepared = preparation.fit_transform(table)
        settings = self._settings()
        start = initial_paths(prepared, self.n_levels, self.init, self.initial_paths)
        of_chain = settings | {"initial_paths": start}
        run = sample(
            # The last seed is for the predictive draws.
            lambda seeds: [
                Chain(
                    prepared,
                    seed=seed,
                    n_draws=counts["n_draws"],
                    n_warmup=counts["n_warmup"],
                    thin=counts["thin"],
                    settings=of_chain,
                )
                for seed in seeds[:-1]
            ],
            self._inputs(table, counts),
            n_seeds=counts["n_chains"] + 1,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            checkpoint_dir=checkpoint_dir,
            resume=resume,
            progress=progress,
        )
        kept = truncate_to_common_length(run.results, counts["n_draws"])
        draws = Draws.of_chains(list(kept.values()), named, {**run.inputs, "chains": list(kept)})
        # The draws are copied by now.
        del run, kept
        return self._fit_draws(draws, table, preparation, prepared)

    def _restore(self, X: ArrayLike, draws: Draws) -> Self:
        """Fit the model on stored draws of the same table and settings, without sampling."""
        table = validate_data(self, X, dtype=np.float64)
        preparation = Preparation(n_pca=self.n_pca, scale=self.scale)
        return self._fit_draws(draws, table, preparation, preparation.fit_transform(table))

    def _fit_draws(
        self,
        draws: Draws,
        table: NDArray[np.float64],
        preparation: Preparation,
        prepared: NDArray[np.float64],
    ) -> Self:
        """Select the tree to present from the draws, and set all attributes."""
        named, settings = draws.names, self._settings()
        selected = select(draws, rcdll=draws.rcdll, cdll=draws.cdll, criterion=self.select)
        paths = draws.paths[selected]
        tree = posterior.with_support_from(self._tree_of(paths, table, named), draws)
        stability = posterior.stability(tree)
        # With margins any table is cut. Without them an unstable tree is the model's own answer.
        if self.C > 0.0 and self.select in get_args(Loss) and not stability.is_stable:
            paths = np.zeros_like(paths)
            tree = posterior.with_support_from(self._tree_of(paths, table, named), draws)
        predictive = learn_predictive(
            prepared, paths, settings, seed=draws.settings["seeds"][-1], **PREDICTIVE_DRAWS
        )
        # All at once: a fit that fails on its way leaves the model as it was.
        self.preparation_ = preparation
        self.prepared_ = prepared
        self.feature_std_ = column_std(table)
        self.draws_ = draws
        self.selected_ = selected
        self.stability_ = stability
        self.tree_ = tree
        self.labels_ = tree.labels
        self._predictive = predictive
        self._diagnostics: Diagnostics | None = None
        self.path_columns_, self._column_of_node = path_columns(tree, predictive.parameters.parent)
        return self

    def labels_at(self, level: SupportsIndex) -> NDArray[np.intp]:
        """Return the cluster of each item at a level of the selected tree (1 is below the root).

        Numbered by first appearance; `labels_` numbers the leaves in the order of `tree_.leaves`.
        """
        check_is_fitted(self)
        return self.tree_.labels_at(level)

    def diagnostics(self) -> Diagnostics:
        """Compare the chains by what does not depend on node numbers, and give a verdict."""
        check_is_fitted(self)
        if self._diagnostics is None:
            self._diagnostics = diagnose(self.draws_, self.tree_.paths)
        return self._diagnostics

    def summary(self) -> str:
        """Return a text with the data and settings, the tree, the diagnostics and the verdict."""
        check_is_fitted(self)
        return summary_text(self._about_line(), self.tree_, self.stability_, self.diagnostics())

    def report(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write one HTML page that needs no network, see `rbhmc.report.write_report`."""
        check_is_fitted(self)
        page: Path = importlib.import_module("rbhmc.report").write_report(self, path, **options)
        return page

    def plot_tree(self, **options: Any) -> Any:
        """Draw the selected tree, see `rbhmc.plots.plot_tree`."""
        check_is_fitted(self)
        return self.tree_.plot(**options)

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the most probable leaf of the selected tree for each item.

        New branches are left aside: an item that is far from all others still gets the leaf that
        suits it best, and `predict_path_proba` says how well. For the items of `fit` the answer
        may differ from `labels_` where leaves share components and the model is not sure.
        """
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, reset=False)
        leaves = np.empty(len(table), np.intp)
        for start in range(0, len(table), BLOCK):
            rows = slice(start, start + BLOCK)
            probability = self._path_proba(table[rows])[:, : len(self.tree_.leaves)]
            leaves[rows] = probability.argmax(axis=1)
        return leaves

    def predict_path_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of the paths that an item may take in the selected tree.

        Columns are named by `path_columns_`: first the leaves, in the order of `labels_`, then "a
        new branch here" for each node where one can leave. Rows sum to 1.
        """
        check_is_fitted(self)
        return self._path_proba(validate_data(self, X, dtype=np.float64, reset=False))

    def _tree_of(
        self, paths: NDArray[np.intp], table: NDArray[np.float64], names: Sequence[str]
    ) -> Tree:
        return Tree.from_labels(paths, names=names, X=table, feature_names=self._feature_names())

    def _path_proba(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        prepared = self.preparation_.transform(table)
        return self._predictive.probabilities(prepared, self._column_of_node)

    def _settings(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in SAMPLER_SETTINGS}

    def _inputs(self, table: NDArray[np.float64], counts: dict[str, int]) -> dict[str, Any]:
        """Return everything that determines the draws except the seeds, for the record."""
        paths = self.initial_paths
        return {
            **self._settings(),
            "n_pca": self.n_pca,
            "scale": self.scale,
            "n_chains": counts["n_chains"],
            "n_warmup": counts["n_warmup"],
            "thin": counts["thin"],
            "init": self.init,
            "initial_paths (SHA-256)": None if paths is None else digest(np.asarray(paths)),
            "X (SHA-256)": digest(table),
        }

    def _about_line(self) -> str:
        done, ran = self.preparation_.describe(), self.draws_.settings
        n_dims = "" if done["n_dims"] == done["n_features"] else f" on {done['n_dims']} components"
        learned = posterior.learned(self.draws_).items()
        learned_lines = "".join(f"\nlearned {name}: {values}" for name, values in learned)
        return (
            f"{len(self.labels_)} items x {done['n_features']} features{n_dims}, times "
            f"{done['factor']:.4g}; {type(self).__name__}, {self.n_levels} levels, C = {self.C:g}, "
            f"margin = {self.margin:g}; {self.draws_.n_chains} chains x {self.draws_.n_draws} draws"
            f", every {ran['thin']:,} sweeps after {ran['n_warmup']:,}{learned_lines}"
        )

    def _feature_names(self) -> tuple[str, ...] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else tuple(names)

    def _counts(self, n_items: int) -> dict[str, int]:
        n_warmup, thin = count_sweeps(self.n_warmup, self.thin, n_items)
        return {
            "n_chains": check_count("n_chains", self.n_chains, 1),
            "n_draws": check_count("n_draws", self.n_draws, 1),
            "n_warmup": n_warmup,
            "thin": thin,
        }


# Items whose probabilities are held at once where only their leaves are asked for.
BLOCK = 2**16

SAMPLER_SETTINGS = (
    "n_levels alpha gamma gamma0 C margin eta_scale noise_cov base_mean base_cov scheme path_move"
).split()


class BHMC(RBHMC):
    """Bayesian hierarchical mixture clustering: `RBHMC` with C = 0.

    Takes the parameters of `RBHMC` except C, margin and eta_scale, which have no effect without
    regularisation.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> X = np.array([[0.0], [0.3], [9.0], [9.3]])
    >>> rbhmc.BHMC(n_levels=1, n_draws=200, random_state=0).fit(X).tree_.n_items
    4
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, C=0.0)


def _without(names: set[str]) -> inspect.Signature:
    """Take parameters out of the signature of `RBHMC`, which is where scikit-learn reads them."""
    given = inspect.signature(RBHMC.__init__)
    kept = [value for name, value in given.parameters.items() if name not in names]
    return given.replace(parameters=kept)


BHMC.__init__.__signature__ = _without({"C", "margin", "eta_scale"})  # type: ignore[attr-defined]


def column_std(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of each column, whose squares must neither overflow nor vanish.

    Examples
    --------
    >>> column_std(np.array([[0.0, 1e200], [0.0, 3e200]]))
    array([0.e+000, 1.e+200])
    """
    largest = np.abs(table).max(axis=0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return np.asarray((table / unit).std(axis=0) * unit)


def item_names(X: object) -> tuple[str, ...] | None:
    """Return the names that a data frame's index gives its items."""
    index = getattr(X, "index", None)
    if index is None or callable(index):
        return None
    return tuple(str(name) for name in index)
