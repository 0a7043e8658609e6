"""Reference test: whether a table has more structure than one cloud of the same shape.

Margins and mixtures divide any cloud, often at the same place in every draw, so that the agreement
of draws cannot tell groups from none. This test compares the table with tables without groups, by
the separation of the groups that Ward's linkage finds in each (`separation`); chains start at
Ward's linkage too. There are two families of references, both with the mean, the principal axes
and the variances of the table:

    gaussian   x = m + V diag(s) z,         z_d from N(0, 1)
    uniform    x = m + V diag(s) √3 u,      u_d from U(-1, 1).

Let T be the separation of the table, and k the number of the R references of one family that are
at least as separated. If the table were one more reference, (k + 1) / (R + 1) would be a p-value
(Besag and Clifford 1989). The p-value is the larger of the two families: the table must be more
separated than a Gaussian *and* than a uniform cloud, whose edges favour cuts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

from rbhmc._checks import check_numbers
from rbhmc._text import pluralize
from rbhmc.posterior.separation import separation

Array = NDArray[np.float64]

# A table is structured if its p-value is at most this. See benches/structure.py for false alarms
# and power.
LEVEL = 0.1
# Of more items a sample is tested; fewer cannot show two groups.
MAX_ITEMS = 300
MIN_ITEMS = 20
N_REFERENCES = 19  # of each family


class StructureWarning(UserWarning):
    """Warns that a table has no more structure than tables without groups."""


@dataclass(frozen=True, eq=False)
class ReferenceTest:
    """The separation of a table, and of tables without groups.

    Attributes
    ----------
    statistic : float
        The separation of the table.
    reference : dict of arrays of shape (n_references,)
        The separation of each reference of the families "gaussian" and "uniform".
    """

    statistic: float
    reference: dict[str, Array]

    @property
    def n_reached(self) -> int:
        """How many references of the closer family are at least as separated as the table."""
        return max(int((family >= self.statistic).sum()) for family in self.reference.values())

    @property
    def n_references(self) -> int:
        """The number of references of each family."""
        return len(self.reference["uniform"])

    @property
    def p_value(self) -> float:
        """The larger of the two families' p-values."""
        return (self.n_reached + 1) / (self.n_references + 1)

    @property
    def is_structured(self) -> bool:
        """Whether the table has more structure than one cloud of the same shape would show."""
        return self.p_value <= LEVEL

    def __str__(self) -> str:
        more = "more" if self.is_structured else "no more"
        return (
            f"the table has {more} structure than one cloud of its shape ({self.n_reached} of "
            f"{pluralize(self.n_references, 'reference')} without groups "
            f"{'is' if self.n_reached == 1 else 'are'} as separated, p = {self.p_value:.2f})"
        )


def reference_test(prepared: Array, seed: int) -> ReferenceTest:
    """Compare a table with tables that have no groups.

    Parameters
    ----------
    prepared : array of shape (n_items, n_dims)
        The prepared table; of more than 300 items a sample is tested.
    seed : int
        The result depends on the table and the seed alone.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cloud = rng.normal(size=(80, 2)) * 3.0
    >>> reference_test(cloud, seed=0).is_structured
    False
    >>> groups = cloud + np.repeat([[0.0, 0.0], [18.0, 0.0]], 40, axis=0)
    >>> print(reference_test(groups, seed=0))
    the table has more structure than one cloud of its shape (0 of 19 references without groups ...
    """
    table = check_numbers(prepared, "prepared", ("n_items", "n_dims"))
    rng = np.random.default_rng(seed)
    if len(table) > MAX_ITEMS:
        table = table[np.sort(rng.choice(len(table), MAX_ITEMS, replace=False))]
    references = draw_references(table, rng)
    return ReferenceTest(
        ward_separation(table),
        {
            family: np.array([ward_separation(reference) for reference in tables])
            for family, tables in references.items()
        },
    )


def ward_separation(table: Array) -> float:
    """Return the separation of the groups of Ward's linkage.

    Examples
    --------
    >>> round(ward_separation(np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])), 1)
    0.7
    """
    return separation(table, linkage(table, "ward"))


def draw_references(table: Array, rng: np.random.Generator) -> dict[str, Array]:
    """Draw tables with the mean and the covariance of a table.

    Returns
    -------
    dict of arrays of shape (n_references, n_items, n_dims)
        The families "gaussian" and "uniform".

    Examples
    --------
    >>> table = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    >>> tables = draw_references(table, np.random.default_rng(0))["gaussian"]
    >>> tables.shape, bool(np.allclose(tables[0][:, 0], tables[0][:, 1]))
    ((19, 3, 2), True)
    """
    mean = table.mean(axis=0)
    _, lengths, axes = np.linalg.svd(table - mean, full_matrices=False)
    deviations = lengths / np.sqrt(len(table))
    shape = (N_REFERENCES, len(table), len(deviations))
    families = {
        "gaussian": rng.normal(size=shape),
        "uniform": np.sqrt(3.0) * rng.uniform(-1.0, 1.0, size=shape),
    }
    return {name: mean + (standard * deviations) @ axes for name, standard in families.items()}
