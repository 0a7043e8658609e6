"""The scikit-learn clusterers: `RBHMC`, and `BHMC`, which is RBHMC without regularisation."""

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
from rbhmc._core import SETTINGS, InvalidInput
from rbhmc.diagnostics import Diagnostics, diagnose, summary_text
from rbhmc.draws import Draws
from rbhmc.metrics.partitions import Loss
from rbhmc.posterior.selection import Criterion, check_criterion, select
from rbhmc.predictive import learn_predictive, path_columns
from rbhmc.preparation import Preparation
from rbhmc.sampling import Chain, sample, truncate_to_common_length
from rbhmc.sampling.init import Init, initial_paths
from rbhmc.sampling.provenance import digest
from rbhmc.sampling.run_length import Length, count_sweeps
from rbhmc.tree import Tree

# Parameters of the regularisation, which BHMC does not have.
REGULARISATION = ("C", "margin", "eta_scale")

# Length of the chain that draws the parameters of the presented tree, for predictions.
PREDICTIVE_DRAWS = {"n_draws": 50, "n_warmup": 100, "thin": 4}

# Items whose path probabilities `predict` holds in memory at the same time.
ITEMS_PER_BLOCK = 2**16


class RBHMC(ClusterMixin, BaseEstimator):
    """Regularised Bayesian hierarchical mixture clustering.

    Several chains sample trees of the items. The presented tree is the draw of least posterior
    expected loss over all chains. Since margins divide any table, it is the root alone if no node
    of that draw recurs in the other draws.

    Parameters
    ----------
    n_levels, alpha, gamma, gamma0, C, margin, eta_scale, noise_cov, base_mean, base_cov, scheme, \
path_move, initial_paths
        As in `Sampler`; covariances and means are in the units of the prepared table. The three
        concentrations and two covariances may be "learn", see docs/hyperparameters.md.
    init : {"prior", "ward"}
        How chains start: each at its own draw from the prior, or all at Ward's linkage cut into
        levels. Chains with a common start cannot reveal non-convergence.
    n_pca : "auto", int, float or None
        How many principal components to keep: a number, a share of variance, or None for the
        original columns. "auto" is None for up to 20 columns, and a share of 0.7 for more.
    scale : "auto", float or False
        The factor that multiplies the table, see `rbhmc.preparation.Preparation`; False for none.
    n_chains, n_draws : int
        The number of chains, and of draws of each.
    n_warmup, thin : int or "auto"
        The number of sweeps before the first draw of a chain, and per draw. An automatic `thin` is
        40 for up to 250 items and inversely proportional to their number above, at least 1; an
        automatic `n_warmup` is 500 times `thin`.
    select : {"vi", "binder", "rcdll", "cdll"}
        The criterion that selects the presented draw, see `rbhmc.posterior.selection.select`. With
        "vi" or "binder" and C > 0, the root alone is presented if the draw is not stable, see
        `rbhmc.posterior.stability`.
    random_state : int, RandomState or None
        Equal integers give equal results, to the bit, for any `n_jobs`.
    n_jobs : int or None
        How many chains joblib runs at the same time, in threads unless another backend is selected.

    Attributes
    ----------
    labels_ : array of shape (n_items,)
        The leaf of the presented tree that holds each item.
    tree_ : Tree
        The presented tree: names, sizes, centroids in the units of X, and for each node its
        support, the share of draws that have a node with exactly its items.
    draws_ : Draws
        All draws of all chains.
    selected_ : tuple of int
        Chain and draw of the selected tree.
    stability_ : Stability
        How well the most stable nodes of the selected draw recur, see `rbhmc.posterior.stability`.
    preparation_ : Preparation
        The transformation of the items, which new items also go through.
    prepared_ : array of shape (n_items, n_dims)
        The prepared items.
    feature_std_ : array of shape (n_features,)
        Standard deviation of each column of X.
    path_columns_ : tuple of str
        The names of the columns of `predict_path_proba`.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has column names that are strings.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8], [20.0, 0.1], [20.2, 0.3]])
    >>> model = rbhmc.RBHMC(n_levels=2, n_draws=200, random_state=0).fit(X)
    >>> len(model.labels_), model.tree_.n_levels
    (6, 2)
    """

    _diagnostics: Diagnostics | None

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

        Ctrl-C stops the chains and fits the model to the draws that are complete, with a
        RuntimeWarning that counts them; a second Ctrl-C raises KeyboardInterrupt.

        Parameters
        ----------
        X : array or data frame of shape (n_items, n_features)
            The index of a data frame names the items, its columns name the features.
        y : ignored
        names : sequence of str, optional
            The items' names; by default the index of a data frame, or "0", "1", ….
        checkpoint_dir : path, optional
            A folder where every chain is saved while it runs, at least every 30 seconds. Workers on
            other machines must be able to write to it.
        resume : bool
            Whether to continue the run in `checkpoint_dir`, to the bit as if it had never stopped,
            or with a larger `n_draws` to add draws to a finished run. Other data or settings raise
            InvalidInput. If the folder holds no run, one is started.
        progress : bool
            Whether to show a bar for each chain if standard error is a terminal.
        """
        names = item_names(X, names)
        if isinstance(X, np.ma.MaskedArray):
            # validate_data refuses missing values; masked ones are missing.
            X = np.ma.filled(X.astype(np.float64), np.nan)
        table = validate_data(self, X, dtype=np.float64)
        names = check_names(names, len(table), what="names")
        check_criterion(self.select)
        preparation = Preparation(n_pca=self.n_pca, scale=self.scale)
        prepared = preparation.fit_transform(table)
        draws = self._sample(
            table, prepared, names, checkpoint_dir=checkpoint_dir, resume=resume, progress=progress
        )
        return self._fit_draws(draws, table, preparation, prepared)

    def labels_at(self, level: SupportsIndex) -> NDArray[np.intp]:
        """Return the cluster of each item at a level of the presented tree (1 is below the root).

        Clusters are numbered by first appearance; `labels_` follows the order of `tree_.leaves`.
        """
        check_is_fitted(self)
        return self.tree_.labels_at(level)

    def diagnostics(self) -> Diagnostics:
        """Compare the chains by summaries that do not depend on node numbers; give a verdict.

        The result is computed once for each fit.
        """
        check_is_fitted(self)
        if self._diagnostics is None:
            self._diagnostics = diagnose(self.draws_, self.tree_)
        return self._diagnostics

    def summary(self) -> str:
        """Return a text with the data, the settings, the tree, the diagnostics and the verdict."""
        check_is_fitted(self)
        return summary_text(self._describe_run(), self.tree_, self.stability_, self.diagnostics())

    def report(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write one HTML page that needs no network, see `rbhmc.report.write_report`."""
        check_is_fitted(self)
        page: Path = importlib.import_module("rbhmc.report").write_report(self, path, **options)
        return page

    def plot_tree(self, **options: Any) -> Any:
        """Draw the presented tree, see `rbhmc.plots.plot_tree`."""
        check_is_fitted(self)
        return self.tree_.plot(**options)

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the most probable leaf of the presented tree for each item.

        New branches are not considered: an item that is far from all others still gets its most
        probable leaf; `predict_path_proba` gives the probability. For the items of `fit` the result
        may differ from `labels_` if leaves share components.
        """
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, reset=False)
        leaves = np.empty(len(table), np.intp)
        for start in range(0, len(table), ITEMS_PER_BLOCK):
            rows = slice(start, start + ITEMS_PER_BLOCK)
            probability = self._path_proba(table[rows])[:, : len(self.tree_.leaves)]
            leaves[rows] = probability.argmax(axis=1)
        return leaves

    def predict_path_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each path that an item may take in the presented tree.

        `path_columns_` names the columns: first the leaves, in the order of `labels_`, then a new
        branch at each node that can have one. Rows sum to 1.
        """
        check_is_fitted(self)
        return self._path_proba(validate_data(self, X, dtype=np.float64, reset=False))

    def _path_proba(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        prepared = self.preparation_.transform(table)
        return self._predictive.probabilities(prepared, self._column_of_node)

    def _sample(
        self,
        table: NDArray[np.float64],
        prepared: NDArray[np.float64],
        names: Sequence[str],
        **run_options: Any,
    ) -> Draws:
        """Run the chains and return their draws."""
        n_warmup, thin = count_sweeps(self.n_warmup, self.thin, len(table))
        n_chains = check_count("n_chains", self.n_chains, 1)
        n_draws = check_count("n_draws", self.n_draws, 1)
        settings = self._sampler_settings()
        start = initial_paths(prepared, self.n_levels, self.init, self.initial_paths)
        chain_settings = settings | {"initial_paths": start}
        given = self.initial_paths
        inputs = {
            **settings,
            "n_pca": self.n_pca,
            "scale": self.scale,
            "n_chains": n_chains,
            "n_warmup": n_warmup,
            "thin": thin,
            "init": self.init,
            "initial_paths (SHA-256)": None if given is None else digest(np.asarray(given)),
            "X (SHA-256)": digest(table),
        }
        run = sample(
            lambda seeds: [
                Chain(
                    prepared,
                    seed=seed,
                    n_draws=n_draws,
                    n_warmup=n_warmup,
                    thin=thin,
                    settings=chain_settings,
                )
                for seed in seeds[:-1]  # the last is the predictive seed
            ],
            inputs,
            n_seeds=n_chains + 1,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            **run_options,
        )
        chains = truncate_to_common_length(run.results, n_draws)
        recorded = {**run.inputs, "chains": list(chains)}
        return Draws.of_chains(list(chains.values()), names, recorded)

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
        """Select the tree to present, draw its parameters, and set all attributes."""
        selected = select(draws, criterion=self.select)
        paths = draws.paths[selected]
        tree = self._make_tree(paths, table, draws)
        stability = posterior.stability(tree)
        # Only for C > 0: without margins, an unstable tree is what the model finds.
        if self.C > 0.0 and self.select in get_args(Loss) and not stability.is_stable:
            paths = np.zeros_like(paths)
            tree = self._make_tree(paths, table, draws)
        predictive = learn_predictive(
            prepared,
            paths,
            self._sampler_settings(),
            seed=draws.settings["seeds"][-1],
            **PREDICTIVE_DRAWS,
        )
        # Set together at the end, so that a fit that fails leaves the model as it was.
        self.preparation_ = preparation
        self.prepared_ = prepared
        self.feature_std_ = column_std(table)
        self.draws_ = draws
        self.selected_ = selected
        self.stability_ = stability
        self.tree_ = tree
        self.labels_ = tree.labels
        self._diagnostics = None
        self._predictive = predictive
        self.path_columns_, self._column_of_node = path_columns(tree, predictive.parameters.parent)
        return self

    def _sampler_settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in SETTINGS}

    def _make_tree(
        self, paths: NDArray[np.int32], table: NDArray[np.float64], draws: Draws
    ) -> Tree:
        """Make a tree with names, centroids and supports."""
        features = getattr(self, "feature_names_in_", None)
        tree = Tree.from_labels(paths, names=draws.names, X=table, feature_names=features)
        return posterior.with_support_from(tree, draws)

    def _describe_run(self) -> str:
        """Describe data, settings and learned parameters, for the summary."""
        prepared, run = self.preparation_.describe(), self.draws_.settings
        n_dims = prepared["n_dims"]
        components = "" if n_dims == prepared["n_features"] else f" on {n_dims} components"
        learned = posterior.learned(self.draws_).items()
        learned_lines = "".join(f"\nlearned {name}: {values}" for name, values in learned)
        return (
            f"{len(self.labels_)} items x {prepared['n_features']} features{components}, times "
            f"{prepared['factor']:.4g}; {type(self).__name__}, {self.n_levels} levels, "
            f"C = {self.C:g}, margin = {self.margin:g}; {self.draws_.n_chains} chains x "
            f"{self.draws_.n_draws} draws, every {run['thin']:,} sweeps after "
            f"{run['n_warmup']:,}{learned_lines}"
        )


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


def _without_regularisation(signature: inspect.Signature) -> inspect.Signature:
    kept = [value for name, value in signature.parameters.items() if name not in REGULARISATION]
    return signature.replace(parameters=kept)


# scikit-learn reads the parameters of an estimator from this signature.
BHMC.__init__.__signature__ = _without_regularisation(  # type: ignore[attr-defined]
    inspect.signature(RBHMC.__init__)
)


def column_std(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of each column, without overflow or underflow of squares.

    Examples
    --------
    >>> column_std(np.array([[0.0, 1e200], [0.0, 3e200]]))
    array([0.e+000, 1.e+200])
    """
    largest = np.abs(table).max(axis=0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return np.asarray((table / unit).std(axis=0) * unit)


def item_names(X: object, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the given names, or the index of a data frame, or None.

    Examples
    --------
    >>> item_names([[0.0], [1.0]], ["ant", "bee"])
    ('ant', 'bee')
    """
    if isinstance(names, str):
        raise InvalidInput("names is one text; it must hold a name for each item")
    if names is None:
        index = getattr(X, "index", None)
        # The `index` of a list is a method.
        names = None if callable(index) else index
    return None if names is None else tuple(str(name) for name in names)
