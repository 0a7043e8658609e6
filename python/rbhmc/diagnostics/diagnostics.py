"""The diagnostics of a run: how they are computed, and how they are printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._extras import require
from rbhmc._text import wrap_text
from rbhmc.diagnostics.convergence import HEADINGS, Row, assess_convergence
from rbhmc.diagnostics.summaries import summarize_draws
from rbhmc.diagnostics.verdict import Verdict
from rbhmc.draws import Draws
from rbhmc.tree import Tree

COLUMN_WIDTHS = (10, 9, 7, 10, 10)
COLUMN_TYPES = {
    "name": "object",
    "level": "Int64",
    **dict.fromkeys(("mean", "sd", "rhat", "ess_bulk", "ess_tail"), "float64"),
    "note": "object",
}


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """The convergence diagnostics of a run; `print` it to read it.

    Attributes
    ----------
    table : tuple of Row
        One row for each summary: name, level, mean, sd, rhat, ess_bulk, ess_tail, note.
    values : mapping of str to array of shape (n_chains, n_draws)
        The values of each summary, by its name in the table; for trace plots.
    """

    table: tuple[Row, ...]
    values: Mapping[str, NDArray[np.float64]]

    def to_pandas(self) -> Any:
        """Return the table as a `pandas.DataFrame`, with NaN for missing values."""
        pandas = require("pandas", "frames")
        columns = {
            name: pandas.Series([getattr(row, name) for row in self.table], dtype=dtype)
            for name, dtype in COLUMN_TYPES.items()
        }
        return pandas.DataFrame(columns)

    def __str__(self) -> str:
        return format_table(self.table)

    def __repr__(self) -> str:
        return f"Diagnostics({len(self.table)} summaries)"


def diagnose(draws: Draws, tree: Tree) -> Diagnostics:
    """Compare the chains of a run by summaries that do not depend on node numbers.

    The summaries of each draw are

    - RCDLL, CDLL, loss, components, and learned parameters, as `Draws` has them; the mean of a
      learned diagonal;
    - nodes at each level;
    - effective clusters at each level: exp of the entropy of the clusters' shares of the items,
      which is k for k clusters of equal size and less for unequal ones;
    - distance to the clusters at each level: `rbhmc.metrics.variation_of_information`, in bits,
      between the draw and the clusters of the presented tree.

    For each of them the rank-normalised split R-hat and the bulk and tail effective sample sizes of
    Vehtari et al. (2021) are computed by arviz-stats; R-hat is nested (Margossian et al. 2024) if
    chains share starts.

    Parameters
    ----------
    draws : Draws
        All draws of all chains.
    tree : Tree
        The presented tree.

    Returns
    -------
    Diagnostics
        Time grows with chains x draws x items x levels; memory does not grow with items squared.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8]])
    >>> model = rbhmc.BHMC(n_levels=1, n_chains=1, n_draws=500, random_state=0).fit(X)
    >>> [row.name for row in diagnose(model.draws_, model.tree_).table][:2]
    ['RCDLL', 'CDLL']
    """
    summaries = summarize_draws(draws, tree)
    table = tuple(assess_convergence(summary, draws.starts) for summary in summaries)
    return Diagnostics(
        table=table,
        values={summary.name: summary.values for summary in summaries},
    )


def format_table(rows: Sequence[Row]) -> str:
    """Format the rows as lines below a heading.

    Examples
    --------
    >>> row = Row("RCDLL", None, -214.377, 8.1, 1.002, 3120.4, 2790.0)
    >>> constant = Row("nodes, level 1", 1, 3.0, 0.0, note="constant: 3")
    >>> print(format_table([row, constant]))
                         mean       sd  R-hat  ESS bulk  ESS tail
    RCDLL             -214.38     8.10  1.002      3120      2790
    nodes, level 1  constant: 3
    """
    width = max(len(row.name) for row in rows)
    lines = [_align("", HEADINGS, width)]
    for row in rows:
        note = f"{row.name:<{width}}  {row.note}"
        lines.append(note if row.note else _align(row.name, row.cells, width))
    return "\n".join(lines)


def _align(name: str, cells: Sequence[str], width: int) -> str:
    columns = (f"{cell:>{size}}" for cell, size in zip(cells, COLUMN_WIDTHS, strict=True))
    return f"{name:<{width}} {''.join(columns)}"


def summary_text(
    run: str, columns: str, tree: Tree, verdict: Verdict, diagnostics: Diagnostics
) -> str:
    """Describe a run: its data and settings, columns, tree, verdict and diagnostics."""
    parts = [wrap_text(run), columns, str(tree), wrap_text(verdict.text), str(diagnostics)]
    return "\n\n".join(filter(None, parts))
