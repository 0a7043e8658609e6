"""Order of the columns, principal components and factor of a table, which `Preparation` learns."""

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput

Array = NDArray[np.float64]

# Distance of close items in units of √(2D), chosen by F-measure and purity on Kemp and Tenenbaum's
# animals: see docs/quality.md.
NEIGHBOUR_DISTANCE = 0.415

# With scale="auto", prepared values are rounded to multiples of 1 / GRID. A table in other units
# differs in its last bits, which would let chains diverge; rounding makes the two tables equal.
GRID = 2.0**30

# With n_pca="auto", tables with more columns are projected on this number of components, but at
# most on √n_items: the components of few items are mostly noise.
MAX_COLUMNS_WITHOUT_PCA = 20
AUTO_COMPONENTS = 10
# Components of a table with categories hold this share of its variance, as far as there are so
# many. The columns themselves are not used: a component of the mixture could be exact in one.
MIXED_VARIANCE_SHARE = 0.95

# Above this number of items, or of products of items and two columns, components are those of the
# covariance matrix, if there are ten times as many items as columns: this is many times faster than
# a singular value decomposition. The distances of so many items give the factor.
MANY_ITEMS = 10_000
MANY_PRODUCTS = 10**9

# Columns that are sorted together, so that memory does not grow with their number.
COLUMNS_PER_BLOCK = 16


def sort_columns(X: Array) -> NDArray[np.intp]:
    """Return the columns by variance, the largest first, and then by their values.

    The order depends neither on the unit of the table nor on the order in which columns are given.

    Examples
    --------
    >>> sort_columns(np.array([[0.0, 0.0, 1.0], [0.1, 9.0, 0.0]]))
    array([1, 2, 0])
    """
    n_columns = X.shape[1]

    def centred(start: int, end: int) -> Array:
        columns = np.ascontiguousarray(X[:, start:end].T)
        return np.asarray(columns - columns.mean(axis=1, keepdims=True))

    starts = range(0, n_columns, COLUMNS_PER_BLOCK)
    blocks = [(start, min(start + COLUMNS_PER_BLOCK, n_columns)) for start in starts]
    largest = max(float(np.abs(centred(*block)).max()) for block in blocks) or 1.0

    def rounded(start: int, end: int) -> Array:
        # Divide by the largest value, so that squares neither overflow nor underflow. The last bits
        # depend on the unit.
        return np.asarray(np.rint(centred(start, end) / largest * GRID))

    variances = np.concatenate([rounded(*block).var(axis=1) for block in blocks])
    tied = np.unique(variances, return_inverse=True, return_counts=True)
    is_tied = tied[2][tied[1]] > 1
    keys = [
        (-variance, rounded(column, column + 1).tobytes() if is_tied[column] else b"")
        for column, variance in enumerate(variances.tolist())
    ]
    return np.array(sorted(range(n_columns), key=keys.__getitem__))


def auto_n_pca(X: Array, *, has_categories: bool = False) -> int | None:
    """Return the number of components to keep, or None for few columns without categories.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> auto_n_pca(rng.normal(size=(50, 20))), auto_n_pca(rng.normal(size=(50, 21)))
    (None, 7)
    """
    n_items, n_columns = X.shape
    if n_columns <= MAX_COLUMNS_WITHOUT_PCA and not has_categories:
        return None
    # Components need a variance that is positive and finite.
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float(X.var(axis=0).sum())
    if not 0.0 < variance < np.inf:
        return None
    most: int = min(AUTO_COMPONENTS, round(n_items**0.5))
    if not has_categories:
        return most
    eigenvalues = np.linalg.eigvalsh(np.atleast_2d(np.cov(X.T, bias=True)))[::-1]
    n_enough = 1 + int(np.searchsorted(np.cumsum(eigenvalues) / variance, MIXED_VARIANCE_SHARE))
    return min(most, n_enough, int(n_columns))


def fit_components(X: Array, n_pca: float) -> Any:
    """Return a PCA with the principal components of a table.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> fit_components(X, 1).components_.round(3).tolist()
    [[0.6, 0.8]]
    """
    # Imported here, since it loads half of scikit-learn and `import rbhmc` should be fast.
    from sklearn.decomposition import PCA
    from threadpoolctl import threadpool_limits

    n_items, n_dims = X.shape
    is_large = n_items > MANY_ITEMS or n_items * n_dims**2 > MANY_PRODUCTS
    solver = "covariance_eigh" if is_large and n_items > 10 * n_dims else "full"
    n_components = int(n_pca) if isinstance(n_pca, numbers.Integral) else n_pca
    # On tables that are not large the threads of BLAS wait for each other longer than they compute.
    # A constant table has no variance to share: 0 / 0.
    with threadpool_limits(None if is_large else 1, "blas"), np.errstate(invalid="ignore"):
        return PCA(n_components=n_components, svd_solver=solver).fit(X)


def auto_factor(X: Array) -> float:
    """Return the factor that brings close items NEIGHBOUR_DISTANCE · √(2D) apart.

    The factor of a table of identical items is 1.

    Examples
    --------
    >>> round(auto_factor(np.array([[0.0], [1.0]])), 3)  # 0.415 · √2
    0.587
    """
    n_items, n_dims = X.shape
    # Divide by the largest value, so that squares neither overflow nor underflow.
    largest = float(np.abs(X).max())
    if largest == 0.0:
        return 1.0
    X = X / largest
    k = min(max(3, round(np.sqrt(n_items) / 2)), n_items - 1)
    if k < 1:
        return 1.0
    from sklearn.neighbors import NearestNeighbors

    neighbours = NearestNeighbors(n_neighbors=k + 1).fit(X)
    # Every item is its own neighbour at distance 0.
    distances = neighbours.kneighbors(X[:: -(-n_items // MANY_ITEMS)])[0][:, -1]
    apart = distances[distances > 0.0]
    if len(apart) == 0:
        apart = np.linalg.norm(X - X[0], axis=1)
        apart = apart[apart > 0.0]
    if len(apart) == 0:
        return 1.0
    with np.errstate(over="ignore"):
        factor = np.float64(NEIGHBOUR_DISTANCE * np.sqrt(2.0 * n_dims) / np.median(apart)) / largest
    if not np.isfinite(factor):
        raise InvalidInput(
            f"the values of X are at most {largest:.1g} from their mean, too little for the scale "
            "of the tree: rescale the table"
        )
    return float(factor)
