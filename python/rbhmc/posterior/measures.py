"""Measures of trees as posterior distributions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_table
from rbhmc._core import InvalidInput, tree_agreement, tree_distances
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.metrics.classes import check_classes
from rbhmc.posterior.distribution import Distribution


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
    """Measure every draw as `rbhmc.metrics` measures a tree.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws.
    X : array of shape (n_items, n_dims), optional
        The items, for ``"aid"`` and ``"aod"``, in which nodes of one item count 0.
    classes : array of shape (n_items,), optional
        The class of each item, for ``"f_measure"``, a column for each level, and ``"purity"``.

    Returns
    -------
    dict of str to Distribution
        What X and classes allow.

    Examples
    --------
    >>> draws = [[[0], [0], [1]], [[0], [0], [1]], [[0], [1], [1]], [[0], [0], [1]]]
    >>> found = measures(draws, classes=["ant", "ant", "bee"])
    >>> print(found["purity"])
    0.917 (0.692 to 1)
    """
    if X is None and classes is None:
        raise InvalidInput(
            "neither X nor classes is given; AID and AOD need X, F-measure and purity classes"
        )
    blocks = TreeBlocks(draws)
    shape = (blocks.n_chains, blocks.n_draws)
    found: dict[str, NDArray[np.float64]] = {}
    if X is not None:
        table = np.ascontiguousarray(check_table(X, blocks.n_items))
        found |= {"aid": np.empty(shape), "aod": np.empty(shape)}
    if classes is not None:
        known = check_classes(classes, blocks.n_items)
        found |= {"f_measure": np.empty((*shape, blocks.n_levels)), "purity": np.empty(shape)}
    for block in blocks.read():
        place = block.chain, block.draws
        if X is not None:
            found["aid"][place], found["aod"][place] = tree_distances(table, block.trees)
        if classes is not None:
            found["f_measure"][place], found["purity"][place] = tree_agreement(known, block.trees)
    return {name: Distribution(values) for name, values in found.items()}


def posterior_of(
    measure: Callable[[NDArray[np.int32]], Any], draws: Draws | ArrayLike, *, n_draws: int = 400
) -> Distribution:
    """Measure many draws by a function of one's own.

    Parameters
    ----------
    measure : callable
        Takes a tree, an array of integers of shape (n_items, n_levels), and gives a number, or an
        array that always has the same shape, such as a number for each level.
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        The draws.
    n_draws : int
        How many are measured at the most, evenly spaced; one of each chain at least.

    Examples
    --------
    >>> from rbhmc.metrics import is_singular
    >>> draws = [[[0], [0], [1]], [[0], [0], [0]], [[0], [1], [1]], [[0], [0], [0]]]
    >>> posterior_of(is_singular, draws).mean
    0.5
    """
    blocks = TreeBlocks(draws)
    values: list[list[Any]] = [[] for _ in range(blocks.n_chains)]
    for block in blocks.read(blocks.step(n_draws)):
        values[block.chain] += [measure(tree.T) for tree in block.trees]
    return Distribution(np.array(values, np.float64))
