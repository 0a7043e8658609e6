"""Time `RBHMC().fit` against 1,000 bootstrap Ward linkages, and against one, in the same run.

A bootstrap of linkages is the usual way to say how stable the nodes of a dendrogram are: the items
are resampled with replacement and linked again. With many items only some linkages are timed, and
their mean is multiplied; the table says how many. Items are images of Fashion-MNIST on 10 principal
components, so the time of the projection counts for neither; up to 1,797 items they are digits,
and 33 are the animals, as they are given to `RBHMC`, with Ward's linkage on the prepared table.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import fastcluster
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA

import rbhmc
from paper.fashion_mnist import fetch_fashion_mnist
from paper.tables import fetch_or_skip
from rbhmc.datasets import load_animals

Floats = NDArray[np.float64]

N_BOOTSTRAPS = 1_000
# Above this number of items only some linkages are timed.
MAX_ITEMS_IN_FULL = 1_797
N_TIMED = 3
# Fashion-MNIST is projected on so many components.
N_PCA = 10


def read_tables(largest: bool) -> Iterator[tuple[str, Floats]]:
    """Yield tables of growing size."""
    yield "animals", load_animals().data
    yield "iris", load_iris().data
    digits = load_digits().data
    rng = np.random.default_rng(0)
    for n_items in (500, 1_000):
        yield "digits", digits[rng.permutation(len(digits))[:n_items]]
    yield "digits", digits
    images = fetch_or_skip("Fashion-MNIST", lambda: fetch_fashion_mnist(subset="all"))
    if images is None:
        return
    X = PCA(N_PCA, svd_solver="full").fit_transform(images.data / 255.0)
    yield "Fashion-MNIST", X[rng.permutation(len(X))[:10_000]]
    if largest:
        yield "Fashion-MNIST", X


def time_call(call: Callable[[], Any]) -> float:
    """Return the seconds of a call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def time_bootstrap(X: Floats, n_timed: int) -> float:
    """Return the seconds of `N_BOOTSTRAPS` Ward linkages of resampled items, from `n_timed`."""
    rng = np.random.default_rng(0)

    def link_resampled() -> None:
        for _ in range(n_timed):
            fastcluster.linkage_vector(X[rng.integers(len(X), size=len(X))], "ward")

    return time_call(link_resampled) * N_BOOTSTRAPS / n_timed
