"""Preparation of a table for the sampler and back: order, principal components and one scale."""

import numbers
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rbhmc._core import InvalidInput, project

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

# Settings of `Sampler` that may have one number for each column, or for each pair of columns.
COLUMN_SETTINGS = ("noise_cov", "base_mean", "base_cov")

# The sums of larger values would overflow.
MAX_SIZE = 1e300


class Preparation(TransformerMixin, BaseEstimator):
    """Centre, project on principal components, and multiply by one factor.

    The model assumes noise of unit variance, and the default margin is meant for that scale. Two
    items with noise of standard deviation σ in D dimensions are about σ√(2D) apart. With
    ``scale="auto"`` the factor brings the typical distance between close items, the median distance
    of an item to its k-th neighbour with k = max(3, √n_items / 2), to NEIGHBOUR_DISTANCE · √(2D):
    unit noise is then somewhat wider than the tightest groups, which the tree can still separate.
    One factor multiplies all columns, so that their relative variances stay.

    With ``scale="auto"`` the columns are also sorted by variance, the largest first, and columns of
    equal variance by their values. The random numbers of a chain belong to columns by position, and
    sums over columns are rounded, so that a chain depends on their order. After sorting, a table
    whose columns are given in another order is the same, to the bit.

    Parameters
    ----------
    n_pca : "auto", int, float or None
        How many principal components to keep: a number, a share of variance (between 0 and 1), or
        None for the original columns. "auto" is None for up to 20 columns, and for more 10, but
        at most √n_items: in many dimensions all items are about equally far apart.
    scale : "auto", float or False
        The factor. With False there is none, and if `n_pca` is None the table is not centred
        either.

    Attributes
    ----------
    factor_ : float
        The factor that multiplies the centred and projected table.
    centre_ : array of shape (n_features,)
        The point that is subtracted first.
    order_ : array of shape (n_features,)
        The columns of the table in the order in which they are prepared. `centre_` and `pca_` have
        this order.
    pca_ : sklearn.decomposition.PCA or None

    Examples
    --------
    >>> import numpy as np
    >>> from rbhmc.preparation import Preparation
    >>> X = np.random.default_rng(0).normal(size=(50, 4)) * 100
    >>> preparation = Preparation(n_pca=2).fit(X)
    >>> preparation.transform(X).shape, preparation.describe()["n_dims"]
    ((50, 2), 2)
    """

    def __init__(
        self,
        *,
        n_pca: float | Literal["auto"] | None = "auto",
        scale: float | Literal["auto", False] = "auto",
    ) -> None:
        self.n_pca = n_pca
        self.scale = scale

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn the centre, the principal components and the factor."""
        table = validate_data(self, X, dtype=np.float64)
        check_sizes(table)
        n_items, n_dims = table.shape
        self._check_parameters(n_items, n_dims)
        self.order_ = sort_columns(table) if self.scale == "auto" else np.arange(n_dims)
        table = self._arrange(table)
        self.pca_ = None
        n_pca = self.n_pca
        if n_pca == "auto":
            n_pca = auto_n_pca(table)
        if n_pca is not None:
            # Imported here, since it loads half of scikit-learn and `import rbhmc` should be fast.
            from sklearn.decomposition import PCA

            if isinstance(n_pca, numbers.Integral):
                n_pca = int(n_pca)
            # A constant table has no variance to share: 0 / 0.
            with np.errstate(invalid="ignore"):
                self.pca_ = PCA(n_components=n_pca, svd_solver="full").fit(table)
            self.centre_ = self.pca_.mean_
        else:
            self.centre_ = np.zeros(n_dims) if self.scale is False else table.mean(axis=0)
        self.factor_ = 1.0
        if self.scale == "auto":
            self.factor_ = auto_factor(self._project(table))
        elif self.scale is not False:
            self.factor_ = float(self.scale)
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Prepare items, each of which does not depend on the others, to the bit."""
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, reset=False)
        check_sizes(table)
        scaled = self._project(self._arrange(table)) * self.factor_
        return np.asarray(np.rint(scaled * GRID) / GRID if self.scale == "auto" else scaled)

    def inverse_transform(self, prepared: ArrayLike) -> Array:
        """Transform prepared points back to the units of the table."""
        check_is_fitted(self)
        unscaled = np.asarray(prepared, np.float64) / self.factor_
        if self.pca_ is None:
            arranged = unscaled + self.centre_
        else:
            arranged = self.pca_.inverse_transform(unscaled)
        return np.asarray(arranged[:, np.argsort(self.order_)])

    def arrange_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Return settings of `Sampler` whose means and covariances have the order of `order_`.

        A number is the same for all columns. With principal components nothing changes, since the
        settings are then about these.

        Examples
        --------
        >>> preparation = Preparation().fit([[0.0, 0.0], [1.0, 9.0]])
        >>> preparation.arrange_settings({"base_cov": [1.0, 4.0], "base_mean": 0.0})
        {'base_cov': array([4., 1.]), 'base_mean': 0.0}
        """
        check_is_fitted(self)
        if self.pca_ is not None:
            return settings
        return settings | {
            name: np.asarray(settings[name])[np.ix_(*[self.order_] * np.ndim(settings[name]))]
            for name in COLUMN_SETTINGS
            if _side(settings.get(name)) == len(self.order_)
        }

    def _arrange(self, table: Array) -> Array:
        """Return a table with its columns in the order of `order_`, and its rows contiguous."""
        return np.ascontiguousarray(table[:, self.order_])

    def _project(self, table: Array) -> Array:
        if self.pca_ is None:
            return np.asarray(table - self.centre_)
        return project(table, self.centre_, self.pca_.components_)

    def _check_parameters(self, n_items: int, n_dims: int) -> None:
        n_pca, scale = self.n_pca, self.scale
        most = min(n_items, n_dims)
        if isinstance(n_pca, numbers.Integral) and not isinstance(n_pca, bool):
            is_valid = 1 <= n_pca <= most
        elif isinstance(n_pca, numbers.Real):
            is_valid = 0 < n_pca < 1
        else:
            is_valid = n_pca is None or n_pca == "auto"
        if not is_valid:
            raise InvalidInput(
                f'n_pca is {n_pca!r}; it must be "auto", None, a share of variance '
                f"between 0 and 1, or a whole number from 1 to {most} (the smaller side of X)"
            )
        positive = isinstance(scale, numbers.Real) and not isinstance(scale, bool) and scale > 0
        if not (scale is False or scale == "auto" or (positive and np.isfinite(float(scale)))):
            raise InvalidInput(f'scale is {scale!r}; it must be "auto", False, or a number above 0')

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether `fit` has learned the factor."""
        return hasattr(self, "factor_")

    def describe(self) -> dict[str, Any]:
        """Return the numbers of features and dimensions, the factor and the share of variance."""
        check_is_fitted(self)
        n_dims, share = int(self.n_features_in_), None
        if self.pca_ is not None:
            n_dims = int(self.pca_.n_components_)
            share = float(self.pca_.explained_variance_ratio_.sum())
            share = 1.0 if np.isnan(share) else share
        return {
            "n_features": int(self.n_features_in_),
            "n_dims": n_dims,
            "factor": self.factor_,
            "explained_variance_ratio": share,
        }


