"""The numeric table of any table: numbers as they are, and an indicator of each category."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput
from rbhmc._text import pluralize
from rbhmc._warnings import warn
from rbhmc.columns.columns import UNSEEN, Column, as_texts, is_missing, is_zero_one, learn_columns
from rbhmc.columns.frames import RawColumn, is_frame, item_index, raw_columns

Floats = NDArray[np.float64]

# A column of few values is all gap: at the variance of a number it would decide the tree alone. So
# it has half of the standard deviation. Chosen on the penguins, see docs/tables.md.
CATEGORY_WEIGHT = 0.5
# Columns are standardised if those whose scale is more than MAX_SCALE_RATIO times the median scale
# hold more than this share of the variance. Chosen on 39 tables, see docs/tables.md.
MAX_VARIANCE_SHARE = 0.5
MAX_SCALE_RATIO = 8.0
MIN_ITEMS = 5
# Items by which units are judged.
MAX_JUDGED = 2_000
# The median step between the 5 % quantiles of a normal distribution, in standard deviations.
NORMAL_STEP = 0.142


@dataclass(frozen=True, eq=False)
class Encoding:
    """How the columns of a table become numbers.

    Attributes
    ----------
    columns : tuple of Column
        All columns of the table.
    is_array : bool
        Whether the table was an array of numbers, whose columns have no names.
    """

    columns: tuple[Column, ...]
    is_array: bool = False

    @property
    def features(self) -> list[Column]:
        """The columns that are features."""
        return [column for column in self.columns if column.role == "feature"]

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the encoded columns: of a number its own, of a category "column=value"."""
        return tuple(name for column in self.features for name in column.feature_names)

    @property
    def blocks(self) -> list[slice]:
        """The encoded columns of each feature."""
        ends = np.cumsum([len(column.feature_names) for column in self.features]).tolist()
        return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]

    @property
    def is_mixed(self) -> bool:
        """Whether there are categories or dates, which have no unit in common with numbers."""
        return any(column.kind not in ("number", "yes/no") for column in self.features)

    @property
    def has_categories(self) -> bool:
        """Whether a feature is a category or ordered."""
        return any(column.kind in ("category", "ordered") for column in self.features)

    def encode(self, raws: Sequence[RawColumn]) -> Floats:
        """Encode items; NaN where there are gaps.

        All indicators of a category that was not there before are 0, and a value that cannot be
        read is a gap, with a warning.
        """
        if len(raws) != len(self.columns):
            raise InvalidInput(f"X has {len(raws)} columns; it must have {len(self.columns)}")
        pairs = [pair for pair in zip(self.columns, raws, strict=True) if pair[0].role == "feature"]
        read = [(column, raw, column.read(raw)) for column, raw in pairs]
        _refuse_infinity(read)
        _warn_of_new_values(read)
        blocks = []
        for column, _, values in read:
            if len(column.feature_names) > 1:
                indicators = (values[:, None] == np.arange(len(column.values))).astype(np.float64)
                indicators[np.isnan(values)] = np.nan
                blocks.append(indicators)
            else:
                # An unseen category is not the one that the column indicates.
                is_category = column.kind == "category"
                blocks.append((np.maximum(values, 0.0) if is_category else values)[:, None])
        return np.hstack(blocks)

    def count_categories(self, filled: Floats) -> Floats:
        """Return a filled table in which every item has one category, the most probable one.

        Examples
        --------
        >>> encoding = Encoding((Column("size", "category", values=("S", "M", "L")),))
        >>> encoding.count_categories(np.array([[0.2, 0.6, 0.2], [0.0, 0.0, 1.0]]))
        array([[0., 1., 0.],
               [0., 0., 1.]])
        """
        table = filled.copy()
        for column, block in zip(self.features, self.blocks, strict=True):
            values = table[:, block]
            if len(column.feature_names) > 1:
                table[:, block] = np.eye(values.shape[1])[values.argmax(axis=1)]
            elif column.is_discrete:
                table[:, block] = np.rint(values)
        return table

    def weights(self, encoded: Floats) -> Floats:
        """Return the factor that standardises each encoded column.

        A number has the weight 1/σ, and the indicator of a category with the share p of the items
        CATEGORY_WEIGHT / √p, as in the factor analysis of mixed data (Pagès 2004) except for the
        constant. No direction then holds more of a category than CATEGORY_WEIGHT² of a number.
        """
        weights = np.ones(encoded.shape[1])
        for column, block in zip(self.features, self.blocks, strict=True):
            values = encoded[:, block]
            if len(column.feature_names) > 1:
                shares = np.nanmean(values, axis=0)
                weights[block] = CATEGORY_WEIGHT / np.sqrt(np.where(shares > 0.0, shares, 1.0))
            else:
                present = values[~np.isnan(values)]
                std = float(column_std(present[:, None])[0]) if len(present) else 0.0
                is_discrete = column.is_discrete or len(np.unique(present)) == 2
                weights[block] = (CATEGORY_WEIGHT if is_discrete else 1.0) / (std or 1.0)
        return weights


