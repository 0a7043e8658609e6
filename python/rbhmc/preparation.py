"""Preparation of a table for the sampler and back: encoding, units, principal components, scale."""

import numbers
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rbhmc._core import InvalidInput, project
from rbhmc.columns import (
    array_encoding,
    as_numbers,
    check_columns,
    check_is_table,
    describe_gaps,
    format_columns,
    holds_objects,
    is_frame,
    judge_units,
    learn_encoding,
    learn_imputer,
    raw_columns,
    with_input_tags,
)
from rbhmc.projection import GRID, auto_factor, auto_n_pca, fit_components, sort_columns

Array = NDArray[np.float64]
Standardize = Literal["auto", "on", "off"]

# Rows of the table that are kept, so that gaps of new items can be filled.
MAX_KEPT_ROWS = 1_000

# Settings of `Sampler` that may have one number for each column, or for each pair of columns.
COLUMN_SETTINGS = ("noise_cov", "base_mean", "base_cov")

# The sums of larger values would overflow.
MAX_SIZE = 1e300


class Preparation(TransformerMixin, BaseEstimator):
    """Encode, give columns equal weights, project on principal components, multiply by one factor.

    Data frames and arrays of texts are encoded first, see `rbhmc.columns`: numbers stay, a category
    becomes an indicator for each of its values, and gaps are filled. With ``standardize`` all
    columns are then standardised as in the factor analysis of mixed data.

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
    standardize : {"auto", "on", "off"}
        Whether to standardise the columns. "auto" is "on" if there are categories or dates, or if
        columns in another unit than most would hold more than half of the variance; see
        docs/tables.md.
    missing : {"impute", "error"}
        Whether gaps are filled or refused.

    Attributes
    ----------
    encoding_ : Encoding
        The kind, role and treatment of each column.
    item_names_ : tuple of str, or None
        The names of the items, if the table has them.
    imputer_ : Imputer or None
        What fills the gaps; None if there were none.
    weights_ : array of shape (n_encoded,), or None
        The factor of each encoded column; None if columns are not standardised.
    units_ : str
        What was done with the units of the columns, and why.
    factor_ : float
        The factor that multiplies the centred and projected table.
    centre_ : array of shape (n_encoded,)
        The point that is subtracted first.
    order_ : array of shape (n_encoded,)
        The encoded columns in the order in which they are prepared. `centre_` and `pca_` have
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
        standardize: Standardize = "auto",
        missing: Literal["impute", "error"] = "impute",
    ) -> None:
        self.n_pca = n_pca
        self.scale = scale
        self.standardize = standardize
        self.missing = missing

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Learn the encoding, the weights, the centre, the components and the factor."""
        return self.learn(self.learn_encoding(X))

    def learn(self, encoded: Array) -> Self:
        """Learn all but the encoding from encoded items."""
        check_sizes(encoded)
        n_items, n_dims = encoded.shape
        self._check_parameters(n_items, n_dims)
        has_gaps = self._check_gaps(encoded)
        standardize, why = self.standardize == "on", "as asked"
        if self.standardize == "auto":
            standardize, why = judge_units(self.encoding_, encoded)
        self.units_ = f"columns are {'' if standardize else 'not '}standardised: {why}"
        self.weights_ = self.encoding_.weights(encoded) if standardize else None
        self.imputer_ = learn_imputer(self.encoding_, encoded) if has_gaps else None
        # One draw: expected values would make the columns with gaps too narrow.
        table = self._weigh(self.fill(encoded, seed=0))
        rows = np.arange(n_items)
        if n_items > MAX_KEPT_ROWS:
            rows = np.sort(np.random.default_rng(0).choice(n_items, MAX_KEPT_ROWS, replace=False))
        self._kept_rows = encoded[rows]
        self.order_ = sort_columns(table) if self.scale == "auto" else np.arange(n_dims)
        table = self._arrange(table)
        self.pca_ = None
        n_pca = self.n_pca
        if n_pca == "auto":
            n_pca = auto_n_pca(table, has_categories=self.encoding_.has_categories)
        if n_pca is not None:
            self.pca_ = fit_components(table, n_pca)
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
        """Prepare items, each of which does not depend on the others, to the bit.

        Gaps get expected values.
        """
        check_is_fitted(self)
        check_columns(self, X)
        return self.prepare(self.fill(self.encode(X)))

    def encode(self, X: ArrayLike) -> Array:
        """Return items in the units of the table, with indicators of categories; gaps are NaN."""
        if self.encoding_.is_array:
            return as_numbers(X)
        return self.encoding_.encode(raw_columns(X))

    def fill(self, encoded: Array, seed: int | None = None) -> Array:
        """Fill the gaps of encoded items with expected values, or with a draw of a seed."""
        if not self._check_gaps(encoded):
            return encoded
        imputer = self.imputer_ or learn_imputer(self.encoding_, self._kept_rows)
        return imputer.expected(encoded) if seed is None else imputer.draw(encoded, seed)

    def prepare(self, encoded: Array) -> Array:
        """Prepare encoded items without gaps."""
        check_is_fitted(self)
        check_sizes(encoded)
        scaled = self._project(self._arrange(self._weigh(encoded))) * self.factor_
        return np.asarray(np.rint(scaled * GRID) / GRID if self.scale == "auto" else scaled)

    def inverse_transform(self, prepared: ArrayLike) -> Array:
        """Transform prepared points back to the units of the table, with indicators."""
        check_is_fitted(self)
        points, n_dims = np.asarray(prepared, np.float64), self.describe()["n_dims"]
        if points.ndim != 2 or points.shape[1] != n_dims:
            raise InvalidInput(f"prepared has shape {points.shape}; it must be (n_items, {n_dims})")
        unscaled = points / self.factor_
        if self.pca_ is None:
            arranged = unscaled + self.centre_
        else:
            arranged = self.pca_.inverse_transform(unscaled)
        encoded = np.asarray(arranged[:, np.argsort(self.order_)])
        return encoded if self.weights_ is None else encoded / self.weights_

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the prepared columns.

        Examples
        --------
        >>> Preparation().fit([[0.0, 0.0], [1.0, 9.0]]).get_feature_names_out().tolist()
        ['x1', 'x0']
        """
        check_is_fitted(self)
        if self.pca_ is not None:
            names = [f"component{at}" for at in range(self.pca_.n_components_)]
        else:
            known = self.feature_names or [f"x{at}" for at in range(len(self.order_))]
            names = [known[at] for at in self.order_]
        return np.array(names, object)

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the encoded columns; None for an array of numbers."""
        return None if self.encoding_.is_array else self.encoding_.feature_names

    def learn_encoding(self, X: ArrayLike) -> Array:
        """Learn how the columns of X are encoded, and return the encoded table."""
        encoded = self._encode_first(X)
        validate_data(self, X, skip_check_array=True)
        return encoded

    def _encode_first(self, X: ArrayLike) -> Array:
        check_is_table(X)
        if not is_frame(X) and not holds_objects(X):
            table = as_numbers(X)
            # Empty columns are left out, as those of a data frame.
            if not np.isnan(table).all(axis=0).any():
                self.encoding_, self.item_names_ = array_encoding(table), None
                return table
            X = table
        self.encoding_, raws, self.item_names_ = learn_encoding(X)
        return self.encoding_.encode(raws)

    def _check_gaps(self, encoded: Array) -> bool:
        """Return whether there are gaps; refuse them if `missing` says so."""
        has_gaps = bool(np.isnan(encoded).any())
        if has_gaps and self.missing == "error":
            raise InvalidInput(describe_gaps(self.encoding_, encoded))
        return has_gaps

    def _weigh(self, table: Array) -> Array:
        return table if self.weights_ is None else table * self.weights_

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
        return np.take(table, self.order_, axis=1)

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
        if self.standardize not in get_args(Standardize):
            raise InvalidInput(
                f'standardize is {self.standardize!r}; it must be "auto", "on" or "off"'
            )
        if self.missing not in ("impute", "error"):
            raise InvalidInput(f'missing is {self.missing!r}; it must be "impute" or "error"')

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether `fit` has learned the factor."""
        return hasattr(self, "factor_")

    def describe(self) -> dict[str, Any]:
        """Return the numbers of features, encoded columns and dimensions, factor and variance."""
        check_is_fitted(self)
        n_encoded, share = len(self.order_), None
        n_dims = n_encoded
        if self.pca_ is not None:
            n_dims = int(self.pca_.n_components_)
            share = float(self.pca_.explained_variance_ratio_.sum())
            share = 1.0 if np.isnan(share) else share
        return {
            "n_features": len(self.encoding_.features),
            "n_encoded": n_encoded,
            "n_dims": n_dims,
            "factor": self.factor_,
            "explained_variance_ratio": share,
            "units": self.units_,
        }

    def describe_columns(self) -> str:
        """List every column of the table: its role, kind, gaps and treatment.

        Examples
        --------
        >>> table = np.array([["a", 1.5], ["b", 2.5], ["a", 2.0]], object)
        >>> print(Preparation().fit(table).describe_columns())
        column  role     kind      gaps  treatment
        x0      feature  category        a, b
        x1      feature  number
        """
        check_is_fitted(self)
        return format_columns(self.encoding_.columns)

    def __sklearn_tags__(self) -> Any:
        """Say that tables may have gaps, texts and categories."""
        return with_input_tags(super().__sklearn_tags__())


def _side(setting: Any) -> int | None:
    """Return the length of a vector or the side of a square matrix; None for anything else."""
    try:
        lengths = set(np.shape(setting))
    except ValueError:
        return None  # a ragged list, which the sampler refuses
    return lengths.pop() if len(lengths) == 1 else None


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
