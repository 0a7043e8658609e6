"""Reference test: whether a table has more structure than tables without groups.

Margins and mixtures divide any cloud, often at the same place in every draw, so that the agreement
of draws cannot tell groups from none. This test compares the table with tables without groups
(`clouds`), by two statistics of Ward's linkage, from which chains start too. Each has its own
references, in two families:

    separation   how much better two groups fit than one, see `separation`: than any density,
                 compared with uniform clouds, and than a smooth one, with skewed clouds
    compactness  the share of the variance that lies between ⌈√n⌉ + 1 groups, compared with the
                 pairings by values, and by normal scores.

Groups are compact where columns are skewed, have heavy tails or few values; but so are those of the
pairings. What remains is what columns have in common beyond correlation.

Of the R references of a family k reach the table. If the table were one more of them,
(k + 1) / (R + 1) would be a p-value (Besag and Clifford 1989). A statistic has the larger p-value
of its two families: a table has structure if it is like neither (Berger 1982, intersection-union
test). The p-value of the test is a weighted Bonferroni bound (Holm 1979),

    p = min(2 p_separation, 4 p_compactness).

The weights leave a quarter of the level unused, since the axes of clouds are estimated.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from rbhmc._checks import check_numbers
from rbhmc.posterior.clouds import Columns, draw_clouds, draw_pairings
from rbhmc.posterior.separation import least_size, separation

Array = NDArray[np.float64]

# A table is structured if its p-value is at most this. See benches/structure.py for false alarms
# and power.
LEVEL = 0.1
# Of more items a sample is tested; fewer cannot show two groups.
MAX_ITEMS = 300
MIN_ITEMS = 20
N_REFERENCES = 39  # of each family
# The share of the level that each statistic gets.
SEPARATION_SHARE, COMPACTNESS_SHARE = 0.5, 0.25


class StructureWarning(UserWarning):
    """Warns that a table has no more structure than tables without groups."""


@dataclass(frozen=True, eq=False)
class ReferenceTest:
    """The separation and the compactness of a table, and of tables without groups.

    Attributes
    ----------
    separation : array of shape (2,)
        The separation of the table, against any density and against a smooth one.
    compactness : float
        The compactness of the table.
    reference_separation : array of shape (2, n_references)
        The separation of uniform and of skewed clouds.
    reference_compactness : array of shape (2, n_references)
        The compactness of the pairings by values, and by normal scores.
    """

    separation: Array
    compactness: float
    reference_separation: Array
    reference_compactness: Array

    @property
    def n_as_separated(self) -> int:
        """The number of references, of the closer family, that are at least as separated."""
        reached = self.reference_separation >= self.separation[:, None]
        return int(reached.sum(axis=1).max())

    @property
    def n_as_compact(self) -> int:
        """The number of references, of the closer family, that are at least as compact."""
        return int((self.reference_compactness >= self.compactness).sum(axis=1).max())

    @property
    def n_references(self) -> int:
        """The number of references of each family."""
        return len(self.reference_separation[0])

    @property
    def p_value(self) -> float:
        """The bound from both statistics, and at most 1."""
        return min(1.0, *self._bounds)

    @property
    def _bounds(self) -> tuple[float, float]:
        n_tables = self.n_references + 1
        return (
            (self.n_as_separated + 1) / n_tables / SEPARATION_SHARE,
            (self.n_as_compact + 1) / n_tables / COMPACTNESS_SHARE,
        )

    @property
    def is_structured(self) -> bool:
        """Whether the table has more structure than one cloud of the same shape would show."""
        return self.p_value <= LEVEL

    def __str__(self) -> str:
        references = f"of {self.n_references} references without groups are as"
        found = f"{self.n_as_separated} {references} separated"
        if not self.is_structured:
            found += f", {self.n_as_compact} as compact"
        elif self._bounds[1] < self._bounds[0]:  # what decides is told
            found = f"{self.n_as_compact} {references} compact"
        return (
            f"the table has {'more' if self.is_structured else 'no more'} structure than one cloud "
            f"of its shape ({found}; p = {self.p_value:.2f})"
        )


def reference_test(prepared: Array, seed: int, columns: Columns | None = None) -> ReferenceTest:
    """Compare a table with tables that have no groups.

    Parameters
    ----------
    prepared : array of shape (n_items, n_dims)
        The prepared table; of more than 300 items a sample is tested.
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
    the table has more structure than one cloud of its shape (0 of 39 references without groups ...
    """
    table = check_numbers(prepared, "prepared", ("n_items", "n_dims"))
    rng = np.random.default_rng(seed)
    values, categories, prepare = columns or Columns(table, [], lambda columns: columns)
    if len(table) > MAX_ITEMS:
        rows = np.sort(rng.choice(len(table), MAX_ITEMS, replace=False))
        table, values = table[rows], values[rows]
    own = ward_linkage(table)
    separations = np.empty((2, N_REFERENCES))
    compactnesses = np.empty((2, N_REFERENCES))
    for family in range(2):
        clouds = draw_clouds(values, categories, rng, N_REFERENCES, skewed=family == 1)
        pairings = draw_pairings(values, categories, rng, N_REFERENCES, by_scores=family == 1)
        for at, (cloud, pairing) in enumerate(zip(clouds, pairings, strict=True)):
            each = prepare(cloud)
            separations[family, at] = separation(each, ward_linkage(each))[family]
            compactnesses[family, at] = compactness(ward_linkage(prepare(pairing)))
    return ReferenceTest(separation(table, own), compactness(own), separations, compactnesses)


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
