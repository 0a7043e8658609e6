"""Separation of the groups of a dendrogram: how much better two groups fit than one.

Two sibling groups A and B define a line through their centroids. Their items are projected on it,
y_i = x_iᵀ(c_A - c_B), and two densities are fitted to the m values: two Gaussians with a common
variance, by the EM algorithm from A and B on, and one without groups. The separation is the largest
log-likelihood ratio of them over all siblings,

    log Π two(y_i) / one(y_i) - 4 log(n / m),

in a table of n items. The last term is for the choice of the items: there are about n / m sets of m
items to choose from, and small sets show two groups more easily. There are two separations. The
density without groups is the one that fits best of

    any      uniform between the lowest and the highest value, or a smooth one
    smooth   Gaussian, t with 4 degrees of freedom, or log-normal with a shift.
"""

from math import lgamma, log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list

Array = NDArray[np.float64]

CHOICE = 4.0  # nats for each factor of e between the items of a table and of two siblings
N_STEPS = 8  # of the EM algorithms
# The variance within groups is at least this share of that of all values.
MIN_VARIANCE = 0.005
DEGREES = 4.0
# The distances of the lowest value to the origin of a log-normal density, in standard deviations.
SHIFTS = (0.03, 0.1, 0.3, 1.0, 3.0)


class Projections(NamedTuple):
    """Values of siblings on the lines between their centroids; rows are filled up with zeros.

    Attributes
    ----------
    values : array of shape (n_pairs, n_items)
        With mean 0 and variance 1.
    is_value, is_first : array of shape (n_pairs, n_items)
        1 for values, and for those of the first sibling.
    """

    values: Array
    is_value: Array
    is_first: Array


def least_size(n_items: int) -> int:
    """Return the least number of items in a group.

    Fewer items of a heavy tail often lie apart. A share of the items in place of √n would miss the
    groups of a table with many groups.

    Examples
    --------
    >>> least_size(33), least_size(300)
    (6, 18)
    """
    return int(np.ceil(np.sqrt(n_items)))


def separation(X: Array, linkage: Array) -> Array:
    """Return how much better two groups fit than any density without groups, and a smooth one.

    Parameters
    ----------
    X : array of shape (n_items, n_dims)
    linkage : array of shape (n_items - 1, 4)
        The dendrogram, as SciPy's linkage matrix. Merges of two groups with √n_items items each
        are considered; if there are none, nothing is separated, and both numbers are -∞.

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> cloud = np.random.default_rng(0).normal(size=(60, 2))
    >>> separation(cloud, linkage(cloud, "ward")).round(1)
    array([1.7, 1.7])
    >>> groups = np.append(cloud, cloud + [5.0, 0.0], axis=0)
    >>> separation(groups, linkage(groups, "ward")).round(1)
    array([22. , 42.6])
    """
    found = project(X, linkage)
    if len(found.values) == 0:
        return np.full(2, -np.inf)
    choice = CHOICE * np.log(len(X) / found.is_value.sum(axis=1))
    # A line across the corners of a uniform cloud has smooth values.
    one = smooth(found)
    gains = two_groups(found) - np.stack([np.maximum(uniform(found), one), one]) - choice
    return np.asarray(gains.max(axis=1))


def project(X: Array, linkage: Array) -> Projections:
    """Project the items of siblings on the lines between their centroids."""
    n_items, smallest = len(X), least_size(len(X))
    children = linkage[:, :2].astype(np.intp)
    sizes = np.append(np.ones(n_items, np.intp), linkage[:, 3].astype(np.intp))
    # The items of a node follow each other in the order of the leaves.
    ordered = X[leaves_list(linkage)]
    starts = np.zeros(len(sizes), np.intp)
    pairs = []
    for node in np.flatnonzero(sizes >= 2 * smallest)[::-1].tolist():
        left, right = children[node - n_items]
        starts[left], starts[right] = starts[node], starts[node] + sizes[left]
        if min(sizes[left], sizes[right]) >= smallest:
            items = ordered[starts[node] : starts[node] + sizes[node]]
            line = items[: sizes[left]].mean(axis=0) - items[sizes[left] :].mean(axis=0)
            values = items @ line
            spread = values.std()
            if spread > 0.0:
                pairs.append(((values - values.mean()) / spread, sizes[left]))
    widest = max((len(values) for values, _ in pairs), default=0)
    values, is_value, is_first = np.zeros((3, len(pairs), widest))
    for at, (row, n_first) in enumerate(pairs):
        values[at, : len(row)], is_value[at, : len(row)] = row, 1.0
        is_first[at, :n_first] = 1.0
    return Projections(values, is_value, is_first)


