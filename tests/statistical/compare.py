"""Comparison of stationary averages: batch means, z-scores, and Bonferroni's critical value."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def batch_means(draws: ArrayLike, n_batches: int = 50) -> tuple[Array, Array]:
    """Return the mean over axis 0 and its standard error sd(batch means) / √n_batches.

    Valid if a batch is many autocorrelation times long. The first draws, which do not fill a batch,
    are left out.
    """
    values = np.asarray(draws, dtype=np.float64)
    length = len(values) // n_batches
    if length == 0:
        raise ValueError(f"{len(values)} draws do not fill {n_batches} batches")
    kept = values[len(values) - n_batches * length :]
    batches = kept.reshape(n_batches, length, *values.shape[1:]).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / math.sqrt(n_batches)
    return np.asarray(batches.mean(axis=0)), np.asarray(error)


def z_scores(mean_a: ArrayLike, se_a: ArrayLike, mean_b: ArrayLike, se_b: ArrayLike) -> Array:
    """Return (a − b) / √(se_a² + se_b²); for constants, 0 if equal and ±inf otherwise."""
    difference = np.asarray(mean_a, np.float64) - np.asarray(mean_b, np.float64)
    error = np.hypot(np.asarray(se_a, np.float64), np.asarray(se_b, np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = difference / error
    return np.where(difference == 0.0, 0.0, z)


def critical_value(level: float, n_comparisons: int) -> float:
    """Return the bound of n_comparisons |z|, which all hold with probability ≥ 1 − level."""
    return NormalDist().inv_cdf(1.0 - 0.5 * level / n_comparisons)
