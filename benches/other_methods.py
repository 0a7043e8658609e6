"""Linkages of other methods, as merges numbered as in SciPy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

Floats = NDArray[np.float64]


def ward(X: Floats) -> NDArray[Any]:
    """Return the merges of Ward's linkage."""
    return np.asarray(linkage(X, "ward")[:, :2])


def average(X: Floats) -> NDArray[Any]:
    """Return the merges of average linkage."""
    return np.asarray(linkage(X, "average")[:, :2])


def genie(X: Floats) -> NDArray[Any]:
    """Return the merges of genieclust with its default threshold."""
    # Imported here, so that the tests, which do not call this, run without the package.
    from genieclust import Genie

    if X.shape[1] == 1:  # genieclust refuses a single column
        X = np.column_stack([X, np.zeros(len(X))])
    merges: NDArray[Any] = Genie(n_clusters=1).fit(X).children_
    return merges
