"""Values for gaps: expected ones, or draws from their distribution given the other values."""

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.columns.encoding import Encoding

Floats = NDArray[np.float64]

# Rounds of the chained equations, and how many columns predict one.
N_ROUNDS = 5
MAX_PREDICTORS = 10
# The most similar items whose category a gap may take.
N_DONORS = 5
# Items among which donors are sought.
MAX_DONORS = 5_000


class Imputer:
    """Draws for the gaps of an encoded table.

    Numbers are drawn by chained equations: the posterior predictive distribution of a Bayesian
    ridge regression on other columns (scikit-learn's IterativeImputer), within the range that was
    seen. A category is that of one of the five most similar items that have one.

    Parameters
    ----------
    encoded : array of shape (n_items, n_encoded)
        The table that the imputer learns from; NaN where there are gaps.
    groups : list of slice
        The encoded columns that take the values of a donor together.
    weights : array of shape (n_encoded,)
        The factors that standardise the columns.

    Examples
    --------
    >>> x = np.arange(40.0)
    >>> table = np.column_stack([x, 2.0 * x])
    >>> table[7, 1] = np.nan
    >>> imputer = Imputer(table, [], np.ones(2), seed=0)
    >>> round(imputer.expected(table)[7, 1])
    14
    >>> bool(imputer.draw(table, 1)[7, 1] == imputer.draw(table, 2)[7, 1])
    False
    """

    def __init__(self, encoded: Floats, groups: list[slice], weights: Floats, seed: int) -> None:
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        table = encoded * weights
        low, high = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
        # The limits of a truncated normal distribution must differ.
        flat = high <= low
        self._groups, self._weights = groups, weights
        self._chained: Any = IterativeImputer(
            sample_posterior=True,
            max_iter=N_ROUNDS,
            n_nearest_features=MAX_PREDICTORS if table.shape[1] > MAX_PREDICTORS else None,
            min_value=np.where(flat, -np.inf, low),
            max_value=np.where(flat, np.inf, high),
            skip_complete=False,
            random_state=seed % 2**32,
        ).fit(table)
        rows = np.arange(len(table))
        if len(rows) > MAX_DONORS:
            rows = np.random.default_rng(seed).choice(rows, MAX_DONORS, replace=False)
        self._donors = encoded[rows]
        # Donors are compared by complete rows.
        self._donor_rows = self._chain(table[rows], None)

    def expected(self, encoded: Floats) -> Floats:
        """Fill gaps with expected values, and categories with the shares of the donors."""
        return self._fill(encoded, None)

    def draw(self, encoded: Floats, seed: int) -> Floats:
        """Fill gaps with a draw."""
        return self._fill(encoded, seed)

    def _fill(self, encoded: Floats, seed: int | None) -> Floats:
        is_gap = np.isnan(encoded)
        if not is_gap.any():
            return encoded
        table = self._chain(encoded * self._weights, seed)
        filled = np.where(is_gap, table / self._weights, encoded)
        rng = None if seed is None else np.random.default_rng(seed)
        for group in self._groups:
            rows = np.flatnonzero(is_gap[:, group].any(axis=1))
            if len(rows):
                filled[rows, group] = self._donate(table[rows], group, rng)
        return filled

    def _chain(self, table: Floats, seed: int | None) -> Floats:
        chained = copy.copy(self._chained)
        chained.sample_posterior = seed is not None
        chained.random_state_ = np.random.RandomState(None if seed is None else seed % 2**32)
        return np.asarray(chained.transform(table))

    def _donate(self, rows: Floats, group: slice, rng: np.random.Generator | None) -> Floats:
        """Return the values of donors that are similar in the other columns, or their means."""
        from sklearn.neighbors import NearestNeighbors

        complete = ~np.isnan(self._donors[:, group]).any(axis=1)
        others = np.ones(rows.shape[1], bool)
        others[group] = False
        values = self._donors[complete][:, group]
        k = min(N_DONORS, len(values))
        if not others.any():
            nearest = np.broadcast_to(np.arange(len(values)), (len(rows), len(values)))
        else:
            search = NearestNeighbors(n_neighbors=k).fit(self._donor_rows[complete][:, others])
            nearest = search.kneighbors(rows[:, others], return_distance=False)
        if rng is None:
            return np.asarray(values[nearest].mean(axis=1))
        chosen = rng.integers(nearest.shape[1], size=len(rows))
        return np.asarray(values[nearest[np.arange(len(rows)), chosen]])


def learn_imputer(encoding: Encoding, encoded: Floats, seed: int = 0) -> Imputer:
    """Learn how to fill the gaps of an encoded table."""
    groups = [
        block
        for column, block in zip(encoding.features, encoding.blocks, strict=True)
        if column.is_discrete
    ]
    return Imputer(encoded, groups, encoding.weights(encoded), seed)
