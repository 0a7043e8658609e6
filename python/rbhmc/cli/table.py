"""Makes a table of a data file: named items, numeric features, known classes."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc._extras import require
from rbhmc._text import escape_unprintable, pluralize
from rbhmc.cli.console import UserError, format_list
from rbhmc.cli.data_file import DataFile, read_file

THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d+)?")
# Names of numeric columns that are probably not features.
LIKELY_IDS = frozenset({"id", "ids", "index", "idx", "item", "name", "key", "row", "nr", "no"})


class Roles(NamedTuple):
    """Columns that are not features.

    Attributes
    ----------
    id : str or None
        The column with the names of the items; None numbers the items.
    classes : str or None
        The column with known classes.
    dropped : tuple of str
        The columns to leave out.
    """

    id: str | None = None
    classes: str | None = None
    dropped: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """All of these columns."""
        return [*self.dropped, *(name for name in (self.id, self.classes) if name is not None)]


@dataclass(frozen=True, eq=False)
class Table:
    """Items and their features.

    Attributes
    ----------
    frame : pandas.DataFrame
        Finite numbers; the index names the items, the columns name the features.
    classes : list of str, or None
        The class of each item; empty if it is unknown.
    roles : Roles
    notes : tuple of str
        Remarks for the user about how the file was read.
    """

    frame: Any
    classes: list[str] | None
    roles: Roles
    notes: tuple[str, ...]


def read_table(path: Path, roles: Roles) -> Table:
    """Read a table whose features are all columns without another role.

    If `roles` names no column for the names of the items, a suitable one is taken.
    """
    file = read_file(path)
    names = list(file.frame.columns)
    _check_roles(file, roles)
    features = [name for name in names if name not in roles.columns]
    if roles.id is None:
        roles = roles._replace(id=_find_id(file, features))
        likely = [name for name in features if name.lower() in LIKELY_IDS]
        if roles.id is not None:
            features.remove(roles.id)
            why = "no name" if roles.id in file.unnamed else "text"
            file.notes.append(
                f"items are named by '{roles.id}' ({why}, all different); --id-column chooses "
                "another column"
            )
        elif likely and file.frame[likely[0]].is_unique:
            file.notes.append(
                f"'{likely[0]}' is used as a feature; if it names the items, give "
                f"--id-column {quote(likely[0])}"
            )
    if not features:
        raise UserError(f"{file.name} has no features: every column has another role")
    return _make_table(file, roles, features)


def read_new_items(path: Path, roles: Roles, features: Sequence[str]) -> Table:
    """Read new items of a known table; the features may stand in any order."""
    file = read_file(path)
    names = list(file.frame.columns)
    missing = [name for name in features if name not in names]
    if missing:
        raise UserError(
            f"{file.name} lacks {pluralize(len(missing), 'column')} of the {len(features)} that "
            f"the run was fitted on: {format_list(missing)}",
            f"It has {format_list(names)}.",
        )
    others = [name for name in names if name not in features and name not in roles.columns]
    id_column = roles.id if roles.id in names else _find_id(file, others)
    ignored = [name for name in others if name != id_column]
    if ignored:
        count = pluralize(len(ignored), "column")
        file.notes.append(
            f"{count} of {file.name} unknown to the run and ignored: {format_list(ignored)}"
        )
    return _make_table(file, Roles(id=id_column), list(features))


def _make_table(file: DataFile, roles: Roles, features: list[str]) -> Table:
    pandas = require("pandas", "frames")
    names = _item_names(file, roles.id)
    values = _numeric_columns(file, features, None if roles.id is None else names)
    frame = pandas.DataFrame(values, index=pandas.Index(names, dtype=object), columns=features)
    classes = None if roles.classes is None else file.read_text(roles.classes)
    if classes is not None and "" in classes:
        if not any(classes):
            raise UserError(f"'{roles.classes}' in {file.name} is empty: it holds no classes")
        count = pluralize(classes.count(""), "item")
        file.notes.append(f"{count} without a class in '{roles.classes}' left out of the measures")
    return Table(frame, classes, roles, tuple(file.notes))


def _check_roles(file: DataFile, roles: Roles) -> None:
    """Refuse columns that do not exist, or that have two roles."""
    names = list(file.frame.columns)
    for name, count in Counter(roles.columns).items():
        if name not in names:
            lower = {column.lower(): column for column in names}
            close = get_close_matches(name.lower(), lower, n=1)
            meant = f"; did you mean '{lower[close[0]]}'?" if close else ""
            raise UserError(
                f"{file.name} has no column '{name}'{meant}", f"It has {format_list(names, 20)}."
            )
        if count > 1:
            raise UserError(
                f"'{name}' has two roles: give a column to one of --id-column, --class-column and "
                "--drop"
            )


def _find_id(file: DataFile, columns: list[str]) -> str | None:
    """Find the column that names the items.

    It is the first text column whose values all differ; or the first column of the file, if it
    has no name and its values differ, as row names and indices are often written. A column with
    mostly numbers is not text: its other values are mistakes.
    """
    for name in columns:
        is_text = not file.is_numeric(name) and file.bad_values(name).mean() > 0.5
        is_index = name in file.unnamed and name == file.frame.columns[0]
        values = file.read_text(name) if is_text or is_index else []
        if values and all(values) and len(set(values)) == len(values):
            return name
    return None


def _item_names(file: DataFile, column: str | None) -> list[str]:
    if column is None:
        return [str(row) for row in range(1, len(file.frame) + 1)]
    names = file.read_text(column)
    if "" in names:
        raise UserError(
            f"row {names.index('') + 1} of {file.name} has no name in '{column}'",
            "Give every item a name, or choose another --id-column.",
        )
    duplicates = [name for name, count in Counter(names).items() if count > 1]
    if duplicates:
        shown = "; ".join(f"'{name}' in rows {_rows_with(name, names)}" for name in duplicates[:3])
        more = f"; and {len(duplicates) - 3} more names" if len(duplicates) > 3 else ""
        raise UserError(
            f"'{column}' in {file.name} contains duplicate item names: {shown}{more}",
            "Make the names different, or leave the column out, so that the items are numbered: "
            f"--drop {quote(column)}.",
        )
    return names


def _rows_with(value: str, values: list[str]) -> str:
    return format_list([str(row) for row, other in enumerate(values, 1) if other == value], 3)


def _numeric_columns(
    file: DataFile, features: list[str], names: list[str] | None
) -> NDArray[np.float64]:
    """Return the values of the features, which must be finite numbers.

    `names` are the names of the items for messages, if they have any.
    """
    text_columns = [name for name in features if not file.is_numeric(name)]
    if text_columns:
        raise _not_numeric(file, text_columns, names)
    values: NDArray[np.float64] = file.frame[features].to_numpy(np.float64, na_value=np.nan)
    bad = np.argwhere(~np.isfinite(values))
    if not len(bad):
        return values
    row, place = bad[0].tolist()
    value, column = values[row, place], features[place]
    n_rows = len(np.unique(bad[:, 0]))
    raise UserError(
        f"'{column}' in {file.name} has {'no value' if np.isnan(value) else f'the value {value}'} "
        f"in {_describe_row(row, names)}"
        + (f"; {n_rows} rows have missing or infinite values" if n_rows > 1 else ""),
        "The model needs all values: delete the row, fill in the value (for example with the mean "
        f"of its column), or leave the column out with --drop {quote(column)}.",
    )


def _not_numeric(file: DataFile, columns: list[str], names: list[str] | None) -> UserError:
    column, text = columns[0], file.read_text(columns[0])
    bad = file.bad_values(column)
    # A value of another type, such as a date, can look like a number; then row 1 is shown.
    row, n_bad = int(np.argmax(bad)), int(bad.sum())
    few = f" ({n_bad} of {len(bad)} values are not numbers)" if 0 < n_bad <= len(bad) / 2 else ""
    also = f"; the same holds for {format_list(columns[1:])}" if columns[1:] else ""
    hints = [
        f"Leave it out with --drop {quote(column)}, use it for the names of the items with "
        f"--id-column {quote(column)}, or for known classes with --class-column {quote(column)}."
    ]
    value, count = Counter(text).most_common(1)[0]
    if THOUSANDS.fullmatch(text[row]):
        hints = [f"Write numbers without thousands separators: 1234 and not {text[row]}."]
    elif count > 1 and len(set(text)) > len(text) / 2:
        rows = _rows_with(value, text)
        hints.append(f"(It cannot name the items yet: '{_shorten(value)}' is in rows {rows}.)")
    return UserError(
        f"'{column}' in {file.name} is not a column of numbers: {_describe_row(row, names)} has "
        f"'{_shorten(text[row])}'{few}{also}",
        *hints,
    )


def _describe_row(row: int, names: list[str] | None) -> str:
    return f"row {row + 1}" if names is None else f"row {row + 1} ({_shorten(names[row])})"


def _shorten(value: str) -> str:
    return escape_unprintable(value if len(value) <= 40 else f"{value[:40]}…")
