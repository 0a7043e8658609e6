"""What a fitted model answers: the tree read, judged, explained and shown; labels of new items."""

import importlib
from os import PathLike
from pathlib import Path
from typing import Any, Literal, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from rbhmc import posterior
from rbhmc._core import SETTINGS, __version__
from rbhmc._text import pluralize
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
from rbhmc.placement import Placement, label_block, leaf_groups, learn_placement
from rbhmc.posterior.reference import ReferenceTest
from rbhmc.preparation import Preparation
from rbhmc.rows import is_dask, map_blocks
from rbhmc.tree import Tree

Select = Literal["consensus", "vi", "binder", "rcdll", "cdll"]


class FittedModel(ClusterMixin, BaseEstimator):
    """The methods that read a fit, which `rbhmc.RBHMC` adds."""

    # Set by the constructor of the estimator:
    n_levels: int
    C: float
    margin: float
    select: Select
    reference: bool
    # Set by its fit:
    labels_: NDArray[np.intp]
    items_: NDArray[np.intp]
    tree_: Tree
    draws_: Draws
    leaves_: NDArray[np.intp]
    reference_: ReferenceTest | None
    preparation_: Preparation
    prepared_: NDArray[np.float64]
    # What is computed once for each fit, when it is first asked for. Methods that only read a model
    # must not set attributes, by the rules of scikit-learn.
    _computed: dict[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_rbhmc_version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        warn_of_version(state.pop("_rbhmc_version", None), f"the {type(self).__name__} model")
        super().__setstate__(state)

    def labels_at(self, depth: SupportsIndex) -> NDArray[np.intp]:
        """Return the group of each item at a depth of the presented tree (1 is below the root).

        Groups are numbered by first appearance among the items of the tree, and dropped items have
        -1; `labels_` follows the order of `tree_.clusters`.
        """
        check_is_fitted(self)
        return leaf_groups(self.tree_, self.tree_.labels_at(depth))[self.leaves_]

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
        """Return a text with data, settings, columns, tree, verdict and diagnostics."""
        check_is_fitted(self)
        is_array = self.preparation_.encoding_.is_array
        columns = "" if is_array else self.preparation_.describe_columns()
        return summary_text(
            self._describe_run(), columns, self.tree_, self.verdict(), self.diagnostics()
        )

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
        `predict_path_proba` is the probability that it belongs to none. A Dask array or data frame
        gives a Dask array, whose blocks are computed where those of X are.
        """
        check_is_fitted(self)
        placement = self._learn_placement()
        if is_dask(X):
            labels: NDArray[np.intp] = map_blocks(label_block, X, placement)
            return labels
        check_columns(self, X)
        return placement.clusters[placement.leaves(self.preparation_.encode(X))]

    def predict_path_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each leaf of the presented tree for each item.

        `path_columns_` names the columns: the leaves in the order of ``tree_.leaves``, then a new
        branch, which is none of them. Rows sum to 1. See `rbhmc.predictive`.
        """
        check_is_fitted(self)
        check_columns(self, X)
        placement = self._learn_placement()
        return placement.predictive.probabilities(placement.prepare(self.preparation_.encode(X)))

    def _learn_placement(self) -> Placement:
        """Return what places new items, which is learned once for each fit."""
        if "placement" not in self._computed:
            self._computed["placement"] = learn_placement(
                self.preparation_,
                self.prepared_,
                self.draws_,
                self.tree_,
                self._sampler_settings(self.preparation_),
            )
        found: Placement = self._computed["placement"]
        return found

    def __sklearn_tags__(self) -> Any:
        """Say that tables may have gaps, texts and categories."""
        return with_input_tags(super().__sklearn_tags__())

    def _sampler_settings(self, preparation: Preparation) -> dict[str, Any]:
        """Return the keywords of `Sampler` for a prepared table."""
        return preparation.arrange_settings({name: getattr(self, name) for name in SETTINGS})

    def _describe_run(self) -> str:
        """Describe data, settings and learned parameters, for the summary."""
        prepared, run = self.preparation_.describe(), self.draws_.settings
        n_dims = prepared["n_dims"]
        is_projected = n_dims != prepared["n_encoded"]
        components = f" on {pluralize(n_dims, 'component')}" if is_projected else ""
        learned = posterior.learned(self.draws_).items()
        learned_lines = "".join(f"\nlearned {name}: {values}" for name, values in learned)
        n_items, n_fitted = int((self.labels_ >= 0).sum()), len(self.items_)
        sample = "" if n_items == n_fitted else f", of which a sample of {n_fitted} is fitted"
        n_each = run["items_per_chain"]
        subsamples = "" if n_each == n_fitted else f" of {n_each} items each"
        size = f"{pluralize(n_items, 'item')} x {pluralize(prepared['n_features'], 'feature')}"
        draws = pluralize(self.draws_.n_draws, "draw")
        every = "sweep" if run["thin"] == 1 else f"{run['thin']:,} sweeps"
        return (
            f"{size}{components}, times {prepared['factor']:.4g}{sample}; {type(self).__name__}, "
            f"{pluralize(self.n_levels, 'level')}, C = {self.C:g}, margin = {self.margin:g}; "
            f"{pluralize(self.draws_.n_chains, 'chain')}{subsamples} x {draws}, every {every} "
            f"after {run['n_warmup']:,}\n{prepared['units']}{learned_lines}"
        )
