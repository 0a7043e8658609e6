"""What each column of a table is: its kind, its role, its gaps, and how it is read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import compress
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rbhmc._text import pluralize
from rbhmc.columns.dates import ISO, OR, find_date_format, parse_dates, swap_day_and_month
from rbhmc.columns.frames import RawColumn
from rbhmc.columns.values import AS_HOURS, NumberFormat, find_number_format, is_none, parse_numbers
from rbhmc.columns.words import find_scale, find_yes_no

Floats = NDArray[np.float64]
Kind = Literal["number", "yes/no", "category", "ordered", "date", "text"]
Role = Literal["feature", "name", "left out"]

# Text with more values than this is not a category.
MAX_CATEGORIES = 50
# A column with a larger share of gaps is left out: its values would mostly be made up.
MAX_GAP_SHARE = 0.6
# Dates over a longer time are years, over a shorter one days from the first date.
MIN_DAYS_AS_YEARS = 3 * 365.25
DAYS_PER_YEAR = 365.25
# A column without a telling name counts the rows if it has at least this number of values.
MIN_RUNNING = 10
# A price index is a measurement, and cancer_no beside cancer_yes an answer.
ID_NAME = re.compile(
    r"(.*[_ .])?(id|ids|idx|nr|no|key|row|rowid|rownames?|#)|((row|item|sample)[_ .])?index"
    r"|unnamed: 0|column 1",
    re.I,
)
CLASS_NAMES = frozenset(
    "class classes target label labels species outcome diagnosis variety".split()
)
UNSEEN = -1.0
PLAIN = NumberFormat()


@dataclass(frozen=True)
class Column:
    """A column of a table, understood.

    Attributes
    ----------
    name : str
    kind : {"number", "yes/no", "category", "ordered", "date", "text"}
    role : {"feature", "name", "left out"}
        Whether it is a feature, names the items, or is left out.
    n_gaps : int
        How many values are missing.
    n_unread : int
        How many of these are texts among numbers.
    note : str
        How its values are read, or why it is left out.
    values : tuple of str
        The categories, in their order; for yes/no the two words.
    number_format : NumberFormat
        How numbers are written, if they are texts.
    date_format : str
        How dates are written, if they are texts; of new items, dates are ISO 8601 if this is empty.
    origin : float or None
        For dates that are counted in days: the first, as days from 1970-01-01; None for years.

    Examples
    --------
    >>> Column("sex", "category", values=("female", "male")).feature_names
    ('sex=male',)
    >>> Column("island", "category", values=("A", "B", "C")).feature_names
    ('island=A', 'island=B', 'island=C')
    """

    name: str
    kind: Kind
    role: Role = "feature"
    n_gaps: int = 0
    n_unread: int = 0
    note: str = ""
    values: tuple[str, ...] = ()
    number_format: NumberFormat = PLAIN
    date_format: str = ""
    origin: float | None = None

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of its encoded columns: its own, or one for each category."""
        if self.kind == "category":
            shown = self.values if len(self.values) > 2 else self.values[-1:]
            return tuple(f"{self.name}={value}" for value in shown)
        if self.kind == "date":
            unit = "year" if self.origin is None else f"days from {_iso(self.origin)}"
            return (f"{self.name} ({unit})",)
        if self.kind == "number" and self.number_format.unit:
            unit = "hours" if self.number_format.unit == AS_HOURS else self.number_format.unit
            return (f"{self.name} ({unit})",)
        return (self.name,)

    @property
    def is_discrete(self) -> bool:
        """Whether it has a few values, between which there is nothing."""
        return self.kind in ("yes/no", "category", "ordered")

    def read(self, raw: RawColumn) -> Floats:
        """Read a column of new items: numbers, or positions in `values`; NaN for gaps.

        A category that is not in `values` is UNSEEN; any other value that cannot be read is a gap,
        also a number in another unit, a date among numbers, and a number among dates.
        """
        if self.kind in ("category", "ordered"):
            known = {value: float(at) for at, value in enumerate(self.values)} | {None: np.nan}
            unseen = UNSEEN if self.kind == "category" else np.nan
            texts = as_texts(raw)
            known |= {text: np.nan for text in texts if is_none(text) and text not in known}
            return np.array([known.get(text, unseen) for text in texts], np.float64)
        if raw.form != "text":
            is_alike = (raw.form == "date") == (self.kind == "date")
            if is_alike and raw.unit in ("", self.number_format.unit):
                values = np.asarray(raw.values, np.float64)
            else:
                values = np.full(len(raw.values), np.nan)
        elif self.kind == "yes/no":
            words = {word.casefold(): float(at) for at, word in enumerate(self.values)}
            texts = [None if text is None else text.casefold() for text in raw.values]
            values = np.array([words.get(str(text), np.nan) for text in texts], np.float64)
        elif self.kind == "date":
            values = parse_dates(raw.values.tolist(), self.date_format or ISO)
        else:
            values = parse_numbers(raw.values.tolist(), self.number_format)
        if self.kind == "date":
            values = _years(values) if self.origin is None else values - self.origin
        return values


