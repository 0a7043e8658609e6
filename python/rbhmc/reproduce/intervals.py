"""Intervals of means and of their ratios, by the bootstrap over chains."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 4_000


class Interval(NamedTuple):
    """A figure with its 95 % interval.

    Examples
    --------
    >>> Interval(0.5, 0.25, 0.75).text("{:.0%}")
    '50% (25% to 75%)'
    """

    value: float
    low: float
    high: float

    def text(self, form: str) -> str:
        """Write the figure and its interval, each in the same form."""
        return f"{form.format(self.value)} ({form.format(self.low)} to {form.format(self.high)})"


def change(values: ArrayLike, against: ArrayLike) -> Interval:
    """Relative change of a mean: mean(values) / mean(against) - 1.

    Examples
    --------
    >>> change([2.0, 2.0], [4.0, 4.0]).value
    -0.5
    """
    means = [_means(of, number) for number, of in enumerate((values, against))]
    return _interval(means[0] / means[1] - 1.0)


def difference(values: ArrayLike, against: ArrayLike) -> Interval:
    """Mean of the differences of pairs: values[i] - against[i].

    Examples
    --------
    >>> difference([3.0, 4.0], [1.0, 2.0]).value
    2.0
    """
    return mean(np.asarray(values, float) - np.asarray(against, float))


def mean(values: ArrayLike) -> Interval:
    """Take the mean of values.

    Examples
    --------
    >>> mean([1.0, 3.0]).value
    2.0
    """
    return _interval(_means(values, 0))


def _means(values: ArrayLike, stream: int) -> NDArray[Any]:
    """Mean of the values first, then those of resamples."""
    array = np.asarray(values, float)
    picks = np.random.default_rng(stream).integers(len(array), size=(RESAMPLES, len(array)))
    return np.concatenate([[array.mean()], array[picks].mean(axis=1)])


def _interval(means: NDArray[Any]) -> Interval:
    low, high = np.quantile(means[1:], [0.025, 0.975])
    return Interval(float(means[0]), float(low), float(high))
