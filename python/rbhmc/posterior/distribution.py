"""A figure of many draws."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput

Floats = NDArray[np.float64]
Number = float | Floats


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """A figure of many draws; `print` it to read its mean and 95 % interval.

    Attributes
    ----------
    values : array of shape (n_chains, n_draws) or (n_chains, n_draws, n_levels)
        The figure of each draw; NaN where it has none, such as AOD where no node has siblings.

    Examples
    --------
    >>> print(Distribution(np.array([[0.1, 0.2, 0.3], [0.2, 0.2, np.nan]])))
    0.2 (0.11 to 0.29)
    """

    values: Floats

    @property
    def mean(self) -> Number:
        """The mean over the draws of all chains that have the figure; NaN if none has."""
        return self._of_each(np.mean)

    def interval(self, probability: float = 0.95) -> tuple[Number, Number]:
        """Find what the middle share of the draws that have the figure lies between."""
        if not 0.0 < probability < 1.0:
            raise InvalidInput(f"probability is {probability}; it must be between 0 and 1")
        tail = (1.0 - probability) / 2.0
        low = self._of_each(lambda values: np.quantile(values, tail))
        return low, self._of_each(lambda values: np.quantile(values, 1.0 - tail))

    def _of_each(self, summary: Callable[[Floats], np.floating[Any]]) -> Number:
        n_chains, n_draws, *rest = self.values.shape
        columns = self.values.reshape(n_chains * n_draws, -1).T
        known = [column[~np.isnan(column)] for column in columns]
        found = [float(summary(each)) if len(each) else np.nan for each in known]
        return np.reshape(found, rest) if rest else found[0]

    def __str__(self) -> str:
        rows = zip(*map(np.atleast_1d, (self.mean, *self.interval())), strict=True)
        return "; ".join(f"{mean:.3g} ({low:.3g} to {high:.3g})" for mean, low, high in rows)

    def __repr__(self) -> str:
        return f"Distribution({self})"