def learn_columns(
    raws: Sequence[RawColumn], *, find_roles: bool = True, find_name: bool = True
) -> tuple[Column, ...]:
    """Find the kind of each column and, if asked, which ones name the items or are left out.

    Examples
    --------
    >>> names = np.array(["ant", "bee", "cow"], object)
    >>> legs = np.array([6.0, 6.0, 4.0])
    >>> found = learn_columns([RawColumn("who", "text", names), RawColumn("legs", "number", legs)])
    >>> [(column.name, column.kind, column.role) for column in found]
    [('who', 'text', 'name'), ('legs', 'number', 'feature')]
    """
    columns = [_learn_column(raw) for raw in raws]
    answers = _find_answers(raws)
    is_id = [
        column.name not in answers and _is_id(raw, column)
        for raw, column in zip(raws, columns, strict=True)
    ]
    chosen = _find_name(raws, columns, is_id) if find_roles and find_name else None
    if chosen is not None:
        name = columns[chosen]
        kind: Kind = "number" if name.kind == "number" else "text"
        columns[chosen] = replace(name, role="name", kind=kind, values=(), note="all different")
    roles = [
        column
        if column.role == "name"
        else _leave_out(raw, column, is_named, find_roles=find_roles)
        for raw, column, is_named in zip(raws, columns, is_id, strict=True)
    ]
    if not any(column.role == "feature" for column in roles):
        # A table of equal items, or one that only counts them, is still a table.
        roles = [
            known if known.kind == "number" and known.n_gaps == 0 and known.role != "name" else role
            for role, known in zip(roles, columns, strict=True)
        ]
    return tuple(roles)


def _learn_column(raw: RawColumn) -> Column:
    values = raw.values
    if raw.form != "text":
        written = NumberFormat(unit=raw.unit)
        n_gaps = int(np.isnan(values).sum())
        column = Column(
            raw.name, raw.form, n_gaps=n_gaps, note=written.describe(), number_format=written
        )
        if raw.form == "number" and is_zero_one(values):
            return replace(column, kind="yes/no", values=("0", "1"), note="1 is yes, 0 is no")
        if raw.form == "yes/no":
            return replace(column, values=("no", "yes"))
        return _with_origin(column, values) if raw.form == "date" else column
    present = [text for text in values if text is not None]
    texts = list(dict.fromkeys(present))
    with_none = Column(raw.name, "text", n_gaps=len(values) - len(present))
    # None is one of several words, and a gap among numbers and dates.
    unique = [text for text in texts if not is_none(text)]
    column = replace(with_none, n_gaps=with_none.n_gaps + sum(map(is_none, present)))
    if raw.categories is not None:
        column, found = with_none, tuple(each for each in raw.categories if each in set(texts))
        if raw.is_ordered:
            return _as_ordered(column, found)
        return replace(column, kind="category", values=found)
    if (words := find_yes_no(unique)) is not None:
        note = f"{words[1]} is 1, {words[0]} is 0"
        return replace(column, kind="yes/no", values=words, note=note)
    if (form := find_number_format(unique)) is not None:
        return _with_odd_values(replace(column, kind="number", number_format=form), raw)
    if (date_format := find_date_format(unique)) is not None:
        column = replace(column, kind="date", date_format=date_format)
        column = _with_origin(column, parse_dates(values.tolist(), date_format))
        other = swap_day_and_month(date_format)
        if other and not np.isnan(parse_dates(unique, other)).any():
            column = replace(column, note=f"{column.note}, read with the month first")
        if OR in date_format:
            forms = date_format.count(OR) + 1
            column = replace(column, note=f"{column.note}, written in {forms} ways")
        return column
    if (steps := find_scale(texts)) is not None:
        return _as_ordered(with_none, steps)
    return replace(with_none, kind="category", values=tuple(sorted(texts)))


def _as_ordered(column: Column, steps: tuple[str, ...]) -> Column:
    return replace(column, kind="ordered", values=steps, note=f"{' < '.join(steps)} as 0, 1, …")


def _with_odd_values(column: Column, raw: RawColumn) -> Column:
    """Note how numbers are written, and which texts among them are read as gaps."""
    is_nan = np.isnan(column.read(raw))
    odd = raw.values[is_nan & ~is_missing(raw)].tolist()
    notes = [column.number_format.describe()]
    if odd:
        notes.append(f"{pluralize(len(odd), 'value')} such as '{odd[0]}' read as gaps")
    return replace(
        column,
        n_gaps=int(is_nan.sum()),
        n_unread=len(odd),
        note=", ".join(filter(None, notes)),
    )


def _with_origin(column: Column, days: Floats) -> Column:
    present = days[~np.isnan(days)]
    if len(present) == 0:
        return column
    if np.ptp(present) >= MIN_DAYS_AS_YEARS:
        return replace(column, note="as years")
    first = float(np.floor(present.min()))
    return replace(column, origin=first, note=f"as days from {_iso(first)}")


