"""From a user's table to what the sampler sees, and back: principal components and one scale."""

import numbers
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rbhmc._core import InvalidInput, project

Array = NDArray[np.float64]

# Chosen by F-measure and purity on Kemp and Tenenbaum's animals: see docs/quality.md.
NEARNESS = 0.415

# With scale="auto", prepared values are multiples of 1 / GRID. A table in other units differs in
# its last bits, which would lead chains apart after some sweeps; on the grid the two are one.
GRID = 2.0**30

# With "auto", tables of more columns than this are seen by the components that hold this share of
# their variance: 7 of Kemp and Tenenbaum's animals, as in the paper, and 9 of Fashion-MNIST (10).
MOST_COLUMNS = 20
SHARE = 0.7


class Preparation(TransformerMixin, BaseEstimator):
    """Centre, project on principal components, and multiply by one factor.

    The model takes an item's noise to have unit variance, and the default margin is meant for that
    scale. Two items with noise of standard deviation σ in D dimensions are about σ√(2D) apart.
    With ``scale="auto"`` the factor brings the typical distance between close items, the median
    distance of an item to its k-th neighbour with k = max(3, √n_items / 2), to NEARNESS · √(2D):
    unit noise is then somewhat wider than the tightest groups, which the tree may still tell
    apart. One factor for all columns: what is large stays large.

    Parameters
    ----------
    n_pca : "auto", int, float or None
        Dimensions kept: a number, the share of variance to keep (between 0 and 1), or None for all
        columns as they are. "auto" is None for up to 20 columns, and a share of 0.7 for more: in
        many dimensions all items are about equally far apart, and a sweep takes long.
    scale : "auto", float or False
        The factor; a number is used as it is. False leaves the data alone: no factor, and no
        centring either where `n_pca` is None.

    Attributes
    ----------
    factor_ : float
        What the data were multiplied by.
    centre_ : array of shape (n_features,)
        What was subtracted before.
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
        """Learn centre, components and factor."""
        table = validate_data(self, X, dtype=np.float64)
        n_items, n_dims = table.shape
        self._check_parameters(n_items, n_dims)
        self.pca_ = None
        components = self.n_pca
        if components == "auto":
            components = auto_components(table)
        if components is not None:
            # Here, as below: half of scikit-learn comes with it, and `import rbhmc` is to be quick.
            from sklearn.decomposition import PCA

            if isinstance(components, numbers.Integral):
                components = int(components)
            self.pca_ = PCA(n_components=components, svd_solver="full").fit(table)
            self.centre_ = self.pca_.mean_
        else:
            self.centre_ = np.zeros(n_dims) if self.scale is False else table.mean(axis=0)
        self.factor_ = 1.0
        if self.scale == "auto":
            self.factor_ = auto_factor(self._centred(table))
        elif self.scale is not False:
            self.factor_ = float(self.scale)
        return self

    def fit_transform(self, X: ArrayLike, y: object = None) -> Array:
        """Learn from a table, and prepare it."""
        table = validate_data(self.fit(X), X, dtype=np.float64, reset=False)
        return self._scaled(self._centred(table))

    def transform(self, X: ArrayLike) -> Array:
        """Prepare the same items, or new ones: each row is the same to the bit in any company."""
        check_is_fitted(self)
        table = validate_data(self, X, dtype=np.float64, reset=False)
        if self.pca_ is None:
            return self._scaled(table - self.centre_)
        return self._scaled(project(table, self.centre_, self.pca_.components_))

    def inverse_transform(self, prepared: ArrayLike) -> Array:
        """Take points of the prepared space back to the user's units."""
        check_is_fitted(self)
        unscaled = np.asarray(prepared, np.float64) / self.factor_
        if self.pca_ is None:
            return np.asarray(unscaled + self.centre_)
        return np.asarray(self.pca_.inverse_transform(unscaled))

    def _centred(self, X: Array) -> Array:
        return np.asarray(X - self.centre_ if self.pca_ is None else self.pca_.transform(X))

    def _scaled(self, centred: Array) -> Array:
        scaled = centred * self.factor_
        return np.asarray(np.rint(scaled * GRID) / GRID if self.scale == "auto" else scaled)

    def _check_parameters(self, n_items: int, n_dims: int) -> None:
        components, scale = self.n_pca, self.scale
        most = min(n_items, n_dims)
        if isinstance(components, numbers.Integral) and not isinstance(components, bool):
            is_right = 1 <= components <= most
        elif isinstance(components, numbers.Real):
            is_right = 0 < components < 1
        else:
            is_right = components is None or components == "auto"
        if not is_right:
            raise InvalidInput(
                f'n_pca is {components!r}; it must be "auto", None, a share of variance '
                f"between 0 and 1, or a whole number from 1 to {most} (the smaller side of X)"
            )
        positive = isinstance(scale, numbers.Real) and not isinstance(scale, bool) and scale > 0
        if not (scale is False or scale == "auto" or (positive and np.isfinite(float(scale)))):
            raise InvalidInput(f'scale is {scale!r}; it must be "auto", False, or a number above 0')

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether there is a factor yet."""
        return hasattr(self, "factor_")

    def describe(self) -> dict[str, Any]:
        """Say what was done, for the record."""
        check_is_fitted(self)
        return {
            "n_features": int(self.n_features_in_),
            "n_dims": int(self.n_features_in_ if self.pca_ is None else self.pca_.n_components_),
            "factor": self.factor_,
            "explained_variance_ratio": None
            if self.pca_ is None
            else float(self.pca_.explained_variance_ratio_.sum()),
        }


def auto_components(X: Array) -> float | None:
    """Say what share of variance is kept of a table; None for all, where there are few columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> auto_components(rng.normal(size=(50, 20))), auto_components(rng.normal(size=(50, 21)))
    (None, 0.7)
    """
    if X.shape[1] <= MOST_COLUMNS:
        return None
    # Of a table without variance, or with one that is no number, there is no share.
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float(X.var(axis=0).sum())
    return SHARE if 0.0 < variance < np.inf else None


def auto_factor(X: Array) -> float:
    """Find the factor that brings close items NEARNESS · √(2D) apart; 1 for identical items."""
    n_items, n_dims = X.shape
    # Squares of the entries must neither overflow nor vanish.
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
    return float(NEARNESS * np.sqrt(2.0 * n_dims) / np.median(apart)) / largest