def two_groups(found: Projections) -> Array:
    """Return the log-likelihoods of two Gaussian groups with a common variance."""
    values, is_value, share = found
    n_values = is_value.sum(axis=1)
    for _ in range(N_STEPS):
        # Groups do not vanish, and the mean of all values is 0.
        first = np.clip(share.sum(axis=1), 1e-3, n_values - 1e-3)
        second = n_values - first
        total = (share * values).sum(axis=1)
        means = np.stack([total / first, -total / second])
        between = (first * means[0] ** 2 + second * means[1] ** 2) / n_values
        variance = np.maximum(1.0 - between, MIN_VARIANCE)
        slope = (means[0] - means[1]) / variance
        offset = np.log(first / second) - 0.5 * (means[0] ** 2 - means[1] ** 2) / variance
        odds = np.clip(offset[:, None] + slope[:, None] * values, -500.0, 500.0)
        share = is_value / (1.0 + np.exp(-odds))
    logs = np.logaddexp(0.0, odds) - 0.5 * (values - means[1][:, None]) ** 2 / variance[:, None]
    constant = np.log(second / n_values) - 0.5 * np.log(2.0 * pi * variance)
    return np.asarray((is_value * logs).sum(axis=1) + n_values * constant)


def uniform(found: Projections) -> Array:
    """Return the log-likelihoods of uniform densities, with unbiased estimates of their widths."""
    n_values = found.is_value.sum(axis=1)
    width = np.ptp(found.values, axis=1) * (n_values + 1.0) / (n_values - 1.0)
    return np.asarray(-n_values * np.log(width))


def smooth(found: Projections) -> Array:
    """Return the log-likelihoods of the best of Gaussian, t and log-normal densities."""
    gaussian = -0.5 * log(2.0 * pi * np.e) * found.is_value.sum(axis=1)
    return np.asarray(np.maximum(np.maximum(gaussian, _t(found)), _log_normal(found)))


def _t(found: Projections) -> Array:
    values, is_value, _ = found
    n_values = is_value.sum(axis=1)
    mean, variance = np.zeros((len(values), 1)), np.full((len(values), 1), 0.5)
    for _ in range(N_STEPS):
        weights = is_value * (DEGREES + 1.0) / (DEGREES + (values - mean) ** 2 / variance)
        mean = ((weights * values).sum(axis=1) / weights.sum(axis=1))[:, None]
        squares = (weights * (values - mean) ** 2).sum(axis=1) / n_values
        variance = np.maximum(squares, MIN_VARIANCE)[:, None]
    logs = is_value * np.log1p((values - mean) ** 2 / (DEGREES * variance))
    constant = lgamma((DEGREES + 1.0) / 2.0) - lgamma(DEGREES / 2.0) - 0.5 * log(DEGREES * pi)
    likelihood = n_values * (constant - 0.5 * np.log(variance[:, 0]))
    return np.asarray(likelihood - (DEGREES + 1.0) / 2.0 * logs.sum(axis=1))


def _log_normal(found: Projections) -> Array:
    values, is_value, _ = found
    n_values = is_value.sum(axis=1)
    sign = np.where((values**3).sum(axis=1) < 0.0, -1.0, 1.0)
    turned = sign[:, None] * values
    # The zeros at the end of a row are neither its lowest nor its highest values.
    distances = turned - turned.min(axis=1, keepdims=True)
    best = np.full(len(values), -np.inf)
    for shift in SHIFTS:
        logs = is_value * np.log(distances + shift)
        mean = logs.sum(axis=1) / n_values
        variance = np.maximum((logs**2).sum(axis=1) / n_values - mean**2, MIN_VARIANCE**2)
        likelihood = -n_values * (mean + 0.5 * np.log(2.0 * pi * np.e * variance))
        best = np.maximum(best, likelihood)
    return best
