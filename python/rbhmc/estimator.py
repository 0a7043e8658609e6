"""The scikit-learn clusterers: `RBHMC`, and `BHMC`, which is RBHMC without regularisation."""

import importlib
import inspect
import warnings
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from rbhmc import posterior
from rbhmc._checks import check_count, check_names
from rbhmc._core import SETTINGS, InvalidInput, __version__
from rbhmc._versions import warn_of_version
from rbhmc.columns import check_columns, with_input_tags
from rbhmc.diagnostics import (
    Diagnostics,
    Verdict,
    diagnose,
    judge_nodes,
    judge_rhat,
    judge_tree,
    summary_text,
)
from rbhmc.draws import Draws
from rbhmc.posterior.reference import MIN_ITEMS, StructureWarning, find_columns
from rbhmc.posterior.selection import select
from rbhmc.posterior.similarity import sample_items
from rbhmc.predictive import TreePredictive, find_equal_rows, learn_tree_predictive
from rbhmc.preparation import Preparation, Standardize
from rbhmc.sampling import Chain, sample, truncate_to_common_length
from rbhmc.sampling.init import Init, initial_paths, number_starts
from rbhmc.sampling.provenance import digest
from rbhmc.sampling.run_length import count_chains
from rbhmc.tree import Tree

# Parameters of the regularisation, which BHMC does not have.
REGULARISATION = ("C", "margin", "eta_scale", "intercept")

Select = Literal["consensus", "vi", "binder", "rcdll", "cdll"]
Missing = Literal["impute", "drop", "error"]

# Criteria that select a draw without regard to the others, which is presented as it is.
LIKELIHOODS = ("rcdll", "cdll")

# Attributes that a fit with another `select` does not have.
SELECT_ATTRIBUTES = ("dendrogram_", "dendrogram_items_", "selected_")


