"""The data and the hyperparameters, with every covariance as a full matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Covariance:
    """A covariance matrix with its inverse and the logarithm of its determinant."""

    def __init__(self, value: ArrayLike, n_dims: int) -> None:
        array: Array = np.array(value, dtype=np.float64)
        if array.ndim == 0:
            array = np.diag(np.full(n_dims, array))
        elif array.ndim == 1:
            array = np.diag(array)
        if array.shape != (n_dims, n_dims):
            raise ValueError(f"a covariance of shape {array.shape} for {n_dims} dimensions")
        self.matrix: Array = array
        self.precision: Array = np.asarray(np.linalg.inv(array), np.float64)
        self.log_det = float(np.linalg.slogdet(array)[1])


def log_normal(x: Array, mean: Array, covariance: Covariance) -> float:
    """log N(x; mean, covariance)."""
    gap = x - mean
    square = float(gap @ covariance.precision @ gap)
    return -0.5 * (len(x) * math.log(2.0 * math.pi) + covariance.log_det + square)


@dataclass
class Model:
    """X and the hyperparameters. `X` may be replaced by another array of the same shape."""

    X: Array
    n_levels: int = 3
    alpha: float = 0.35
    gamma: float = 1.0
    gamma0: float = 0.85
    C: float = 1.0
    margin: float = 5.0
    eta_scale: float = 1.0
    intercept: float = 0.0  # κ; 0 for none
    noise_cov: ArrayLike = 1.0
    base_mean: ArrayLike = 0.0
    base_cov: ArrayLike = 1.0

    noise: Covariance = field(init=False)  # Σ
    base: Covariance = field(init=False)  # Σ_0
    marginal: Covariance = field(init=False)  # Σ_0 + Σ, of f*
    mu0: Array = field(init=False)  # μ_0

    def __post_init__(self) -> None:
        self.X = np.array(self.X, dtype=np.float64)
        if self.X.ndim != 2:
            raise ValueError("X must have one row per item")
        self.noise = Covariance(self.noise_cov, self.n_dims)
        self.base = Covariance(self.base_cov, self.n_dims)
        self.marginal = Covariance(self.noise.matrix + self.base.matrix, self.n_dims)
        self.mu0 = np.broadcast_to(np.asarray(self.base_mean, np.float64), (self.n_dims,)).copy()

    @property
    def n_items(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_dims(self) -> int:
        return int(self.X.shape[1])

    @property
    def n_eta_dims(self) -> int:
        return self.n_dims + (self.intercept > 0.0)

    def extended(self, n: int) -> Array:
        """x̃_n = (x_n, κ), which takes the place of x_n in margins; without intercept x_n."""
        return np.append(self.X[n], self.intercept) if self.intercept > 0.0 else self.X[n]

    def log_density(self, n: int, mean: Array) -> float:
        """log f(x_n; θ) = log N(x_n; θ, Σ)."""
        return log_normal(self.X[n], mean, self.noise)

    def log_new_density(self, n: int) -> float:
        """log f*(x_n) = log N(x_n; μ_0, Σ_0 + Σ)."""
        return log_normal(self.X[n], self.mu0, self.marginal)
