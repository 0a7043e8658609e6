"""Reference test: whether a table has more structure than one cloud of the same shape.

Margins and mixtures divide any cloud, often at the same place in every draw, so that the agreement
of draws cannot tell groups from none. This test compares the table with tables without groups, by
two statistics of Ward's linkage, from which chains start too:

    separation   the deepest valley between two sibling groups, see `separation`
    compactness  the share of the variance that lies between ⌈√n⌉ + 1 groups.

Both families of references have the mean m, the principal axes V and the variances s² of the table:

    uniform      x = m + V diag(s) √3 u,     u_d from U(-1, 1)
    elliptical   x = m + V diag(s) r e,      e a random direction, r the norm of a random item
                                             after whitening, so that tails are as heavy.

For each statistic k of the R references of a family reach the table. If the table were one more
reference, (k + 1) / (R + 1) would be a p-value (Besag and Clifford 1989). Separation is compared
with uniform clouds, whose edges favour cuts; compactness with both families, by the larger p-value.
The p-value of the test is a weighted Bonferroni bound (Holm 1979),

    p = min(4/3 p_separation, 4 p_compactness).

Skewed columns also make a table more compact than these references.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from rbhmc._checks import check_numbers
from rbhmc.posterior.separation import least_size, separation

Array = NDArray[np.float64]

# A table is structured if its p-value is at most this. See benches/structure.py for false alarms
# and power.
LEVEL = 0.1
# Of more items a sample is tested; fewer cannot show two groups.
MAX_ITEMS = 500
MIN_ITEMS = 20
N_REFERENCES = 49  # of each family
# The share of the level that each statistic gets.
SEPARATION_SHARE, COMPACTNESS_SHARE = 0.75, 0.25


class StructureWarning(UserWarning):
    """Warns that a table has no more structure than tables without groups."""


@dataclass(frozen=True, eq=False)
class ReferenceTest:
    """The separation and the compactness of a table, and of tables without groups.

    Attributes
    ----------
    separation, compactness : float
        The statistics of the table.
    reference_separation, reference_compactness : dict of arrays of shape (n_references,)
        The statistics of the references, by the family that they are compared with.
    """

    separation: float
    compactness: float
    reference_separation: dict[str, Array]
    reference_compactness: dict[str, Array]

    @property
    def n_as_separated(self) -> int:
        """The number of references that are at least as separated as the table."""
        return _count(self.separation, self.reference_separation)

    @property
    def n_as_compact(self) -> int:
        """The number of references, of the closer family, that are at least as compact."""
        return _count(self.compactness, self.reference_compactness)

    @property
    def n_references(self) -> int:
        """The number of references of each family."""
        return len(self.reference_separation["uniform"])

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
        return (
            f"the table has {'more' if self.is_structured else 'no more'} structure than one cloud "
            f"of its shape ({self.n_as_separated} of {self.n_references} references without groups "
            f"are as separated, {self.n_as_compact} as compact; p = {self.p_value:.2f})"
        )


def _count(statistic: float, families: dict[str, Array]) -> int:
    return max(int((family >= statistic).sum()) for family in families.values())


def reference_test(prepared: Array, seed: int) -> ReferenceTest:
    """Compare a table with tables that have no groups.

    Parameters
    ----------
    prepared : array of shape (n_items, n_dims)
        The prepared table; of more than 500 items a sample is tested.
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
    the table has more structure than one cloud of its shape (0 of 49 references without groups ...
    """
    table = check_numbers(prepared, "prepared", ("n_items", "n_dims"))
    rng = np.random.default_rng(seed)
    if len(table) > MAX_ITEMS:
        table = table[np.sort(rng.choice(len(table), MAX_ITEMS, replace=False))]
    uniform, elliptical = draw_references(table, rng)
    own = ward_linkage(table)
    clouds = [ward_linkage(cloud) for cloud in uniform]
    return ReferenceTest(
        separation(table, own),
        compactness(own),
        {"uniform": np.array([separation(*pair) for pair in zip(uniform, clouds, strict=True)])},
        {
            "uniform": np.array([compactness(cloud) for cloud in clouds]),
            "elliptical": np.array([compactness(ward_linkage(cloud)) for cloud in elliptical]),
        },
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


def draw_references(table: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw tables with the mean and the covariance of a table: uniform, and elliptical ones.

    Returns
    -------
    two arrays of shape (n_references, n_items, n_dims)

    Examples
    --------
    >>> table = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    >>> uniform, elliptical = draw_references(table, np.random.default_rng(0))
    >>> uniform.shape, bool(np.allclose(uniform[0][:, 0], uniform[0][:, 1]))
    ((49, 3, 2), True)
    """
    mean = table.mean(axis=0)
    left, lengths, axes = np.linalg.svd(table - mean, full_matrices=False)
    has_variance = lengths > 1e-9 * lengths[0]
    left, axes = left[:, has_variance], axes[has_variance]
    deviations = lengths[has_variance] / np.sqrt(len(table))
    shape = (N_REFERENCES, *left.shape)
    uniform = np.sqrt(3.0) * rng.uniform(-1.0, 1.0, size=shape)
    norms = np.sqrt(len(table)) * np.linalg.norm(left, axis=1)
    directions = rng.normal(size=shape)
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    elliptical = norms[rng.integers(len(table), size=shape[:2])][:, :, None] * directions
    return tuple(mean + (standard * deviations) @ axes for standard in (uniform, elliptical))