ReadColumn = tuple[Column, RawColumn, Floats]


def _refuse_infinity(read: Sequence[ReadColumn]) -> None:
    found: dict[str, str] = {}
    for column, _, values in read:
        if np.isinf(values).any():
            row = int(np.argmax(np.isinf(values)))
            found[column.name] = f"{column.name!r} is {values[row]} in row {row}"
    if found:
        raise InvalidInput(
            f"columns have values that are not finite: {'; '.join(found.values())}; correct them, "
            f"or leave the columns out: X.drop(columns={list(found)})"
        )


def _warn_of_new_values(read: Sequence[ReadColumn]) -> None:
    unseen, unread = [], []
    for column, raw, values in read:
        is_unread = np.isnan(values) & ~is_missing(raw)
        # Those of the table that it was learned from have been counted as gaps.
        if (n_unread := int(is_unread.sum())) > column.n_unread:
            unread.append(f"{column.name!r} ({n_unread}) such as {_first(raw, is_unread)!r}")
        if column.kind == "category" and (is_unseen := values == UNSEEN).any():
            unseen.append(f"{column.name!r} ({_first(raw, is_unseen)!r})")
    if unread:
        warn("values that cannot be read as in the table of the fit are gaps: " + ", ".join(unread))
    if unseen:
        warn(
            f"{pluralize(len(unseen), 'column')} with categories that the model was not fitted on, "
            f"which count as none of the known ones: {', '.join(unseen)}",
        )


def _first(raw: RawColumn, is_shown: NDArray[np.bool_]) -> str | None:
    return as_texts(raw._replace(values=raw.values[[int(np.argmax(is_shown))]]))[0]


def array_encoding(table: Floats) -> Encoding:
    """Return the encoding of an array of numbers, which changes nothing.

    Only how gaps are filled depends on what a column holds.
    """
    columns = [Column(f"x{at}", "number") for at in range(table.shape[1])]
    n_gaps = np.isnan(table).sum(axis=0).tolist()
    for at in np.flatnonzero(n_gaps).tolist():
        columns[at] = Column(f"x{at}", "number", n_gaps=n_gaps[at])
        if is_zero_one(table[:, at]):
            columns[at] = replace(columns[at], kind="yes/no", values=("0", "1"))
    return Encoding(tuple(columns), is_array=True)


