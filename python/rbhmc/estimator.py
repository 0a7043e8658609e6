"""The scikit-learn clusterers: `RBHMC`, and `BHMC`, which is RBHMC without regularisation."""

import inspect
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from rbhmc import posterior
from rbhmc._checks import check_count
from rbhmc._core import SETTINGS, InvalidInput
from rbhmc._warnings import warn
from rbhmc.draws import Draws
from rbhmc.fitted_model import FittedModel, Select
from rbhmc.placement import Placement, leaf_groups, learn_placement, place_block
from rbhmc.posterior.clouds import find_columns
from rbhmc.posterior.reference import MIN_ITEMS, StructureWarning
from rbhmc.posterior.selection import select
from rbhmc.preparation import Preparation, Standardize
from rbhmc.rows import chains_on_cluster, map_blocks
from rbhmc.sampling import Chain, sample, truncate_to_common_length
from rbhmc.sampling.init import Init, initial_paths, number_starts
from rbhmc.sampling.provenance import digest
from rbhmc.sampling.run_length import count_chains, count_fitted
from rbhmc.sampling.subsample import draw_subsample
from rbhmc.training_items import Missing, TrainingItems, learn_items
from rbhmc.tree import Tree

# Parameters of the regularisation, which BHMC does not have.
REGULARISATION = ("C", "margin", "eta_scale", "intercept")


# Criteria that select a draw without regard to the others, which is presented as it is.
LIKELIHOODS = ("rcdll", "cdll")

# Attributes that a fit with another `select` does not have.
SELECT_ATTRIBUTES = ("dendrogram_", "dendrogram_items_", "selected_")


