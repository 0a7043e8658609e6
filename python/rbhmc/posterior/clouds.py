"""Tables without groups that are otherwise like a table.

Clouds have the mean m, the principal axes V and the variances s² of the table, x = m + V diag(s) z,
with independent coordinates:

    uniform  z_d from U(-√3, √3)
    skewed   z_d log-normal with a shift, with the skewness of the table along the axis; Gaussian if
             that is 0.

Pairings have the values of each column of the table, paired anew in the order of an elliptical
cloud, x = V diag(s) r e, with random directions e and the norms r of random items after whitening:
that of the table, or that of its normal scores.

In clouds, too, a column of few values has the values of the table, in the order of the cloud. The
values of a category have no order: its column is permuted in all tables.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from rbhmc.preparation import Preparation

Array = NDArray[np.float64]
Generator = np.random.Generator

# A column with at most so many values has gaps between them that are not those between groups.
FEW_VALUES = 7
# Components of more columns are sums of so many that the values of each do not matter.
MAX_COLUMNS = 20
# Standard deviations of the logarithms, and the skewness of log-normal variables with them.
_WIDTHS = np.linspace(0.0, 1.5, 301)
_POWERS = np.exp(_WIDTHS**2)
_SKEWNESS = (_POWERS + 2.0) * np.sqrt(_POWERS - 1.0)


class Columns(NamedTuple):
    """The columns that a prepared table is made of.

    Attributes
    ----------
    values : array of shape (n_items, n_columns)
    categories : list of slice
        The indicators of each category.
    prepare : callable
        Makes a prepared table of such columns.
    """

    values: Array
    categories: list[slice]
    prepare: Callable[[Array], Array]


def find_columns(preparation: Preparation, encoded: Array) -> Columns | None:
    """Return the columns of an encoded table if they are few, and projected; otherwise None."""
    if preparation.pca_ is None or len(preparation.encoding_.features) > MAX_COLUMNS:
        return None
    weighted = encoded if preparation.weights_ is None else encoded * preparation.weights_
    n_dims = int(preparation.pca_.n_components_)

    def prepare(columns: Array) -> Array:
        # Each cloud has its own components, as the table has. Its scale does not matter.
        left, lengths, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
        return np.asarray(left[:, :n_dims] * lengths[:n_dims])

    blocks = preparation.encoding_.blocks
    return Columns(weighted, [block for block in blocks if block.stop - block.start > 1], prepare)


def draw_clouds(
    table: Array, categories: list[slice], rng: Generator, n_clouds: int, *, skewed: bool
) -> Array:
    """Draw uniform or skewed clouds with the mean and the covariance of a table.

    Returns
    -------
    array of shape (n_clouds, n_items, n_columns)

    Examples
    --------
    >>> table = np.stack([np.arange(9.0), np.arange(9.0) > 4], axis=1)
    >>> clouds = draw_clouds(table, [], np.random.default_rng(0), 3, skewed=False)
    >>> clouds.shape, np.sort(clouds[0, :, 1]).tolist()
    ((3, 9, 2), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    """
    clouds, ordered = _permute_categories(table, categories, rng, n_clouds)
    values = table[:, ordered]
    scores, lengths, axes = _principal_axes(values)
    shape = (n_clouds, *scores.shape)
    if skewed:
        steps = _log_normal(np.mean(scores**3, axis=0), rng.normal(size=shape))
    else:
        steps = np.sqrt(3.0) * rng.uniform(-1.0, 1.0, size=shape)
    clouds[:, :, ordered] = values.mean(axis=0) + (steps * lengths) @ axes
    few = [at for at in ordered if len(np.unique(table[:, at])) <= FEW_VALUES]
    clouds[:, :, few] = _match_values(clouds[:, :, few], table[:, few])
    return clouds


def draw_pairings(
    table: Array, categories: list[slice], rng: Generator, n_pairings: int, *, by_scores: bool
) -> Array:
    """Pair the values of the columns anew, as an elliptical cloud does; permute categories.

    The cloud is that of the values or of their normal scores. Items that are extreme in all columns
    need the first, and independent skewed columns the second.

    Returns
    -------
    array of shape (n_pairings, n_items, n_columns)

    Examples
    --------
    >>> table = np.stack([np.arange(9.0), np.arange(9.0) ** 3], axis=1)
    >>> pairing = draw_pairings(table, [], np.random.default_rng(0), 1, by_scores=True)[0]
    >>> np.sort(pairing, axis=0).tolist() == table.tolist()
    True
    """
    pairings, ordered = _permute_categories(table, categories, rng, n_pairings)
    values = table[:, ordered]
    cloud = norm.ppf((rankdata(values, axis=0) - 0.5) / len(table)) if by_scores else values
    scores, lengths, axes = _principal_axes(cloud)
    norms = rng.choice(np.linalg.norm(scores, axis=1), size=(n_pairings, len(table), 1))
    directions = rng.normal(size=(n_pairings, *scores.shape))
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    pairings[:, :, ordered] = _match_values((norms * directions * lengths) @ axes, values)
    return pairings


def _log_normal(skewness: Array, gaussian: Array) -> Array:
    """Give Gaussian variables a skewness; mean 0 and variance 1 stay."""
    # The least width is Gaussian but for rounding.
    width = np.maximum(np.interp(np.abs(skewness), _SKEWNESS, _WIDTHS), 1e-3)
    power = np.exp(width**2)
    curved = (np.exp(width * gaussian) / np.sqrt(power) - 1.0) / np.sqrt(power - 1.0)
    return np.asarray(np.where(skewness < 0.0, -curved, curved))


def _permute_categories(
    table: Array, categories: list[slice], rng: Generator, n_tables: int
) -> tuple[Array, list[int]]:
    """Return tables that have the categories alone, and the other columns, to be filled."""
    tables = np.empty((n_tables, *table.shape))
    ordered = set(range(table.shape[1]))
    for block in categories:
        ordered -= set(range(block.start, block.stop))
        for each in tables:
            each[:, block] = rng.permutation(table[:, block])
    return tables, sorted(ordered)


def _principal_axes(table: Array) -> tuple[Array, Array, Array]:
    """Return whitened items, the standard deviations along the principal axes, and the axes."""
    left, lengths, axes = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    has_variance = lengths > 1e-9 * np.max(lengths, initial=0.0)
    root = np.sqrt(len(table))
    return left[:, has_variance] * root, lengths[has_variance] / root, axes[has_variance]


def _match_values(tables: Array, values: Array) -> Array:
    """Replace the values of each column by given ones, in the same order."""
    matched = np.empty_like(tables)
    np.put_along_axis(matched, tables.argsort(axis=1), np.sort(values, axis=0)[None], axis=1)
    return matched
