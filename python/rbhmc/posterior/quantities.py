"""Posterior distributions of numbers: learned parameters, and measures of the draws' trees."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_table
from rbhmc._core import InvalidInput, aid_aod, class_agreement
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.metrics.classes import check_classes

Floats = NDArray[np.float64]
Number = float | Floats


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """The values of a quantity over the draws; `print` it to read its mean and 95 % interval.

    Attributes
    ----------
    values : array of shape (n_chains, n_draws) or (n_chains, n_draws, n_levels)
        The value of each draw; NaN if it is undefined, such as AOD if no node has siblings.

    Examples
    --------
    >>> print(Distribution(np.array([[0.1, 0.2, 0.3], [0.2, 0.2, np.nan]])))
    0.2 (0.11 to 0.29)
    """

    values: Floats

    @property
    def mean(self) -> Number:
        """The mean over all defined values; NaN if there are none."""
        return self._reduce(np.mean)

    def interval(self, probability: float = 0.95) -> tuple[Number, Number]:
        """Return the central interval that contains a given share of the defined values."""
        if not 0.0 < probability < 1.0:
            raise InvalidInput(f"probability is {probability}; it must be between 0 and 1")
        tail = (1.0 - probability) / 2.0
        low = self._reduce(lambda values: np.quantile(values, tail))
        return low, self._reduce(lambda values: np.quantile(values, 1.0 - tail))

    def _reduce(self, statistic: Callable[[Floats], np.floating[Any]]) -> Number:
        n_chains, n_draws, *rest = self.values.shape
        columns = self.values.reshape(n_chains * n_draws, -1).T
        defined = [column[~np.isnan(column)] for column in columns]
        results = [float(statistic(each)) if len(each) else np.nan for each in defined]
        return np.reshape(results, rest) if rest else results[0]

    def __str__(self) -> str:
        rows = zip(*map(np.atleast_1d, (self.mean, *self.interval())), strict=True)
        return "; ".join(f"{mean:.3g} ({low:.3g} to {high:.3g})" for mean, low, high in rows)

    def __repr__(self) -> str:
        return f"Distribution({self})"


def learned(draws: Draws) -> dict[str, Distribution]:
    """Return the posterior distribution of each parameter that the chains learned.

    Examples
    --------
    >>> import rbhmc
    >>> chain = rbhmc.Sampler([[0.0], [0.2], [9.0]], alpha="learn").run(50)
    >>> list(learned(rbhmc.Draws.of_chains([chain], ["one", "two", "six"])))
    ['alpha']
    """
    return {name: Distribution(values) for name, values in draws.learned.items()}


def measures(
    draws: Draws | ArrayLike, *, X: ArrayLike | None = None, classes: ArrayLike | None = None
) -> dict[str, Distribution]:
    """Measure every draw with the functions of `rbhmc.metrics`.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws.
    X : array of shape (n_items, n_features), optional
        The items, for ``"aid"`` and ``"aod"``; nodes of one item have an inner distance of 0.
    classes : array of shape (n_items,), optional
        The class of each item, for ``"f_measure"`` (one column for each level) and ``"purity"``.

    Returns
    -------
    dict of str to Distribution
        The measures that X and classes allow.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [0], [1]], [[0], [1], [1]], [[0], [0], [1]]]
    >>> print(measures(draws, classes=["ant", "ant", "bee"])["purity"])
    0.917 (0.692 to 1)
    """
    if X is None and classes is None:
        raise InvalidInput(
            "neither X nor classes is given; AID and AOD need X, F-measure and purity need classes"
        )
    blocks = TreeBlocks(draws)
    shape = (blocks.n_chains, blocks.n_draws)
    values: dict[str, Floats] = {}
    if X is not None:
        table = np.ascontiguousarray(check_table(X, blocks.n_items))
        values |= {"aid": np.empty(shape), "aod": np.empty(shape)}
    if classes is not None:
        known = check_classes(classes, blocks.n_items)
        values |= {"f_measure": np.empty((*shape, blocks.n_levels)), "purity": np.empty(shape)}
    for block in blocks.read():
        at = block.chain, block.draws
        if X is not None:
            values["aid"][at], values["aod"][at] = aid_aod(table, block.trees)
        if classes is not None:
            values["f_measure"][at], values["purity"][at] = class_agreement(known, block.trees)
    return {name: Distribution(each) for name, each in values.items()}