def _side(setting: Any) -> int | None:
    """Return the length of a vector or the side of a square matrix; None for anything else."""
    try:
        lengths = set(np.shape(setting))
    except ValueError:
        return None  # a ragged list, which the sampler refuses
    return lengths.pop() if len(lengths) == 1 else None


def sort_columns(X: Array) -> NDArray[np.intp]:
    """Return the columns by variance, the largest first, and then by their values.

    The order depends neither on the unit of the table nor on the order in which columns are given.

    Examples
    --------
    >>> sort_columns(np.array([[0.0, 0.0, 1.0], [0.1, 9.0, 0.0]]))
    array([1, 2, 0])
    """
    columns = np.ascontiguousarray(X.T)
    columns = columns - columns.mean(axis=1, keepdims=True)
    # Divide by the largest value, so that squares neither overflow nor underflow. The last bits
    # depend on the unit.
    columns = np.rint(columns / (float(np.abs(columns).max()) or 1.0) * GRID)
    keys = [(-column.var(), column.tobytes()) for column in columns]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__))


def auto_n_pca(X: Array) -> int | None:
    """Return the number of components to keep, or None for a table with few columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> auto_n_pca(rng.normal(size=(50, 20))), auto_n_pca(rng.normal(size=(50, 21)))
    (None, 7)
    """
    n_items, n_columns = X.shape
    if n_columns <= MAX_COLUMNS_WITHOUT_PCA:
        return None
    # Components need a variance that is positive and finite.
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float(X.var(axis=0).sum())
    return min(AUTO_COMPONENTS, round(np.sqrt(n_items))) if 0.0 < variance < np.inf else None


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

    distances = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()[0][:, -1]
    apart = distances[distances > 0.0]
    if len(apart) == 0:
        apart = np.linalg.norm(X - X[0], axis=1)
        apart = apart[apart > 0.0]
    if len(apart) == 0:
        return 1.0
    return float(NEIGHBOUR_DISTANCE * np.sqrt(2.0 * n_dims) / np.median(apart)) / largest


def check_sizes(table: Array) -> None:
    """Refuse values whose sums would overflow, before they become infinite or NaN.

    Examples
    --------
    >>> check_sizes(np.array([[1.0, -1.7e308]]))
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: X[0, 1] is -1.7e+308; values must be at most 1e+300 in size: ...
    """
    is_large = np.abs(table) > MAX_SIZE
    if is_large.any():
        row, column = np.argwhere(is_large)[0].tolist()
        raise InvalidInput(
            f"X[{row}, {column}] is {table[row, column]:g}; values must be at most {MAX_SIZE:g} in "
            "size: rescale the table"
        )
