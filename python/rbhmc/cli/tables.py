"""Tables ready for the model: named items, features that are numbers, classes where known."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rbhmc._extras import require
from rbhmc.cli.columns import Roles, automatic_id, checked_roles
from rbhmc.cli.errors import UserError
from rbhmc.cli.messages import counted, listed
from rbhmc.cli.raw_table import RawTable, read_raw
from rbhmc.cli.values import finite_numbers


@dataclass(frozen=True, eq=False)
class Table:
    """Items and their features.

    Attributes
    ----------
    frame : pandas.DataFrame
        Finite numbers; the index names the items, the columns the features.
    classes : list of str, or None
        The known class of each item, empty where it has none.
    roles : Roles
        What the other columns were for.
    notes : tuple of str
        What should be said about how it was read.
    """

    frame: Any
    classes: list[str] | None
    roles: Roles
    notes: tuple[str, ...]


def read_table(path: Path, roles: Roles, *, find_id: bool = True) -> Table:
    """Read a table whose features are all columns that have no other part.

    Parameters
    ----------
    path : Path
        The file.
    roles : Roles
        Columns that are no features, as the user names them.
    find_id : bool
        Whether to look for a column that names the items where `roles` has none.
    """
    raw = read_raw(path)
    roles = checked_roles(raw, roles)
    notes = raw.notes
    if find_id and roles.id is None:
        found, words = automatic_id(raw, roles)
        roles = roles._replace(id=found)
        notes += () if words is None else (words,)
    features = [name for name in raw.frame.columns if name not in roles.taken]
    if not features:
        raise UserError(f"{raw.file} has no features: no columns are left")
    return _table(raw, roles, features, notes)


def read_items(path: Path, roles: Roles, features: Sequence[str]) -> Table:
    """Read new items of a known table: its features are found by name, in any order."""
    raw = read_raw(path)
    names = list(raw.frame.columns)
    missing = [name for name in features if name not in names]
    if missing:
        raise UserError(
            f"{raw.file} lacks {counted(len(missing), 'column')} of the {len(features)} that the "
            f"run was fitted on: {listed(missing)}",
            f"It has {listed(names)}.",
        )
    extra = [name for name in names if name not in features and name not in roles.taken]
    notes = raw.notes
    if roles.id is None or roles.id not in names:
        # No feature can be the name here.
        found, _ = automatic_id(raw, roles._replace(id=None, dropped=(*roles.dropped, *features)))
        roles = roles._replace(id=found)
    ignored = [name for name in extra if name != roles.id]
    if ignored:
        words = counted(len(ignored), "column")
        notes += (f"{words} of {raw.file} unknown to the run, and ignored: {listed(ignored)}",)
    return _table(raw, roles._replace(classes=None, dropped=()), list(features), notes)


def _table(raw: RawTable, roles: Roles, features: list[str], notes: tuple[str, ...]) -> Table:
    names = _names(raw, roles.id)
    values = finite_numbers(raw, features, None if roles.id is None else names)
    pandas = require("pandas", "frames")
    frame = pandas.DataFrame(values, index=pandas.Index(names, dtype=object), columns=features)
    classes = None if roles.classes is None else raw.text(roles.classes)
    if classes is not None:
        unknown = classes.count("")
        if unknown == len(classes):
            raise UserError(f"'{roles.classes}' in {raw.file} is empty, and tells no classes")
        if unknown:
            words = counted(unknown, "item")
            notes += (f"{words} without a class in '{roles.classes}' left out of the measures",)
    return Table(frame, classes, roles, notes)


def _names(raw: RawTable, column: str | None) -> list[str]:
    if column is None:
        return [str(row) for row in range(1, len(raw.frame) + 1)]
    names = raw.text(column)
    places: dict[str, list[int]] = {}
    for row, name in enumerate(names, start=1):
        places.setdefault(name, []).append(row)
    if "" in places:
        raise UserError(
            f"row {places[''][0]} of {raw.file} has no name in '{column}'",
            "Give every item a name, or take another --id-column.",
        )
    twice = [(name, rows) for name, rows in places.items() if len(rows) > 1]
    if twice:
        shown = "; ".join(
            f"'{name}' in rows {listed([str(row) for row in rows], 3)}" for name, rows in twice[:3]
        )
        more = f"; and {len(twice) - 3} more names" if len(twice) > 3 else ""
        raise UserError(
            f"'{column}' in {raw.file} names several items alike: {shown}{more}",
            f"Make the names different, or number the items by leaving '{column}' out: "
            f"--drop {shlex.quote(column)}.",
        )
    return names
