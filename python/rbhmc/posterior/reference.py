"""Reference test: whether a table has more structure than tables without groups.

Margins and mixtures divide any cloud, often at the same place in every draw, so that the agreement
of draws cannot tell groups from none. This test compares the table with tables without groups, by
two statistics. Each has its own references:

    separation   the depth of the valley between groups, see `separation`, against uniform clouds,
                 x = m + V diag(s) √3 u with u_d from U(-1, 1), that have the mean m, the principal
                 axes V and the variances s² of the table
    compactness  the share of the variance that lies between ⌈√n⌉ + 1 groups of Ward's linkage, from
                 which chains start too, against pairings: the values of each column of the table,
                 paired anew in the order of an elliptical cloud, x = V diag(s) r e, with random
                 directions e and the norms r of random items after whitening: that of the table,
                 or that of its normal scores, whichever has more compact references.

Of all clouds with one mode, a uniform one leaves the deepest valleys by chance. Groups are compact
where columns are skewed, have heavy tails or few values; but so are those of the pairings. What
remains is what columns have in common beyond correlation. In clouds, too, a column of few values
has the values of the table, in the order of the cloud. The values of a category have no order: its
column is permuted in all references.

Of the R references of a statistic k reach the table. If the table were one more reference,
(k + 1) / (R + 1) would be a p-value (Besag and Clifford 1989). The p-value of the test is a
weighted Bonferroni bound (Holm 1979),

    p = min(p_separation / 0.8, p_compactness / 0.2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist
from scipy.stats import norm, rankdata

from rbhmc._checks import check_numbers
from rbhmc.posterior.separation import least_size, separation
from rbhmc.preparation import Preparation

Array = NDArray[np.float64]

# A table is structured if its p-value is at most this. See benches/structure.py for false alarms
# and power.
LEVEL = 0.1
# Of more items a sample is tested; fewer cannot show two groups.
MAX_ITEMS = 500
MIN_ITEMS = 20
N_REFERENCES = 49  # for each statistic
# The share of the level that each statistic gets.
SEPARATION_SHARE, COMPACTNESS_SHARE = 0.8, 0.2
# A column with at most so many values has gaps between them that are not those between groups.
FEW_VALUES = 7
# Components of more columns are sums of so many that the values of each do not matter.
MAX_COLUMNS = 20


class StructureWarning(UserWarning):
    """Warns that a table has no more structure than tables without groups."""


@dataclass(frozen=True, eq=False)
class ReferenceTest:
    """The separation and the compactness of a table, and of tables without groups.

    Attributes
    ----------
    separation, compactness : float
        The statistics of the table.
    reference_separation : array of shape (n_references,)
        The separation of the clouds.
    reference_compactness : array of shape (2, n_references)
        The compactness of the pairings by values, and by normal scores.
    """

    separation: float
    compactness: float
    reference_separation: Array
    reference_compactness: Array

    @property
    def n_as_separated(self) -> int:
        """The number of references that are at least as separated as the table."""
        return int((self.reference_separation >= self.separation).sum())

    @property
    def n_as_compact(self) -> int:
        """The number of references that are at least as compact, of the pairings with more."""
        return int((self.reference_compactness >= self.compactness).sum(axis=1).max())

    @property
    def n_references(self) -> int:
        """The number of references for each statistic."""
        return len(self.reference_separation)

    @property
    def p_value(self) -> float:
        """The bound from both statistics, and at most 1."""
        by_separation = (self.n_as_separated + 1) / SEPARATION_SHARE
        by_compactness = (self.n_as_compact + 1) / COMPACTNESS_SHARE
        return min(1.0, min(by_separation, by_compactness) / (self.n_references + 1))

    @property
    def is_structured(self) -> bool:
        """Whether the table has more structure than one cloud of the same shape would show."""
        return self.p_value <= LEVEL

    def __str__(self) -> str:
        if not self.is_structured:
            return (
                "the table has no more structure than one cloud of its shape "
                f"({self.n_as_separated} of {self.n_references} references without groups are as "
                f"separated, {self.n_as_compact} as compact; p = {self.p_value:.2f})"
            )
        # What decides is the statistic with the smaller bound.
        by_separation = (self.n_as_separated + 1) / SEPARATION_SHARE
        is_separated = by_separation <= (self.n_as_compact + 1) / COMPACTNESS_SHARE
        count = self.n_as_separated if is_separated else self.n_as_compact
        return (
            "the table has more structure than one cloud of its shape "
            f"({count} of {self.n_references} references without groups are as "
            f"{'separated' if is_separated else 'compact'}; p = {self.p_value:.2f})"
        )


class Columns(NamedTuple):
    """The columns of which references are made, and how they become a prepared table.

    Attributes
    ----------
    values : array of shape (n_items, n_columns)
    categories : list of slice
        The indicators of each category.
    prepare : callable
        Makes a prepared table of such columns.
    """

    values: Array
    categories: list[slice]
    prepare: Callable[[Array], Array]


def find_columns(preparation: Preparation, encoded: Array) -> Columns | None:
    """Return the columns of an encoded table if they are few, and projected; otherwise None."""
    if preparation.pca_ is None or len(preparation.encoding_.features) > MAX_COLUMNS:
        return None
    weighted = encoded if preparation.weights_ is None else encoded * preparation.weights_
    n_dims = int(preparation.pca_.n_components_)

    def prepare(columns: Array) -> Array:
        # Each reference has its own components, as the table has. Its scale does not matter.
        left, lengths, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
        return np.asarray(left[:, :n_dims] * lengths[:n_dims])

    blocks = preparation.encoding_.blocks
    return Columns(weighted, [block for block in blocks if block.stop - block.start > 1], prepare)


def reference_test(prepared: Array, seed: int, columns: Columns | None = None) -> ReferenceTest:
    """Compare a table with tables that have no groups.

    Parameters
    ----------
    prepared : array of shape (n_items, n_dims)
        The prepared table; of more than 500 items a sample is tested.
    seed : int
        The result depends on the table and the seed alone.
    columns : Columns, optional
        The columns before they are projected; by default those of the prepared table.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cloud = rng.normal(size=(80, 2)) * 3.0
    >>> reference_test(cloud, seed=0).is_structured
    False
    >>> groups = cloud + np.repeat([[0.0, 0.0], [18.0, 0.0]], 40, axis=0)
    >>> print(reference_test(groups, seed=0))
    the table has more structure than one cloud of its shape (0 of 49 references without groups ...
    """
    table = check_numbers(prepared, "prepared", ("n_items", "n_dims"))
    rng = np.random.default_rng(seed)
    values, categories, prepare = columns or Columns(table, [], lambda columns: columns)
    if len(table) > MAX_ITEMS:
        rows = np.sort(rng.choice(len(table), MAX_ITEMS, replace=False))
        table, values = table[rows], values[rows]
    clouds = [prepare(each) for each in draw_clouds(values, categories, rng)]
    pairings = [
        [prepare(each) for each in draw_pairings(values, categories, rng, by_scores=by_scores)]
        for by_scores in (False, True)
    ]
    return ReferenceTest(
        separation(table),
        compactness(ward_linkage(table)),
        np.array([separation(cloud) for cloud in clouds]),
        np.array([[compactness(ward_linkage(each)) for each in pairing] for pairing in pairings]),
    )


def ward_linkage(table: Array) -> Array:
    """Return Ward's linkage of the items."""
    # From distances, because SciPy warns of a table that looks like a matrix of distances.
    return np.asarray(linkage(pdist(table), "ward"))


def compactness(ward: Array) -> float:
    """Return the share of the variance that lies between ⌈√n⌉ + 1 groups of Ward's linkage.

    A merge at height h adds h² / 2 to the sum of squares within groups.

    Examples
    --------
    >>> table = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    >>> round(compactness(ward_linkage(table)), 4)
    0.9999
    """
    squares = ward[:, 2] ** 2
    total = squares.sum()
    return float(squares[-least_size(len(ward) + 1) :].sum() / total) if total > 0.0 else 0.0


def draw_clouds(table: Array, categories: list[slice], rng: np.random.Generator) -> Array:
    """Draw uniform clouds with the mean and the covariance of a table.

    Columns of few values have those of the table, and categories are permuted.

    Returns
    -------
    array of shape (n_references, n_items, n_dims)

    Examples
    --------
    >>> table = np.stack([np.arange(9.0), np.arange(9.0) > 4], axis=1)
    >>> clouds = draw_clouds(table, [], np.random.default_rng(0))
    >>> clouds.shape, np.sort(clouds[0, :, 1]).tolist()
    ((49, 9, 2), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    """
    references, ordered = _permute_categories(table, categories, rng)
    mean = table.mean(axis=0)
    lengths, axes = _principal_axes(table[:, ordered])
    sides = rng.uniform(-1.0, 1.0, size=(N_REFERENCES, len(table), len(lengths)))
    references[:, :, ordered] = mean[ordered] + (np.sqrt(3.0) * sides * lengths) @ axes
    few = [at for at in ordered if len(np.unique(table[:, at])) <= FEW_VALUES]
    references[:, :, few] = _match_values(references[:, :, few], table[:, few])
    return references


def draw_pairings(
    table: Array, categories: list[slice], rng: np.random.Generator, *, by_scores: bool
) -> Array:
    """Pair the values of the columns anew, as an elliptical cloud does; permute categories.

    The cloud is that of the values or of their normal scores. Items that are extreme in all columns
    need the first, and independent skewed columns the second.

    Returns
    -------
    array of shape (n_references, n_items, n_dims)

    Examples
    --------
    >>> table = np.stack([np.arange(9.0), np.arange(9.0) ** 3], axis=1)
    >>> pairing = draw_pairings(table, [], np.random.default_rng(0), by_scores=True)[0]
    >>> np.sort(pairing, axis=0).tolist() == table.tolist()
    True
    """
    references, ordered = _permute_categories(table, categories, rng)
    values = table[:, ordered]
    cloud = norm.ppf((rankdata(values, axis=0) - 0.5) / len(table)) if by_scores else values
    lengths, axes = _principal_axes(cloud)
    whitened = (cloud - cloud.mean(axis=0)) @ axes.T / lengths
    norms = rng.choice(np.linalg.norm(whitened, axis=1), size=(N_REFERENCES, len(table), 1))
    directions = rng.normal(size=(N_REFERENCES, len(table), len(lengths)))
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    references[:, :, ordered] = _match_values((norms * directions * lengths) @ axes, values)
    return references


def _permute_categories(
    table: Array, categories: list[slice], rng: np.random.Generator
) -> tuple[Array, list[int]]:
    """Return references that have the categories alone, and the other columns, to be filled."""
    references = np.empty((N_REFERENCES, *table.shape))
    ordered = set(range(table.shape[1]))
    for block in categories:
        ordered -= set(range(block.start, block.stop))
        for reference in references:
            reference[:, block] = rng.permutation(table[:, block])
    return references, sorted(ordered)


def _principal_axes(table: Array) -> tuple[Array, Array]:
    """Return the standard deviations along the principal axes, and the axes with variance."""
    _, lengths, axes = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    has_variance = lengths > 1e-9 * np.max(lengths, initial=0.0)
    return lengths[has_variance] / np.sqrt(len(table)), axes[has_variance]


def _match_values(references: Array, table: Array) -> Array:
    """Replace the values of each column by those of the table, in the same order."""
    matched = np.empty_like(references)
    values = np.sort(table, axis=0)
    np.put_along_axis(matched, references.argsort(axis=1), values[None], axis=1)
    return matched