class RBHMC(ClusterMixin, BaseEstimator):
    """Regularised Bayesian hierarchical mixture clustering.

    Many short chains sample trees of the items. The presented tree is their consensus: the clusters
    and the groups above and below them on which the chains agree, each with its support. See
    `rbhmc.posterior.consensus`. Since margins divide any table, the table is compared with tables
    without groups, and the root alone is presented if it has no more structure than they have.

    Parameters
    ----------
    n_levels, alpha, gamma, gamma0, C, margin, eta_scale, intercept, noise_cov, noise_warmup, \
base_mean, base_cov, scheme, path_move, initial_paths
        As in `Sampler`; covariances and means are in the units of the prepared table, and have the
        columns of X in their order, or the principal components if there are any. The three
        concentrations and two covariances may be "learn", see docs/hyperparameters.md. "auto" is
        what the published algorithm has for ``scheme="paper"``; for the other schemes `eta_scale`
        is 4.2/√n_items, `intercept` half of the root mean square norm of the items, `noise_cov` is
        learned and `base_cov` is that of the table.
    init : {"ward", "prior"}
        How chains start: at Ward's linkage of a random sample of the items, which two chains share,
        or each at a draw from the prior.
    n_pca : "auto", int, float or None
        How many principal components to keep: a number, a share of variance, or None for the
        original columns. "auto" is None for up to 20 columns, and for more 10, but at most
        √n_items; with categories, at most as many as hold 95 % of the variance.
    scale : "auto", float or False
        The factor that multiplies the table, see `rbhmc.preparation.Preparation`; False for none.
    standardize : {"auto", "on", "off"}
        Whether all columns count alike. "auto" is "on" if there are categories or dates, or if one
        column would hold most of the variance because of its unit.
    missing : {"impute", "drop", "error"}
        What to do with gaps. "impute" draws values for them, other ones in each chain, so that the
        supports show what the gaps cost. "drop" leaves out items with gaps, whose label is -1.
    n_chains : "auto" or int
        The number of chains. "auto" is 16 for up to 1,000 items, and 8 for more.
    n_warmup, n_draws, thin : int
        The number of sweeps before the first draw of a chain, of draws of each chain, and of sweeps
        per draw.
    max_items : int or None
        Of more items, the tree is that of a random sample of this number, which depends on the two
        numbers alone, and `predict` gives every other item its label. None is all items.
    select : {"consensus", "vi", "binder", "rcdll", "cdll"}
        The presented tree: the consensus of all draws, or the draw that a criterion selects, see
        `rbhmc.posterior.selection.select`.
    reference : bool
        Whether to compare the table with tables without groups, see
        `rbhmc.posterior.reference_test`.
    random_state : int, RandomState or None
        Equal integers give equal results, to the bit, for any `n_jobs`.
    n_jobs : int or None
        How many chains joblib runs at the same time, in threads unless another backend is selected.
        None is one for each core, or as many as ``joblib.parallel_config`` says.

    Attributes
    ----------
    labels_ : array of shape (n_items,)
        The cluster of each item, as its position in ``tree_.clusters``; -1 for dropped items.
    items_ : array of shape (n_fitted,)
        The rows of X that are in the tree, the draws and `prepared_`: all, without those that were
        dropped for their gaps, or a sample of `max_items`.
    tree_ : Tree
        The presented tree: names, sizes, centroids in the units of X, and for each node its
        support.
    dendrogram_ : array of shape (n_sampled - 1, 4)
        The average linkage of the items' similarities, as SciPy's linkage matrix. Only with
        ``select="consensus"``.
    dendrogram_items_ : array of shape (n_sampled,)
        The items of the dendrogram: all, or a sample of 5,000. Only with ``select="consensus"``.
    selected_ : tuple of int
        Chain and draw of the presented tree. Only with another `select`.
    draws_ : Draws
        All draws of all chains.
    reference_ : ReferenceTest or None
        The comparison with tables without groups; None with ``reference=False``, and for tables of
        fewer than 20 items.
    preparation_ : Preparation
        The transformation of the items, which new items also go through.
    prepared_ : array of shape (n_fitted, n_dims)
        The prepared items, with expected values in place of gaps.
    feature_std_ : array of shape (n_encoded,)
        Standard deviation of each encoded column of X, see `rbhmc.columns`.
    path_columns_ : tuple of str
        The names of the columns of `predict_path_proba`.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if X has column names that are strings.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0.0, 0.0], [9.0, 9.0], [20.0, 0.0]], 10, axis=0) + rng.normal(size=(30, 2))
    >>> model = rbhmc.RBHMC(random_state=0).fit(X)
    >>> len(model.tree_.clusters)
    3
    """

    # What is computed once for each fit, when it is first asked for. Methods that only read a model
    # must not set attributes, by the rules of scikit-learn.
    _computed: dict[str, Any]

    def __init__(
        self,
        *,
        n_levels: int = 4,
        alpha: float | Literal["learn"] = 0.35,
        gamma: float | Literal["learn"] = 1.0,
        gamma0: float | Literal["learn"] = 0.85,
        C: float = 1.0,
        margin: float = 1.0,
        eta_scale: float | Literal["auto"] = "auto",
        intercept: float | Literal["auto"] = "auto",
        noise_cov: ArrayLike = "auto",
        noise_warmup: int = 40,
        base_mean: ArrayLike = 0.0,
        base_cov: ArrayLike = "auto",
        scheme: str = "collapsed",
        path_move: str | None = None,
        init: Init = "ward",
        initial_paths: ArrayLike | None = None,
        n_pca: float | Literal["auto"] | None = "auto",
        scale: float | Literal["auto", False] = "auto",
        standardize: Standardize = "auto",
        missing: Missing = "impute",
        n_chains: int | Literal["auto"] = "auto",
        n_warmup: int = 80,
        n_draws: int = 20,
        thin: int = 4,
        max_items: int | None = None,
        select: Select = "consensus",
        reference: bool = True,
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
        self.intercept = intercept
        self.noise_cov = noise_cov
        self.noise_warmup = noise_warmup
        self.base_mean = base_mean
        self.base_cov = base_cov
        self.scheme = scheme
        self.path_move = path_move
        self.init = init
        self.initial_paths = initial_paths
        self.n_pca = n_pca
        self.scale = scale
        self.standardize = standardize
        self.missing = missing
        self.n_chains = n_chains
        self.n_warmup = n_warmup
        self.n_draws = n_draws
        self.thin = thin
        self.max_items = max_items
        self.select = select
        self.reference = reference
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
        **refused: Any,
    ) -> Self:
        """Sample all chains and select the tree to present.

        Ctrl-C stops the chains and fits the model to the draws that are complete, with a
        RuntimeWarning that counts them; a second Ctrl-C raises KeyboardInterrupt. With a
        `checkpoint_dir`, SIGTERM and SIGHUP save the chains and end the process.

        Warns with `rbhmc.StructureWarning` if the table has no more structure than tables without
        groups, and with `sklearn.exceptions.ConvergenceWarning` if the chains differ on more than
        half of the nodes of their consensus, or found different trees.

        Parameters
        ----------
        X : array or data frame of shape (n_items, n_features)
            Numbers, truth values, texts, categories and dates, with or without gaps; see
            docs/tables.md. The columns of a data frame name the features. A column of texts that
            all differ, or of identifiers, names the items and is not a feature.
        y : ignored
        names : sequence of str, optional
            The items' names; by default the index of a data frame, or the column that names them,
            or "0", "1", ….
        checkpoint_dir : path, optional
            A folder where every chain is saved while it runs, at least every 30 seconds. Workers on
            other machines must be able to write to it.
        resume : bool
            Whether to continue the run in `checkpoint_dir`, to the bit as if it had never stopped,
            or with a larger `n_draws` to add draws to a finished run. Other data or settings raise
            InvalidInput. If the folder holds no run, one is started.
        progress : bool
            Whether to show a bar for each chain if standard error is a terminal.
        **refused
            Nothing; ``sample_weight`` is refused with a message.
        """
        if refused:
            refuse_arguments(refused)
        self._check_select()
        preparation, encoded, rows = self._learn_preparation(X)
        if names is None:
            names = preparation.item_names_
        names = check_names(names, len(rows), what="names")
        sampled = self._sample_items(len(encoded))
        table = preparation.fill(encoded)
        prepared = preparation.prepare(table)
        draws = self._sample(
            select_rows(encoded, sampled),
            preparation,
            select_rows(prepared, sampled),
            [names[row] for row in np.flatnonzero(rows)[sampled]],
            checkpoint_dir=checkpoint_dir,
            resume=resume,
            progress=progress,
        )
        self._fit_draws(draws, table, preparation, prepared, rows)
        self._warn()
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_rbhmc_version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        warn_of_version(state.pop("_rbhmc_version", None), f"the {type(self).__name__} model")
        super().__setstate__(state)

    def labels_at(self, depth: SupportsIndex) -> NDArray[np.intp]:
        """Return the group of each item at a depth of the presented tree (1 is below the root).

        Groups are numbered by first appearance; `labels_` follows the order of `tree_.clusters`.
        """
        check_is_fitted(self)
        return self.tree_.labels_at(depth)

    def diagnostics(self) -> Diagnostics:
        """Compare the chains by summaries that do not depend on node numbers.

        The result is computed once for each fit.
        """
        check_is_fitted(self)
        if "diagnostics" not in self._computed:
            self._computed["diagnostics"] = diagnose(self.draws_, self.tree_)
        found: Diagnostics = self._computed["diagnostics"]
        return found

    def alternatives(self) -> list[posterior.Alternative]:
        """Return the consensus tree of each camp of chains; one, `tree_`, if there are no camps.

        See `rbhmc.posterior.alternatives`. The result is computed once for each fit.
        """
        check_is_fitted(self)
        if "alternatives" not in self._computed:
            self._computed["alternatives"] = posterior.alternatives(self.draws_, self.tree_)
        alternatives: list[posterior.Alternative] = self._computed["alternatives"]
        return list(alternatives)

    def summary(self) -> str:
        """Return a text with the data, the settings, the tree, the verdict and the diagnostics."""
        check_is_fitted(self)
        return summary_text(self._describe_run(), self.tree_, self.verdict(), self.diagnostics())

    def verdict(self) -> Verdict:
        """Return whether the tree is worth reading, and whether the chains agree.

        The chains of a consensus are compared by the supports of its nodes; for one selected draw,
        chains must converge, and are compared by R-hat.
        """
        check_is_fitted(self)
        if self.select == "consensus":
            n_trees = len(self.alternatives())
            chains = judge_nodes(self.tree_, self.draws_.n_chains, n_trees)
        else:
            table = self.diagnostics().table
            chains = judge_rhat(table, self.draws_.n_chains, self.draws_.n_draws)
        return Verdict(judge_tree(self.tree_, self.reference_, tested=self.reference), chains)

    def report(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write one HTML page that needs no network, see `rbhmc.report.write_report`."""
        check_is_fitted(self)
        page: Path = importlib.import_module("rbhmc.report").write_report(self, path, **options)
        return page

    # What a notebook shows: the tree of a fitted model, scikit-learn's diagram of another.
    def _repr_html_inner(self) -> str:
        if not hasattr(self, "tree_"):
            return str(super()._repr_html_inner())
        return str(importlib.import_module("rbhmc.report.notebook").model_html(self))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def plot_tree(self, **options: Any) -> Any:
        """Draw the presented tree, see `rbhmc.plots.plot_tree`."""
        check_is_fitted(self)
        return self.tree_.plot(**options)

    def predict(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the most probable cluster of each item, numbered as `labels_`.

        An item whose prepared values equal those of an item of `fit` gets the cluster of that item.
        An item that is far from all others still gets a cluster; the last column of
        `predict_path_proba` is the probability that it belongs to none.
        """
        check_is_fitted(self)
        labels: NDArray[np.intp] = self._leaf_clusters()[self._predict_leaves(X)]
        return labels

    def predict_path_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each leaf of the presented tree for each item.

        `path_columns_` names the columns: the leaves in the order of ``tree_.leaves``, then a new
        branch, which is none of them. Rows sum to 1. See `rbhmc.predictive`.
        """
        check_is_fitted(self)
        return self._learn_predictive().probabilities(self._prepare(X))

    def _predict_leaves(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the leaf of each item in its cluster, as its position in ``tree_.leaves``."""
        return self._find_leaves(self._prepare(X))

    def _find_leaves(self, prepared: NDArray[np.float64]) -> NDArray[np.intp]:
        equal = find_equal_rows(prepared, self.prepared_)
        leaves = self.tree_.leaf_labels[equal]
        is_new = equal < 0
        leaves[is_new] = self._learn_predictive().leaves(prepared[is_new], self._leaf_clusters())
        return leaves

    def _leaf_clusters(self) -> NDArray[np.intp]:
        """Return the cluster of each leaf."""
        first = [leaf.items[0] for leaf in self.tree_.leaves]
        clusters: NDArray[np.intp] = self.tree_.labels[first]
        return clusters

    def _learn_preparation(
        self, X: ArrayLike
    ) -> tuple[Preparation, NDArray[np.float64], NDArray[np.bool_]]:
        """Learn the preparation; return it, the encoded items, and which rows of X they are."""
        if self.missing not in get_args(Missing):
            raise InvalidInput(
                f'missing is {self.missing!r}; it must be "impute", "drop" or "error"'
            )
        preparation = Preparation(
            n_pca=self.n_pca,
            scale=self.scale,
            standardize=self.standardize,
            missing="error" if self.missing == "error" else "impute",
        )
        encoded = preparation.learn_encoding(X)
        has_gap = np.isnan(encoded).any(axis=1)
        rows = np.asarray(~has_gap if self.missing == "drop" else np.ones_like(has_gap))
        if not rows.any():
            raise InvalidInput('every row of X has a gap; missing="drop" leaves no items')
        preparation.learn(encoded[rows])
        validate_data(self, X, skip_check_array=True)
        return preparation, encoded[rows], rows

    def _prepare(self, X: ArrayLike) -> NDArray[np.float64]:
        check_columns(self, X)
        return self.preparation_.prepare(self.preparation_.fill(self.preparation_.encode(X)))

    def _learn_predictive(self) -> TreePredictive:
        """Return what places new items, which is learned once for each fit."""
        if "predictive" not in self._computed:
            self._computed["predictive"] = learn_tree_predictive(
                self.prepared_,
                self.draws_,
                self.tree_,
                self._sampler_settings(self.preparation_),
                self.draws_.settings["seeds"][-1],
            )
        found: TreePredictive = self._computed["predictive"]
        return found

    def _sample(
        self,
        encoded: NDArray[np.float64],
        preparation: Preparation,
        prepared: NDArray[np.float64],
        names: Sequence[str],
        **run_options: Any,
    ) -> Draws:
        """Run the chains, each with its own values for gaps, and return their draws."""
        n_chains = count_chains(self.n_chains, len(encoded))
        n_warmup = check_count("n_warmup", self.n_warmup, 0)
        n_draws = check_count("n_draws", self.n_draws, 1)
        thin = check_count("thin", self.thin, 1)
        settings = self._sampler_settings(preparation)
        given = self.initial_paths
        starts = number_starts(n_chains, self.init, given)
        inputs = {
            **{name: getattr(self, name) for name in SETTINGS},
            "n_pca": self.n_pca,
            "scale": self.scale,
            "standardize": self.standardize,
            "missing": self.missing,
            "units": preparation.units_,
            "n_chains": n_chains,
            "n_warmup": n_warmup,
            "thin": thin,
            "max_items": self.max_items,
            "init": self.init,
            "starts": starts,
            "initial_paths (SHA-256)": None if given is None else digest(np.asarray(given)),
            "X (SHA-256)": digest(encoded),
        }
        has_gaps = bool(np.isnan(encoded).any())

        def prepare(seed: int) -> NDArray[np.float64]:
            return preparation.prepare(preparation.fill(encoded, seed)) if has_gaps else prepared

        run = sample(
            lambda seeds: [
                Chain(
                    own,
                    seed=seed,
                    n_draws=n_draws,
                    n_warmup=n_warmup,
                    thin=thin,
                    settings=settings
                    | {
                        "initial_paths": initial_paths(
                            own, self.n_levels, self.init, given, seeds[starts.index(start)]
                        )
                    },
                )
                # The last seed is the predictive one; a start has the seed of its first chain.
                for seed, start in zip(seeds[:-1], starts, strict=True)
                for own in [prepare(seed)]
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
        self._check_select()
        preparation, encoded, rows = self._learn_preparation(X)
        table = preparation.fill(encoded)
        return self._fit_draws(draws, table, preparation, preparation.prepare(table), rows)

    def _fit_draws(
        self,
        draws: Draws,
        table: NDArray[np.float64],
        preparation: Preparation,
        prepared: NDArray[np.float64],
        rows: NDArray[np.bool_],
    ) -> Self:
        """Make the tree to present of some items, label all, and set all attributes."""
        attributes: dict[str, Any]
        sampled = self._sample_items(len(table))
        others = np.setdiff1d(np.arange(len(table)), sampled, assume_unique=True)
        unsampled = prepared[others]
        table, prepared = select_rows(table, sampled), select_rows(prepared, sampled)

        parts: dict[str, Any] = {
            "names": draws.names,
            "X": table,
            "feature_names": preparation.feature_names,
        }
        if self.select == "consensus":
            found = posterior.consensus(draws)
            tree = found.to_tree(**parts)
            attributes = {"dendrogram_": found.linkage, "dendrogram_items_": found.sample}
        else:
            selected = select(draws, criterion=self.select)
            tree = Tree.from_labels(draws.paths[selected], **parts)
            tree = posterior.with_support_from(tree, draws)
            attributes = {"selected_": selected}
        reference = None
        if self.reference and len(table) >= MIN_ITEMS:
            columns = find_columns(preparation, table)
            reference = posterior.reference_test(prepared, draws.settings["seeds"][-1], columns)
        is_cloud = reference is not None and not reference.is_structured
        if is_cloud and self.select not in LIKELIHOODS:
            tree = Tree.from_labels(np.zeros_like(tree.paths), **parts)
            tree = tree.with_support({"root": 1.0}, exact={"root": 1.0})
        # Set together at the end, so that a fit that fails leaves the model as it was.
        for name in SELECT_ATTRIBUTES:
            self.__dict__.pop(name, None)
        self.__dict__.update(attributes)
        self.preparation_ = preparation
        self.prepared_ = prepared
        self.items_ = np.flatnonzero(rows)[sampled]
        assert tree.features is not None
        self.feature_std_ = tree.features.std
        self.draws_ = draws
        self.reference_ = reference
        self.tree_ = tree
        self.path_columns_ = (*(leaf.id for leaf in tree.leaves), "new branch")
        self._computed = {}
        labels = np.empty(len(sampled) + len(others), tree.labels.dtype)
        labels[sampled] = tree.labels
        if len(others):
            labels[others] = self._leaf_clusters()[self._find_leaves(unsampled)]
        self.labels_ = np.full(len(rows), -1, labels.dtype)
        self.labels_[rows] = labels
        return self

    def _warn(self) -> None:
        """Warn of a table without structure, and of chains that disagree."""
        if self.reference_ is not None and not self.reference_.is_structured:
            text = f"{self.reference_}; read model.verdict()"
            warnings.warn(StructureWarning(text), stacklevel=3)
        elif self.select == "consensus" and self.verdict().chains.status == "bad":
            warnings.warn(ConvergenceWarning(self.verdict().chains.text), stacklevel=3)

    def __sklearn_tags__(self) -> Any:
        """Say that tables may have gaps, texts and categories."""
        return with_input_tags(super().__sklearn_tags__())

    def _sample_items(self, n_items: int) -> NDArray[np.intp]:
        """Return the items that the model is fitted to, in ascending order."""
        if self.max_items is None:
            return np.arange(n_items)
        return sample_items(n_items, check_count("max_items", self.max_items, 2))

    def _check_select(self) -> None:
        if self.select not in get_args(Select):
            names = ", ".join(f'"{name}"' for name in get_args(Select))
            raise InvalidInput(f"select is {self.select!r}; it must be one of {names}")

    def _sampler_settings(self, preparation: Preparation) -> dict[str, Any]:
        """Return the keywords of `Sampler` for a prepared table."""
        return preparation.arrange_settings({name: getattr(self, name) for name in SETTINGS})

    def _describe_run(self) -> str:
        """Describe data, settings and learned parameters, for the summary."""
        prepared, run = self.preparation_.describe(), self.draws_.settings
        n_dims = prepared["n_dims"]
        components = "" if n_dims == prepared["n_features"] else f" on {n_dims} components"
        learned = posterior.learned(self.draws_).items()
        learned_lines = "".join(f"\nlearned {name}: {values}" for name, values in learned)
        n_items, n_fitted = int((self.labels_ >= 0).sum()), len(self.items_)
        sample = "" if n_items == n_fitted else f", of which a sample of {n_fitted} is fitted"
        return (
            f"{n_items} items x {prepared['n_features']} features{components}, times "
            f"{prepared['factor']:.4g}{sample}; {type(self).__name__}, {self.n_levels} levels, "
            f"C = {self.C:g}, margin = {self.margin:g}; {self.draws_.n_chains} chains x "
            f"{self.draws_.n_draws} draws, every {run['thin']:,} sweeps after "
            f"{run['n_warmup']:,}\n{prepared['units']}{learned_lines}"
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


def refuse_arguments(names: Iterable[str]) -> None:
    """Refuse arguments that `fit` does not take."""
    if "sample_weight" in names:
        raise InvalidInput(
            "fit does not take sample_weight: every item counts once; repeat the rows that stand "
            "for several items, or fit a weighted sample of the rows"
        )
    raise TypeError(f"fit() got unexpected keyword arguments: {', '.join(names)}")


def select_rows(table: NDArray[np.float64], items: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the rows of some items; the table itself, and no copy, for all items.

    Examples
    --------
    >>> select_rows(np.array([[0.0], [1.0], [2.0]]), np.array([0, 2]))
    array([[0.],
           [2.]])
    """
    return table if len(items) == len(table) else table[items]
