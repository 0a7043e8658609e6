"""R-hat and effective sample sizes of one figure, or in words why there are none."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from rbhmc._extras import require
from rbhmc.diagnostics.numbers import number, rhat_number, whole_number
from rbhmc.diagnostics.summaries import Summary

Floats = NDArray[np.float64]


# The figures of a row, as people read them.
HEAD = ("mean", "sd", "R-hat", "ESS bulk", "ESS tail")


class Row(NamedTuple):
    """One figure over all draws of all chains.

    Attributes
    ----------
    name : str
        What it is a figure of.
    level : int or None
        The level that it is about; None where it is about the whole tree.
    mean : float
    sd : float or None
        Standard deviation; None for a single draw.
    rhat : float or None
        Rank-normalised split R-hat; infinite where every chain stays at one value, but not all at
        the same; None where all draws are equal, or too few.
    ess_bulk, ess_tail : float or None
        Effective sample sizes, for means and for the 5% and 95% quantiles; None where every chain
        stays at one value, or draws are too few.
    words : str
        What is to be read in place of the figures; empty where they speak for themselves.
    """

    name: str
    level: int | None
    mean: float
    sd: float | None = None
    rhat: float | None = None
    ess_bulk: float | None = None
    ess_tail: float | None = None
    words: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """What stands below each word of `HEAD`."""
        return (
            number(self.mean),
            number(self.sd),
            rhat_number(self.rhat),
            whole_number(self.ess_bulk),
            whole_number(self.ess_tail),
        )


def fewest_draws(n_chains: int) -> int:
    """Draws of each chain below which there is no R-hat.

    Halves of chains are compared; those of a chain alone must be longer.

    Examples
    --------
    >>> fewest_draws(4), fewest_draws(1)
    (4, 8)
    """
    return 4 if n_chains > 1 else 8


def row_of(summary: Summary) -> Row:
    """Mean, standard deviation, R-hat and effective sample sizes of one figure.

    Examples
    --------
    >>> row_of(Summary("nodes, level 1", 1, np.full((4, 100), 3.0))).words
    'constant: 3'
    >>> row_of(Summary("nodes, level 1", 1, np.repeat([[3.0], [4.0]], 100, axis=1))).words
    'stuck: each chain at one value, from 3 to 4'
    """
    values = summary.values
    n_chains, n_draws = values.shape
    low, high = float(values.min()), float(values.max())
    row = Row(summary.name, summary.level, float(values.mean()))
    if values.size == 1:
        return row
    if low == high:
        # Of the mean and deviation of equal numbers, rounding may make others.
        return row._replace(mean=low, sd=0.0, words=f"constant: {low:g}")
    row = row._replace(sd=float(values.std(ddof=1)))
    if n_draws < fewest_draws(n_chains):
        return row
    if (np.ptp(values, axis=1) == 0).all():
        words = f"stuck: each chain at one value, from {low:g} to {high:g}"
        return row._replace(rhat=np.inf, words=words)
    ess = require("arviz_stats.base", "diagnostics").array_stats.ess
    return row._replace(
        rhat=_rhat(values),
        ess_bulk=float(ess(values, method="bulk")),
        ess_tail=float(ess(values, method="tail", prob=(0.05, 0.95))),
    )


def _rhat(values: Floats) -> float:
    rhat = require("arviz_stats.base", "diagnostics").array_stats.rhat
    # Half chains that stay at one value divide by 0, and are infinitely far apart.
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(values) > 1:
            value = float(rhat(values, method="rank"))
        else:
            half = values.shape[1] // 2
            halves = np.stack([values[0, :half], values[0, -half:]])
            folded = abs(halves - np.median(halves))
            # Folded, two values may become one, which has no R-hat: max then keeps its first.
            value = max(float(rhat(_normal(ary), method="identity")) for ary in (halves, folded))
    # Of an odd number of draws the middle one is in no half; where it alone differs, halves agree.
    return 1.0 if np.isnan(value) else value


def _normal(values: Floats) -> Floats:
    """Ranks as quantiles of the normal distribution, z = Φ⁻¹((rank - 3/8) / (n + 1/4))."""
    ranks = stats.rankdata(values, axis=None).reshape(values.shape)
    z: Floats = stats.norm.ppf((ranks - 3 / 8) / (values.size + 1 / 4))
    return z
