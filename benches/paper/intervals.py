"""Intervals over chains, by Student's t: of a mean, of a difference of means, and of a ratio."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


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

    @property
    def is_below(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.high < 0.0

    @property
    def is_above(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.low > 0.0

    def text(self, form: str) -> str:
        """Format the value and the ends of its interval in the same way."""
        return f"{form.format(self.value)} ({form.format(self.low)} to {form.format(self.high)})"


class _Term(NamedTuple):
    """The mean of some values, its squared standard error, and the degrees of freedom."""

    mean: float
    square: float
    freedom: int

    @classmethod
    def of(cls, values: ArrayLike) -> "_Term":
        array = np.asarray(values, float)
        square = float(array.var(ddof=1)) / len(array) if len(array) > 1 else math.nan
        return cls(float(array.mean()), square, len(array) - 1)


def mean(values: ArrayLike) -> Interval:
    """Return the mean of values; one value has an interval of NaN.

    Examples
    --------
    >>> mean([1.0, 2.0, 3.0]).text("{:.2f}")
    '2.00 (-0.48 to 4.48)'
    """
    term = _Term.of(values)
    return _interval(term.mean, [(term.square, term.freedom)])


def difference(values: ArrayLike, against: ArrayLike) -> Interval:
    """Return the difference of two means, by Welch's approximation.

    Examples
    --------
    >>> difference([3.0, 4.0], [1.0, 2.0, 3.0]).value
    1.5
    """
    one, other = _Term.of(values), _Term.of(against)
    parts = [(one.square, one.freedom), (other.square, other.freedom)]
    return _interval(one.mean - other.mean, parts)


def change(values: ArrayLike, against: ArrayLike) -> Interval:
    """Return the relative change of a mean, mean(values) / mean(against) - 1, by the delta method.

    Examples
    --------
    >>> change([1.9, 2.0, 2.1], [4.0, 4.0, 4.0]).value
    -0.5
    """
    one, other = _Term.of(values), _Term.of(against)
    ratio = one.mean / other.mean
    parts = [
        (one.square / other.mean**2, one.freedom),
        (other.square * (ratio / other.mean) ** 2, other.freedom),
    ]
    return _interval(ratio - 1.0, parts)


def _interval(value: float, parts: list[tuple[float, int]]) -> Interval:
    """Add the squared errors, with Welch's and Satterthwaite's degrees of freedom."""
    total = sum(square for square, _ in parts)
    if math.isnan(total):
        return Interval(value, math.nan, math.nan)
    below = sum(square**2 / freedom for square, freedom in parts)
    half = float(stats.t.ppf(0.975, total**2 / below)) * math.sqrt(total) if below else 0.0
    return Interval(value, value - half, value + half)
