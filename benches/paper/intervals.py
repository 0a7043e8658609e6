"""Bootstrap intervals over chains, of means and of their ratios."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

N_RESAMPLES = 4_000


class Interval(NamedTuple):
    """A value with its 95 % interval.

    Examples
    --------
    >>> Interval(0.5, 0.25, 0.75).text("{:.0%}")
    '50% (25% to 75%)'
    """

    value: float
    low: float
    high: float

    def text(self, form: str) -> str:
        """Format the value and the ends of its interval in the same way."""
        return f"{form.format(self.value)} ({form.format(self.low)} to {form.format(self.high)})"


def change(values: ArrayLike, against: ArrayLike) -> Interval:
    """Return the relative change of a mean: mean(values) / mean(against) - 1.

    Examples
    --------
    >>> change([2.0, 2.0], [4.0, 4.0]).value
    -0.5
    """
    means = [_means(of, number) for number, of in enumerate((values, against))]
    return _interval(_ratio(means[0], means[1]) - 1.0)


def contrast(high: Sequence[ArrayLike], low: Sequence[ArrayLike], against: ArrayLike) -> Interval:
    """Return the mean over groups of mean(high[i]) - mean(low[i]), as a share of mean(against).

    Examples
    --------
    >>> contrast([[3.0, 3.0], [5.0, 5.0]], [[2.0, 2.0], [2.0, 2.0]], [4.0, 4.0]).value
    0.5
    """
    streams = itertools.count()
    means = [[_means(of, next(streams)) for of in side] for side in (high, low, [against])]
    gaps: NDArray[Any] = np.mean(means[0], axis=0) - np.mean(means[1], axis=0)
    return _interval(_ratio(gaps, means[2][0]))


def difference(values: ArrayLike, against: ArrayLike) -> Interval:
    """Return the mean of the paired differences values[i] - against[i].

    Examples
    --------
    >>> difference([3.0, 4.0], [1.0, 2.0]).value
    2.0
    """
    return mean(np.asarray(values, float) - np.asarray(against, float))


def mean(values: ArrayLike) -> Interval:
    """Return the mean of values.

    Examples
    --------
    >>> mean([1.0, 3.0]).value
    2.0
    """
    return _interval(_means(values, 0))


def mean_between_chains(distances: ArrayLike) -> Interval:
    """Return the mean distance between two different chains.

    Parameters
    ----------
    distances : array of shape (n_chains, n_chains)

    Examples
    --------
    >>> mean_between_chains([[0.0, 2.0], [2.0, 0.0]]).value
    2.0
    """
    return _interval(_means_between(distances, 0))


def change_between_chains(distances: ArrayLike, against: ArrayLike) -> Interval:
    """Return the relative change of the mean distance between two different chains.

    Examples
    --------
    >>> change_between_chains([[0.0, 1.0], [1.0, 0.0]], [[0.0, 2.0], [2.0, 0.0]]).value
    -0.5
    """
    means = [_means_between(of, number) for number, of in enumerate((distances, against))]
    return _interval(_ratio(means[0], means[1]) - 1.0)


def _means_between(distances: ArrayLike, stream: int) -> NDArray[Any]:
    """Return the mean over pairs of chains, followed by the means of resamples of the chains."""
    array = np.asarray(distances, float)
    n_chains = len(array)
    rng = np.random.default_rng(stream)
    picks = [np.arange(n_chains), *rng.integers(n_chains, size=(N_RESAMPLES, n_chains))]
    # How often a resample contains each pair of chains; a chain is not compared with itself.
    times = np.array([np.bincount(pick, minlength=n_chains) for pick in picks])
    weights = np.einsum("si,sj->sij", times, times) * ~np.eye(n_chains, dtype=bool)
    totals = weights.sum(axis=(1, 2))
    # A resample that repeats one chain has no pair.
    sums: NDArray[Any] = np.einsum("sij,ij->s", weights, array)
    sums[totals == 0] = np.nan
    sums /= np.maximum(totals, 1)
    return sums


def _means(values: ArrayLike, stream: int) -> NDArray[Any]:
    """Return the mean of the values, followed by the means of resamples."""
    array = np.asarray(values, float)
    picks = np.random.default_rng(stream).integers(len(array), size=(N_RESAMPLES, len(array)))
    return np.concatenate([[array.mean()], array[picks].mean(axis=1)])


def _ratio(above: NDArray[Any], below: NDArray[Any]) -> NDArray[Any]:
    """Divide; a division by 0 gives NaN."""
    ratio = np.full(len(above), np.nan)
    np.divide(above, below, out=ratio, where=below != 0.0)
    return ratio


def _interval(means: NDArray[Any]) -> Interval:
    if np.isnan(means[1:]).all():
        return Interval(float(means[0]), np.nan, np.nan)
    low, high = np.nanquantile(means[1:], [0.025, 0.975])
    return Interval(float(means[0]), float(low), float(high))
