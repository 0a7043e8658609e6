"""Separation of the groups of a table: the depth of the valley between them.

The items are projected on the first principal component, along which groups that are far apart
differ most, and f is the kernel density of the projections. The depth of its deepest valley is

    d = max over t of log min(max_{u ≤ t} f(u), max_{u ≥ t} f(u)) - log f(t),

with t such that √n of the n items at least lie on each side: 0 for one mode. Any method can cut a
cloud into groups, but only groups that lie apart leave a valley between them.

Few items leave valleys by chance. Then a density with one mode fits better than two Gaussian groups
do, because of the steep edges of a uniform cloud or the long tail of a skewed one. With the mean
log-likelihood ratio g of two groups and the better of such densities, the separation is

    max(0, d + 2 min(0, g)).
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Bandwidth in units of min(s, IQR / 1.34) / n^(1/5): somewhat more than Silverman's 0.9 (1986,
# equation 3.31), which is meant for densities with several modes.
BANDWIDTH = 1.2
IQR_OF_NORMAL = 1.34
N_GRID = 128
# Logarithms of densities are this far below the highest mode at most.
MAX_DEPTH = 10.0
# Steps of the EM algorithm for two Gaussian groups, from the best cut on.
N_STEPS = 3
# The variance of a group is at least this share of that of all items.
MIN_VARIANCE = 0.005
# Less skew than this share of the distance between the lowest and the highest tenth is none.
MIN_SKEW = 0.01


def least_size(n_items: int) -> int:
    """Return the least number of items in a group, and on each side of a valley.

    Fewer items of a heavy tail often lie apart. A share of the items in place of √n would miss
    small groups of large tables.

    Examples
    --------
    >>> least_size(33), least_size(300)
    (6, 18)
    """
    return int(np.ceil(np.sqrt(n_items)))


def separation(X: Array) -> float:
    """Return the separation of the groups of a table along its first principal component.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)

    Examples
    --------
    >>> cloud = np.random.default_rng(0).normal(size=(60, 2))
    >>> round(separation(cloud), 2)
    0.0
    >>> round(separation(np.append(cloud, cloud + [5.0, 0.0], axis=0)), 2)
    0.6
    """
    left, lengths, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    values = left[:, 0] * lengths[0]
    depth = valley_depth(values)
    return max(0.0, depth + 2.0 * min(0.0, two_group_gain(values))) if depth > 0.0 else 0.0


def valley_depth(values: Array) -> float:
    """Return the depth of the deepest valley in the kernel density of some values.

    The bandwidth is at least the median distance between neighbouring distinct
    values, so that values on a coarse grid have no valleys between the points of the grid.

    Examples
    --------
    >>> values = np.linspace(-1.0, 1.0, 50)
    >>> valley_depth(values)
    0.0
    >>> round(valley_depth(np.append(values - 2.0, values + 2.0)), 2)
    0.77
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


def two_group_gain(values: Array) -> float:
    """Return the mean log-likelihood ratio of two Gaussian groups and one group.

    The two groups have a common variance. Few steps of the EM algorithm start at the cut with the
    least variance on both sides, each with √n values or more. One group has a uniform density, or a
    log-normal one with a shift, whichever fits better.

    Examples
    --------
    >>> values = np.linspace(-1.0, 1.0, 50)
    >>> round(two_group_gain(values), 2), round(two_group_gain(np.exp(2.0 * values)), 2)
    (-0.08, -0.27)
    >>> round(two_group_gain(np.append(values**3 - 2.0, values**3 + 2.0)), 2)
    0.61
    """
    ordered = np.sort(values)
    n_items, least = len(ordered), least_size(len(ordered))
    spread = float(ordered.std())
    if spread == 0.0 or n_items < 2 * least:
        return 0.0
    ordered = (ordered - ordered.mean()) / spread
    n_left = np.arange(least, n_items - least + 1)
    # The variance between the sides of a cut, since all values sum to 0.
    between = np.cumsum(ordered)[n_left - 1] ** 2 / (n_left * (n_items - n_left))
    share = (np.arange(n_items) < n_left[between.argmax()]).astype(np.float64)
    for _ in range(N_STEPS):
        shares = np.stack([share, 1.0 - share])
        weights = shares.mean(axis=1, keepdims=True)
        means = (shares @ ordered)[:, None] / (n_items * weights)
        squares = (ordered - means) ** 2
        variance = max(float((shares * squares).sum()) / n_items, MIN_VARIANCE)
        logs = np.log(weights) - 0.5 * squares / variance
        log_density = np.logaddexp(*logs)
        share = np.exp(logs[0] - log_density)
    of_groups = float(log_density.mean()) - 0.5 * np.log(2.0 * np.pi * variance)
    # The unbiased estimate of the width of a uniform density.
    uniform = -float(np.log((ordered[-1] - ordered[0]) * (n_items + 1) / (n_items - 1)))
    return float(of_groups - max(uniform, _log_normal_likelihood(ordered)))


def _log_normal_likelihood(ordered: Array) -> float:
    """Return the mean log-likelihood of a log-normal density with a shift, for sorted values.

    The shift τ makes the logarithms of y - τ, or of τ - y, symmetric in tenths and median:
    (q₁ - τ)(q₉ - τ) = (q₅ - τ)². Without skew the density is Gaussian.
    """
    low, median, high = np.percentile(ordered, [10.0, 50.0, 90.0])
    skew = low + high - 2.0 * median
    if abs(skew) < MIN_SKEW * (high - low):
        return -0.5 * float(np.log(2.0 * np.pi * np.e * ordered.var()))
    shift = (low * high - median**2) / skew
    distances = ordered - shift if skew > 0.0 else shift - ordered
    # The density begins before the outermost value.
    distances += max(0.0, MIN_SKEW * (high - low) - float(distances.min()))
    logs = np.log(distances)
    return -0.5 * float(np.log(2.0 * np.pi * np.e * logs.var())) - float(logs.mean())
