"""Settings of the tests of learned parameters, and the start of the noise by its definition."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

CONCENTRATIONS = ("alpha", "gamma", "gamma0")
ALL: dict[str, Any] = dict.fromkeys((*CONCENTRATIONS, "noise_cov", "base_cov"), "learn")
DIAGONAL: dict[str, Any] = ALL | {"noise_cov": "learn-diagonal", "base_cov": "learn-diagonal"}


def neighbour_variance(X: NDArray[np.float64]) -> float:
    """Return (median squared distance to the tenth neighbour)/(2D) of up to 200 distinct items."""
    rows = np.unique(X, axis=0)
    squares = np.sort(((rows[:, None] - rows[None]) ** 2).sum(axis=2), axis=1)
    tenth = np.sort(squares[:, min(10, len(rows) - 1)])
    middle = float(tenth[len(rows) // 2])
    return middle / (2 * int(X.shape[1]))


def noise_prior(X: NDArray[np.float64]) -> tuple[float, float]:
    """Return the scale and the floor of the prior of one noise variance, for distinct values."""
    variance = X.var(axis=0)
    steps = np.array([np.diff(np.unique(column)).min() for column in X.T])
    floor = np.maximum(steps**2 / 12, 1e-4 * variance)
    start = np.maximum(np.minimum(neighbour_variance(X), variance), floor)
    return float(start.mean()), float(floor.mean())
