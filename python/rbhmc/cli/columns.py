"""Which columns name the items, hold their classes, are left out, or are features."""

from difflib import get_close_matches
from shlex import quote
from typing import NamedTuple

from rbhmc.cli.errors import UserError
from rbhmc.cli.messages import listed
from rbhmc.cli.raw_table import RawTable

# Names that columns of numbers have which are no features.
LIKELY_IDS = frozenset({"id", "ids", "index", "idx", "item", "name", "key", "row", "nr", "no"})


class Roles(NamedTuple):
    """What the columns that are no features are for.

    Attributes
    ----------
    id : str or None
        Names the items; their row numbers do where it is None.
    classes : str or None
        Holds known classes.
    dropped : tuple of str
        Left out.
    """

    id: str | None = None
    classes: str | None = None
    dropped: tuple[str, ...] = ()

    @property
    def taken(self) -> set[str]:
        """All columns that are no features."""
        return {*self.dropped, *(name for name in (self.id, self.classes) if name is not None)}


def checked_roles(raw: RawTable, roles: Roles) -> Roles:
    """Refuse columns that are not there, or are to be two things at once."""
    names = list(raw.frame.columns)
    given = [*roles.dropped, *(name for name in (roles.id, roles.classes) if name is not None)]
    for name in given:
        if name not in names:
            raise _no_column(raw.file, name, names)
    twice = [name for name in given if given.count(name) > 1]
    if twice:
        raise UserError(
            f"'{twice[0]}' is given two parts: a column can have one of --id-column, "
            "--class-column and --drop"
        )
    return roles


def _no_column(file: str, name: str, names: list[str]) -> UserError:
    by_small = {column.lower(): column for column in names}
    close = get_close_matches(name.lower(), by_small, n=1)
    meant = f"; did you mean '{by_small[close[0]]}'?" if close else ""
    return UserError(f"{file} has no column '{name}'{meant}", f"It has {listed(names, 20)}.")


def automatic_id(raw: RawTable, roles: Roles) -> tuple[str | None, str | None]:
    """Find the column that names the items, and what to say about it.

    It is the first of text whose values all differ; or the first of all, where it has no name and
    its values differ: so are row names and indices written. A column most of whose values are
    numbers is no text, but has a mistake in it.
    """
    first = raw.frame.columns[0]
    for name in raw.frame.columns:
        if name in roles.taken:
            continue
        is_text = raw.is_text(name) and raw.no_numbers(name).mean() > 0.5
        if not (is_text or (name == first and name in raw.unnamed)):
            continue
        values = raw.text(name)
        if all(values) and len(set(values)) == len(values):
            why = "text, all different" if is_text else "no name, all different"
            return name, f"items are named by '{name}' ({why}); --id-column chooses another"
    return None, _warned(raw, roles)


def _warned(raw: RawTable, roles: Roles) -> str | None:
    """Warn of a feature that looks like a name."""
    for name in raw.frame.columns:
        if name.lower() in LIKELY_IDS and name not in roles.taken and raw.frame[name].is_unique:
            option = f"--id-column {quote(name)}"
            return f"'{name}' is used as a feature; if it names the items, give {option}"
    return None
