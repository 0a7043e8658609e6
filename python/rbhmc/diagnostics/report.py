"""The diagnostics of a run: how they are made, and how they are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._extras import require
from rbhmc.diagnostics.convergence import Row, row_of
from rbhmc.diagnostics.summaries import summaries
from rbhmc.diagnostics.text import table_text, wrapped
from rbhmc.diagnostics.verdict import Verdict, judge
from rbhmc.draws import Draws
from rbhmc.posterior.stability import Stability
from rbhmc.tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """Whether the chains of a run agree; `print` it to read it.

    Attributes
    ----------
    table : tuple of Row
        A row for each figure: name, level, mean, sd, rhat, ess_bulk, ess_tail, words.
    verdict : Verdict
        What they mean.
    values : mapping of str to array of shape (n_chains, n_draws)
        Each figure of each draw, by its name in the table; for plots of traces.
    """

    table: tuple[Row, ...]
    verdict: Verdict
    values: Mapping[str, NDArray[np.float64]]

    def to_pandas(self) -> Any:
        """Return the table as a data frame, with NaN where a figure is absent."""
        pandas = require("pandas", "frames")
        columns = {
            name: pandas.Series([getattr(row, name) for row in self.table], dtype=dtype)
            for name, dtype in COLUMNS.items()
        }
        return pandas.DataFrame(columns)

    def __str__(self) -> str:
        return f"{table_text(self.table)}\n\n{wrapped(self.verdict.text)}"

    def __repr__(self) -> str:
        return f"Diagnostics({len(self.table)} figures: {self.verdict.text!r})"


COLUMNS = {
    "name": "object",
    "level": "Int64",
    **dict.fromkeys(("mean", "sd", "rhat", "ess_bulk", "ess_tail"), "float64"),
    "words": "object",
}


def diagnose(draws: Draws, selected_paths: ArrayLike) -> Diagnostics:
    """Compare the chains of a run by figures that do not depend on the numbers of nodes.

    The figures of each draw are

    - RCDLL, CDLL, loss, components, and what was learned: as `Draws` holds them; of a diagonal
      that was learned, the mean;
    - nodes, of each level;
    - effective clusters, of each level: exp of the entropy of the clusters' shares of the items,
      which is k for k clusters of equal size and less for unequal ones;
    - distance to the tree, of each level: `rbhmc.metrics.variation_of_information`, in bits,
      between the draw and the tree that is presented.

    For each of them there are the rank-normalised split R-hat and the bulk and tail effective
    sample sizes of Vehtari et al. (2021), as arviz-stats computes them.

    Parameters
    ----------
    draws : Draws
        All draws of all chains.
    selected_paths : array of integers of shape (n_items, n_levels)
        The tree that is presented.

    Returns
    -------
    Diagnostics
        Time grows with chains x draws x items x levels; memory does not grow with items squared.

    Raises
    ------
    InvalidInput
        Where the tree is none, or not one of these items and levels.
    ImportError
        Where arviz-stats is not installed; the message says how to install it.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8]])
    >>> model = rbhmc.BHMC(n_levels=1, n_chains=1, n_draws=500, random_state=0).fit(X)
    >>> found = diagnose(model.draws_, model.tree_.paths)
    >>> found.verdict.agree
    False
    >>> print(found.verdict)
    one chain: nothing to compare it with; use n_chains=4
    ...
    """
    found = summaries(draws, selected_paths)
    table = tuple(row_of(summary) for summary in found)
    return Diagnostics(
        table=table,
        verdict=judge(table, *found[0].values.shape),
        values={summary.name: summary.values for summary in found},
    )


def summary_text(about: str, tree: Tree, stability: Stability, diagnostics: Diagnostics) -> str:
    """Write what a run was about, its tree, the figures of its draws, and the verdict.

    Parameters
    ----------
    about : str
        The data and settings, in a line.
    tree : Tree
        The tree that is presented.
    stability : Stability
        How stable the nodes of the selected draw are, even if another tree is presented.
    diagnostics : Diagnostics
        Of the same run.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
    >>> row = Row("nodes, level 1", 1, 2.0, 0.0, words="constant: 2")
    >>> diagnostics = Diagnostics((row,), judge([row], n_chains=4, n_draws=100), {})
    >>> print(summary_text("3 items, 1 level", tree, Stability(1.0, 1.0), diagnostics))
    3 items, 1 level
    <BLANKLINE>
    3 items
    ├─ ant, bee
    └─ cat
    <BLANKLINE>
                         mean       sd  R-hat  ESS bulk  ESS tail
    nodes, level 1  constant: 2
    <BLANKLINE>
    4 chains agree: every figure is the same in all draws
    """
    parts = [wrapped(about), str(tree), wrapped(stability.warning(tree)), str(diagnostics)]
    return "\n\n".join(part for part in parts if part)
