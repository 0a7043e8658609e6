"""Separation of the groups of a dendrogram: the deepest valley between two sibling groups.

Two sibling groups A and B define a line through their centroids. All items are projected on it,
y_i = x_iᵀ(c_A - c_B), and f is the kernel density of the y_i. The depth of its deepest valley is

    max over t of log min(max_{u ≤ t} f(u), max_{u ≥ t} f(u)) - log f(t),

with t such that √n of the n items at least lie on each side: 0 for one mode, also of a skewed or
heavy-tailed density. Any method can cut a cloud into groups, but only groups that lie apart leave a
valley between them.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Bandwidth in units of min(s, IQR / 1.34) / n^(1/5), by Silverman (1986), equation 3.31.
BANDWIDTH = 0.9
IQR_OF_NORMAL = 1.34
N_GRID = 128
# Logarithms of densities are this far below the highest mode at most.
MAX_DEPTH = 10.0


def least_size(n_items: int) -> int:
    """Return the least number of items in a group, and on each side of a valley.

    Fewer items of a heavy tail often lie apart. A share of the items in place of √n would miss the
    groups of a table with many groups.

    Examples
    --------
    >>> least_size(33), least_size(300)
    (6, 18)
    """
    return int(np.ceil(np.sqrt(n_items)))


def separation(X: Array, linkage: Array) -> float:
    """Return the depth of the deepest valley between any two sibling groups of a dendrogram.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
    linkage : array of shape (n_items - 1, 4)
        The dendrogram, as SciPy's linkage matrix. Merges of two groups with √n_items items each
        are considered; if there are none, the separation is 0.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> rng = np.random.default_rng(0)
    >>> cloud = rng.normal(size=(60, 2))
    >>> round(separation(cloud, linkage(cloud, "ward")), 2)
    0.0
    >>> groups = np.append(cloud, cloud + [5.0, 0.0], axis=0)
    >>> round(separation(groups, linkage(groups, "ward")), 2)
    1.1
    """
    smallest = least_size(len(X))
    groups = [[item] for item in range(len(X))]
    deepest = 0.0
    for left, right in linkage[:, :2].astype(np.intp).tolist():
        first, second = groups[left], groups[right]
        groups.append(first + second)
        if min(len(first), len(second)) >= smallest:
            line = X[first].mean(axis=0) - X[second].mean(axis=0)
            deepest = max(deepest, valley_depth(X @ line))
    return deepest


def valley_depth(values: Array) -> float:
    """Return the depth of the deepest valley in the kernel density of some values.

    The bandwidth is Silverman's, and at least the median distance between neighbouring distinct
    values, so that values on a coarse grid have no valleys between the points of the grid.

    Examples
    --------
    >>> values = np.linspace(-1.0, 1.0, 50)
    >>> valley_depth(values)
    0.0
    >>> round(valley_depth(np.append(values - 2.0, values + 2.0)), 2)
    1.47
    """
    ordered = np.sort(values)
    n_items = len(ordered)
    gaps = np.diff(ordered)
    if not (gaps > 0.0).any():
        return 0.0
    spread = float(ordered.std())
    quartiles = np.subtract(*np.percentile(ordered, [75.0, 25.0])) / IQR_OF_NORMAL
    if quartiles > 0.0:
        spread = min(spread, float(quartiles))
    bandwidth = max(BANDWIDTH * spread * n_items**-0.2, float(np.median(gaps[gaps > 0.0])))
    # Modes may lie outside the range of valleys, but the outermost items of each tail make none.
    least = least_size(n_items)
    tail = least // 2
    grid = np.linspace(ordered[tail] - bandwidth, ordered[-1 - tail] + bandwidth, N_GRID)
    density = np.exp(-0.5 * ((grid[:, None] - ordered) / bandwidth) ** 2).sum(axis=1)
    log_density = np.log(np.maximum(density, density.max() * np.exp(-MAX_DEPTH)))
    left = np.maximum.accumulate(log_density)
    right = np.maximum.accumulate(log_density[::-1])[::-1]
    below = np.searchsorted(ordered, grid)
    is_inside = (below >= least) & (below <= n_items - least)
    return float(np.max((np.minimum(left, right) - log_density)[is_inside], initial=0.0))
