"""Makes a table of a data file: named items, features, known classes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rbhmc._extras import require
from rbhmc._text import pluralize
from rbhmc.cli.console import UserError, format_command, format_list
from rbhmc.cli.data_file import DataFile, read_file
from rbhmc.columns import (
    Column,
    RawColumn,
    format_columns,
    learn_columns,
    looks_like_class,
    raw_columns,
)


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

    @property
    def options(self) -> list[str]:
        """The options of the command line that give these roles."""
        given = {"--id-column": self.id, "--class-column": self.classes}
        options = [text for name, value in given.items() if value for text in (name, value)]
        return options + [text for name in self.dropped for text in ("--drop", name)]


@dataclass(frozen=True, eq=False)
class Table:
    """Items and their features.

    Attributes
    ----------
    frame : pandas.DataFrame
        The index names the items. The columns are the features, and those that are left out for
        what they hold.
    columns : tuple of Column
        What each column of the file is.
    classes : list of str, or None
        The class of each item; empty if it is unknown.
    roles : Roles
    notes : tuple of str
        Remarks for the user about how the file was read.
    """

    frame: Any
    columns: tuple[Column, ...]
    classes: list[str] | None
    roles: Roles
    notes: tuple[str, ...]

    @property
    def features(self) -> list[str]:
        """The columns that are features."""
        return [column.name for column in self.columns if column.role == "feature"]

    def describe(self) -> str:
        """List every column of the file: role, kind, gaps and treatment."""
        asked = [Column(name, "text", "left out", note="as asked") for name in self.roles.dropped]
        if self.roles.classes is not None:
            asked.append(Column(self.roles.classes, "text", "left out", note="known classes"))
        return format_columns([*self.columns, *asked])


def read_table(path: Path, roles: Roles) -> Table:
    """Read a table whose features are all columns without another role.

    If `roles` names no column for the names of the items, a suitable one is taken.
    """
    file = read_file(path)
    _check_roles(file, path, roles)
    others = [name for name in file.frame.columns if name not in roles.columns]
    raws = raw_columns(file.frame[others])
    columns = learn_columns(raws, find_name=roles.id is None)
    given = roles
    if roles.id is None:
        roles = roles._replace(id=_find_id(file, columns))
        if roles.id is not None:
            file.notes.append(
                f"items are named by '{roles.id}' (all different); --id-column chooses another "
                "column"
            )
    problems = _find_problems(file, columns, raws)
    if problems:
        dropped = (*given.dropped, *(name for name in problems if name in others))
        raise UserError(
            "; ".join(problems.values()),
            "Correct the file, or leave these columns out:",
            format_command("fit", path, *given._replace(dropped=dropped).options),
        )
    for column in columns:
        if looks_like_class(column):
            file.notes.append(
                f"'{column.name}' is used as a feature; if it holds known classes, set it aside: "
                + format_command("fit", path, *given._replace(classes=column.name).options)
            )
    return _make_table(file, roles, columns)


def read_new_items(
    path: Path, roles: Roles, features: Sequence[str], all_columns: Sequence[str]
) -> Table:
    """Read new items of a known table.

    Parameters
    ----------
    path : Path
    roles : Roles
        Of the known table.
    features : sequence of str
        The columns that the file must have, in any order.
    all_columns : sequence of str
        The columns that the returned frame has; those that are missing are empty.
    """
    file = read_file(path)
    names = list(file.frame.columns)
    missing = [name for name in features if name not in names]
    if missing:
        raise UserError(
            f"{file.name} lacks {pluralize(len(missing), 'column')} of the {len(features)} that "
            f"the run was fitted on: {format_list(missing)}",
            f"It has {format_list(names)}.",
        )
    others = [name for name in names if name not in all_columns and name not in roles.columns]
    found = learn_columns(raw_columns(file.frame[others]))
    id_column = roles.id if roles.id in names else _find_id(file, found)
    ignored = [name for name in others if name != id_column]
    if ignored:
        count = pluralize(len(ignored), "column")
        file.notes.append(
            f"{count} of {file.name} unknown to the run and ignored: {format_list(ignored)}"
        )
    known = [Column(name, "text") for name in all_columns]
    return _make_table(file, Roles(id=id_column), known)


def _make_table(file: DataFile, roles: Roles, columns: Sequence[Column]) -> Table:
    pandas = require("pandas", "frames")
    kept = [column.name for column in columns if column.name != roles.id]
    frame = file.frame.reindex(columns=kept)
    frame.index = pandas.Index(_item_names(file, roles.id), dtype=object)
    classes = None if roles.classes is None else file.read_text(roles.classes)
    if classes is not None and "" in classes:
        if not any(classes):
            raise UserError(f"'{roles.classes}' in {file.name} is empty: it holds no classes")
        count = pluralize(classes.count(""), "item")
        file.notes.append(f"{count} without a class in '{roles.classes}' left out of the measures")
    return Table(frame, tuple(columns), classes, roles, tuple(file.notes))


def _check_roles(file: DataFile, path: Path, roles: Roles) -> None:
    """Refuse columns that do not exist, or that have two roles, and names that are not names."""
    names = list(file.frame.columns)
    lower = {column.lower(): column for column in names}
    problems: list[str] = []
    meant: dict[str, str | None] = {}
    for name, count in Counter(roles.columns).items():
        meant[name] = name
        if name not in names:
            close = get_close_matches(name.lower(), lower, n=1)
            meant[name] = lower[close[0]] if close else None
            hint = f"; did you mean '{meant[name]}'?" if close else ""
            problems.append(f"{file.name} has no column '{name}'{hint}")
        if count > 1:
            problems.append(
                f"'{name}' has two roles: give a column to one of --id-column, --class-column and "
                "--drop"
            )
    dropped = tuple(found for name in roles.dropped if (found := meant[name]))
    id_column = None if roles.id is None else meant[roles.id]
    classes = None if roles.classes is None else meant[roles.classes]
    if roles.id in names and (wrong := _check_names(file, str(roles.id))):
        problems.append(wrong)
        dropped = (*dropped, str(roles.id))
    corrected = Roles(
        None if id_column in dropped else id_column,
        None if classes in (*dropped, id_column) else classes,
        tuple(dict.fromkeys(dropped)),
    )
    if problems:
        raise UserError(
            "; ".join(problems),
            f"It has {format_list(names, 20)}.",
            "This would be accepted:",
            format_command("fit", path, *corrected.options),
        )


def _check_names(file: DataFile, column: str) -> str:
    """Say why a column cannot name the items; nothing if it can."""
    names = file.read_text(column)
    if "" in names:
        return f"row {names.index('') + 1} of {file.name} has no name in '{column}'"
    duplicates = [name for name, count in Counter(names).items() if count > 1]
    if not duplicates:
        return ""
    shown = "; ".join(f"'{name}' in rows {_rows_with(name, names)}" for name in duplicates[:3])
    more = f"; and {len(duplicates) - 3} more names" if len(duplicates) > 3 else ""
    return f"'{column}' in {file.name} contains duplicate item names: {shown}{more}"


def _find_problems(
    file: DataFile, columns: Sequence[Column], raws: Sequence[RawColumn]
) -> dict[str, str]:
    """Return what is wrong with columns, by their names."""
    problems = {}
    for column, raw in zip(columns, raws, strict=True):
        is_infinite = np.isinf(column.read(raw)) if column.role == "feature" else np.zeros(1, bool)
        if is_infinite.any():
            row = int(np.argmax(is_infinite))
            problems[column.name] = (
                f"'{column.name}' in {file.name} has the value {raw.values[row]} in row {row + 1}"
            )
    if not any(column.role == "feature" for column in columns):
        reasons = [f"'{column.name}' ({column.note})" for column in columns]
        why = f": {format_list(reasons)}" if reasons else ": every column has another role"
        raise UserError(f"{file.name} has no features{why}")
    return problems


def _find_id(file: DataFile, columns: Sequence[Column]) -> str | None:
    """Return the column that names the items, if there is one."""
    for column in columns:
        if column.role == "name":
            return column.name
    for column in columns:
        # An item may be called NA.
        if column.kind == "text" and column.n_gaps and not _check_names(file, column.name):
            return column.name
    return None


def _item_names(file: DataFile, column: str | None) -> list[str]:
    if column is None:
        return [str(row) for row in range(1, len(file.frame) + 1)]
    return file.read_text(column)


def _rows_with(value: str, values: list[str]) -> str:
    return format_list([str(row) for row, other in enumerate(values, 1) if other == value], 3)