def learn_encoding(X: Any) -> tuple[Encoding, list[RawColumn], tuple[str, ...] | None]:
    """Understand the columns of a data frame, or of an array of objects.

    Returns
    -------
    encoding : Encoding
    raws : list of RawColumn
        The columns of X.
    names : tuple of str, or None
        The names of the items: the index of the frame, or the column with this role if the index
        only counts.
    """
    raws = raw_columns(X)
    names, is_count = item_index(X)
    columns = learn_columns(raws, find_roles=is_frame(X), find_name=is_count)
    for column, raw in zip(columns, raws, strict=True):
        if column.role == "name" and is_count:
            names = tuple(_as_name(value) for value in raw.values)
    if not columns or not len(raws[0].values):
        raise InvalidInput(f"X has no {'rows' if columns else 'columns'}; give a table with items")
    if not any(column.role == "feature" for column in columns):
        raise InvalidInput(
            "X has no features: "
            + "; ".join(f"{column.name!r} is {column.note or 'the names'}" for column in columns)
        )
    return Encoding(columns), raws, names


def _as_name(value: Any) -> str:
    return f"{value:.0f}" if isinstance(value, float) else str(value)


def judge_units(encoding: Encoding, table: Floats) -> tuple[bool, str]:
    """Return whether columns should be standardised, and why.

    Examples
    --------
    >>> grams = np.array([2000.0, 9000.0, 4000.0, 3000.0, 7000.0])
    >>> metres_and_grams = np.column_stack([[1.0, 1.1, 0.8, 0.9, 1.2], grams])
    >>> numbers = array_encoding(metres_and_grams)
    >>> judge_units(numbers, metres_and_grams)[0]
    True
    >>> judge_units(numbers, metres_and_grams / [1, 1e4])[0]
    False
    """
    if encoding.is_mixed:
        return True, "there are categories or dates as well as numbers"
    # Evenly spaced items tell as much as all.
    table = table[:: -(-len(table) // MAX_JUDGED)]
    present = [column[~np.isnan(column)] for column in table.T]
    std = np.array([float(column_std(values[:, None])[0]) for values in present])
    if len(table) < MIN_ITEMS or not (std > 0.0).any():
        return False, "there is too little to judge units by"
    variances = (std / std.max()) ** 2
    scale = np.array([column_scale(values) for values in present])
    varying = np.sort(scale[scale > 0.0])
    is_wide = scale > MAX_SCALE_RATIO * varying[(len(varying) - 1) // 2]
    share = float(variances[is_wide].sum() / variances.sum())
    if share > MAX_VARIANCE_SHARE:
        widest = encoding.feature_names[int(np.argmax(np.where(is_wide, std, 0.0)))]
        others = int(is_wide.sum()) - 1
        more = f" and {pluralize(others, 'other column')}" if others else ""
        return True, f"otherwise {widest!r}{more} would hold {share:.0%} of the variance"
    return False, "no unit dominates the others"


def column_scale(column: Floats) -> float:
    """Return the scale of a column within its groups: the median step between its 5 % quantiles.

    Groups make few of the steps wide, but a unit makes all of them wide. The scale is that of a
    normal distribution; a column of few values, whose median step is 0, has its standard deviation.

    Examples
    --------
    >>> one = np.random.default_rng(0).normal(size=1000)
    >>> groups = np.concatenate([one, one + 100.0])
    >>> round(column_scale(one), 1), round(column_scale(groups), 1), round(groups.std())
    (1.1, 2.0, 50)
    """
    if len(column) == 0:
        return 0.0
    largest = float(np.abs(column).max()) or 1.0
    steps = np.diff(np.quantile(column / largest, np.arange(1, 20) / 20.0))
    median = float(np.median(steps)) * largest / NORMAL_STEP
    return median or float(column_std(column[:, None])[0])


def column_std(table: Floats) -> Floats:
    """Return the standard deviation of each column, without overflow or underflow of squares.

    Examples
    --------
    >>> column_std(np.array([[0.0, 1e200], [0.0, 3e200]]))
    array([0.e+000, 1.e+200])
    """
    if len(table) == 0:
        return np.zeros(table.shape[1])
    largest = np.abs(table).max(axis=0)
    unit = np.where(largest > 0.0, largest, 1.0)
    return np.asarray((table / unit).std(axis=0) * unit)