def _find_name(
    raws: Sequence[RawColumn], columns: Sequence[Column], is_id: Sequence[bool]
) -> int | None:
    """Return the column that names the items: text, or whole numbers of an id, all different."""
    for at, (raw, column) in enumerate(zip(raws, columns, strict=True)):
        is_complete = column.n_gaps == 0 and len(raw.values) > 1
        if column.kind == "category" and is_complete and len(column.values) == len(raw.values):
            return at
    return next(compress(range(len(columns)), is_id), None)


def _find_answers(raws: Sequence[RawColumn]) -> set[str]:
    """Return the names that end with no, beside a column whose name ends with yes instead.

    Examples
    --------
    >>> _find_answers([RawColumn(name, "number", np.ones(2)) for name in ("yes", "no", "part_no")])
    {'no'}
    """
    given = {raw.name.casefold() for raw in raws}
    ends_with_no = (raw.name for raw in raws if raw.name.casefold().endswith("no"))
    return {name for name in ends_with_no if f"{name.casefold()[:-2]}yes" in given}


def _is_id(raw: RawColumn, column: Column) -> bool:
    """Whether whole numbers, all different, belong to a column with the name of an identifier."""
    if "number" not in (raw.form, column.kind) or column.n_gaps or len(raw.values) < 2:
        return False
    if not ID_NAME.fullmatch(column.name.strip()):
        return False
    values = column.read(raw)
    return bool((values == np.rint(values)).all() and len(np.unique(values)) == len(values))


def _counts_rows(values: Floats) -> bool:
    if len(values) < MIN_RUNNING or values[0] not in (0.0, 1.0):
        return False
    return bool((np.diff(values) == 1.0).all())


def _leave_out(raw: RawColumn, column: Column, is_id: bool, *, find_roles: bool) -> Column:
    """Leave out a column that says nothing of how items differ, with the reason."""
    values = column.read(raw)
    present = values[~np.isnan(values)]
    why = ""
    if len(present) == 0:
        why = "empty"
    elif not find_roles:
        return column
    elif len(values) > 1 and (present == present[0]).all():
        why = "constant"
    elif len(present) < (1.0 - MAX_GAP_SHARE) * len(values):
        why = f"{1.0 - len(present) / len(values):.0%} gaps"
    elif column.kind == "number" and (is_id or _counts_rows(values)):
        why = "counts or identifies the items"
    elif column.kind == "category":
        n_values = len(column.values)
        is_many = n_values > MAX_CATEGORIES or n_values > 0.5 * len(present) + 1
        if n_values == len(present):
            why = "all different"
        elif is_many and raw.categories is None:
            why = f"{n_values} different texts"
    if not why:
        return column
    kind: Kind = "text" if column.kind == "category" else column.kind
    return replace(column, role="left out", kind=kind, values=(), note=why)


def looks_like_class(column: Column) -> bool:
    """Whether the name of a feature suggests known classes, which should not be a feature.

    Examples
    --------
    >>> looks_like_class(Column("Species", "category")), looks_like_class(Column("age", "number"))
    (True, False)
    """
    return column.role == "feature" and column.name.strip().casefold() in CLASS_NAMES


def is_zero_one(values: Floats) -> bool:
    """Whether a column holds both 0 and 1, and nothing else except gaps.

    Examples
    --------
    >>> is_zero_one(np.array([0.0, 1.0, np.nan])), is_zero_one(np.array([0.0, 1.0, 0.5]))
    (True, False)
    """
    return np.array_equal(np.unique(values[~np.isnan(values)]), [0.0, 1.0])


def is_missing(raw: RawColumn) -> NDArray[np.bool_]:
    """Whether each value of a column is missing in the table, unless none is one of its words.

    Examples
    --------
    >>> is_missing(RawColumn("a", "text", np.array(["x", None], object)))
    array([False,  True])
    """
    if raw.form == "text":
        return np.array([text is None or is_none(text) for text in raw.values], np.bool_)
    return np.asarray(np.isnan(raw.values))


def as_texts(raw: RawColumn) -> list[str | None]:
    """Write the values of a column as a person would: 3 and not 3.0, and days without a time.

    Examples
    --------
    >>> as_texts(RawColumn("a", "number", np.array([3.0, np.nan])))
    ['3', None]
    >>> as_texts(RawColumn("a", "date", np.array([1.0, 1.5])))
    ['1970-01-02', '1970-01-02T12:00:00']
    """
    if raw.form == "text":
        return list(raw.values.tolist())
    write = _iso_time if raw.form == "date" else "{:.15g}".format
    unit = f" {raw.unit}" if raw.unit else ""
    return [None if np.isnan(each) else f"{write(each)}{unit}" for each in raw.values.tolist()]


def _years(days: Floats) -> Floats:
    return np.asarray(1970.0 + days / DAYS_PER_YEAR)


def _iso_time(days: float) -> str:
    when = datetime(1970, 1, 1) + timedelta(days=days)
    return _iso(days) if days == np.rint(days) else when.isoformat(timespec="seconds")


def _iso(days: float) -> str:
    return (datetime(1970, 1, 1) + timedelta(days=days)).date().isoformat()