class RBHMC(FittedModel):
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
        Whether to standardise the columns. "auto" is "on" if there are categories or dates, or if
        one column would hold most of the variance because of its unit.
    missing : {"impute", "drop", "error"}
        What to do with gaps. "impute" draws values for them, other ones in each chain, so that the
        supports show what the gaps cost. "drop" leaves out items with gaps, whose label is -1.
    n_chains : "auto" or int
        The number of chains. "auto" is 16 for up to 400 items, and 8 for more.
    n_warmup, n_draws, thin : int
        The number of sweeps before the first draw of a chain, of draws of each chain, and of sweeps
        per draw.
    max_items : int or None
        Of more items, the tree is that of a random sample of this number, which depends on the two
        numbers alone, and every other item is placed in it as by `predict`. The preparation is
        learned from the sample too. None is all items.
    items_per_chain : "auto", int or None
        The number of items that a chain is fitted to: a random subsample, another one for each
        chain, in whose draws all other items are placed. None is all items. "auto" is 1,000 of
        more than 2,000 items, and all of fewer.
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
    leaves_ : array of shape (n_items,)
        The leaf of each item, as its position in ``tree_.leaves``; -1 for dropped items.
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
        max_items: int | None = 5_000,
        items_per_chain: int | Literal["auto"] | None = "auto",
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
        self.items_per_chain = items_per_chain
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
            In memory, or a Dask array or data frame: the sample of `max_items` is read from the
            blocks, the chains run on the cluster if there is a client, and the other rows
            get their labels where they are. Numbers, truth values, texts, categories and dates,
            with or without gaps; see docs/tables.md. The columns of a data frame name the features.
            A column of texts that all differ, or of identifiers, names the items and is not a
            feature.
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
        self._check_presentation()
        items = self._learn_items(X, names)
        with chains_on_cluster(X):
            draws = self._sample(
                items, checkpoint_dir=checkpoint_dir, resume=resume, progress=progress
            )
        self._fit_draws(draws, items, X)
        self._warn()
        return self

    def _learn_items(self, X: ArrayLike, names: Sequence[str] | None = None) -> TrainingItems:
        """Learn the preparation of the items to fit, and the columns of X."""
        preparation = Preparation(
            n_pca=self.n_pca,
            scale=self.scale,
            standardize=self.standardize,
            missing="error" if self.missing == "error" else "impute",
        )
        items = learn_items(
            X, preparation, names=names, missing=self.missing, max_items=self.max_items
        )
        validate_data(self, items.source, skip_check_array=True)
        return items

    def _sample(self, items: TrainingItems, **run_options: Any) -> Draws:
        """Run the chains, each with its own values for gaps, and return their draws."""
        preparation, encoded = items.preparation, items.encoded
        n_chains = count_chains(self.n_chains, len(encoded))
        n_warmup = check_count("n_warmup", self.n_warmup, 0)
        n_draws = check_count("n_draws", self.n_draws, 1)
        thin = check_count("thin", self.thin, 1)
        settings = self._sampler_settings(preparation)
        given = None if self.initial_paths is None else np.asarray(self.initial_paths)
        n_fitted = count_fitted(self.items_per_chain, len(encoded))
        is_subsample = n_fitted < len(encoded)
        # Chains of different items cannot share a start.
        starts = number_starts(n_chains, "prior" if is_subsample else self.init, given)
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
            "items_per_chain": n_fitted,
            "init": self.init,
            "starts": starts,
            "initial_paths (SHA-256)": None if given is None else digest(given),
            "X (SHA-256)": digest(encoded),
        }
        has_gaps = bool(np.isnan(encoded).any())

        def prepare(seed: int) -> NDArray[np.float64]:
            if not has_gaps:
                return items.prepared
            return preparation.prepare(preparation.fill(encoded, seed))

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
                            own if fitted is None else own[fitted],
                            self.n_levels,
                            self.init,
                            given if given is None or fitted is None else given[fitted],
                            seeds[starts.index(start)],
                        )
                    },
                    fitted=fitted,
                )
                # The last seed is the predictive one; a start has the seed of its first chain.
                for seed, start in zip(seeds[:-1], starts, strict=True)
                for own in [prepare(seed)]
                for fitted in [draw_subsample(len(own), n_fitted, seed)]
            ],
            inputs,
            n_seeds=n_chains + 1,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            **run_options,
        )
        chains = truncate_to_common_length(run.results, n_draws)
        recorded = {**run.inputs, "chains": list(chains)}
        return Draws.of_chains(list(chains.values()), items.names, recorded)

    def _restore(self, X: ArrayLike, draws: Draws) -> Self:
        """Fit the model on stored draws of the same table and settings, without sampling."""
        self._check_presentation()
        return self._fit_draws(draws, self._learn_items(X), X)

    def _fit_draws(self, draws: Draws, items: TrainingItems, X: ArrayLike) -> Self:
        """Make the tree to present, label all rows of X, and set all attributes."""
        attributes: dict[str, Any]
        table, preparation = items.table, items.preparation
        if preparation.imputer_ is not None:
            table = preparation.encoding_.count_categories(table)
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
            seed = draws.settings["seeds"][-1]
            reference = posterior.reference_test(items.prepared, seed, columns)
        is_cloud = reference is not None and not reference.is_structured
        if is_cloud and self.select not in LIKELIHOODS:
            # The levels of a selected draw are those of the draws.
            n_levels = 1 if self.select == "consensus" else tree.n_levels
            tree = Tree.from_labels(np.zeros_like(tree.paths[:, :n_levels]), **parts)
            tree = tree.with_support({"root": 1.0}, exact={"root": 1.0})
        computed: dict[str, Any] = {}
        leaves = np.full(items.n_rows, -1, np.intp)
        if items.is_sample:
            placement = learn_placement(
                preparation,
                items.prepared,
                draws,
                tree,
                self._sampler_settings(preparation),
            )
            computed["placement"] = placement
            leaves = self._place_rows(X, items, placement)
        leaves[items.rows] = tree.leaf_labels
        # Set together at the end, so that a fit that fails leaves the model as it was.
        for name in SELECT_ATTRIBUTES:
            self.__dict__.pop(name, None)
        self.__dict__.update(attributes)
        self.preparation_ = preparation
        self.prepared_ = items.prepared
        self.items_ = items.rows
        assert tree.features is not None
        self.feature_std_ = tree.features.std
        self.draws_ = draws
        self.reference_ = reference
        self.tree_ = tree
        self.path_columns_ = (*(leaf.id for leaf in tree.leaves), "new branch")
        self.leaves_ = leaves
        self.labels_ = leaf_groups(tree, tree.labels)[leaves]
        self._computed = computed
        return self

    def _place_rows(
        self, X: ArrayLike, items: TrainingItems, placement: Placement
    ) -> NDArray[np.intp]:
        """Return the leaf of every row of a table of which a sample is fitted."""
        drops_gaps = self.missing == "drop"
        if items.encoded_rows is not None:
            return placement.leaves(items.encoded_rows, drops_gaps=drops_gaps)
        return np.asarray(map_blocks(place_block, X, placement, drops_gaps).compute())

    def _warn(self) -> None:
        """Warn of a table without structure, and of chains that disagree."""
        if self.reference_ is not None and not self.reference_.is_structured:
            text = f"{self.reference_}; read model.verdict()"
            warn(StructureWarning(text))
        elif self.select == "consensus" and self.verdict().chains.status == "bad":
            warn(ConvergenceWarning(self.verdict().chains.text))

    def _check_presentation(self) -> None:
        if self.select not in get_args(Select):
            names = ", ".join(f'"{name}"' for name in get_args(Select))
            raise InvalidInput(f"select is {self.select!r}; it must be one of {names}")
        if not isinstance(self.reference, bool | np.bool_):
            raise InvalidInput(f"reference is {self.reference!r}; it must be True or False")


class BHMC(RBHMC):
    """Bayesian hierarchical mixture clustering: `RBHMC` with C = 0.

    Takes the parameters of `RBHMC` except C, margin, eta_scale and intercept, which have no effect
    without regularisation.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> X = np.array([[0.0], [0.3], [9.0], [9.3]])
    >>> rbhmc.BHMC(n_levels=1, n_draws=200, random_state=0).fit(X).tree_.n_items
    4
    """

    def __init__(self, **settings: Any) -> None:
        refused = [name for name in settings if name in REGULARISATION]
        if refused:
            raise TypeError(f"BHMC is RBHMC with C = 0; it has no {', '.join(refused)}: use RBHMC")
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
