"""Where the table of a text file or a sheet begins, what separates its columns, and their names."""

import csv
import io
import itertools
import re
from collections import Counter
from typing import NamedTuple

from rbhmc.cli.console import UserError
from rbhmc.columns.values import is_gap

SEPARATORS = {";": "semicolons", ",": "commas", "\t": "tabs", "|": "bars"}
# Rows by which the layout of a file is found.
MAX_LOOKED_AT = 200
NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")


class Layout(NamedTuple):
    """Where a table begins.

    Attributes
    ----------
    n_above : int
        Rows above the table, such as titles.
    names : list of str
        The names of the columns; empty for a column without one.
    has_header : bool
        Whether the first row has the names.
    has_units : bool
        Whether the row below the names has units, which are now in brackets after the names.
    """

    n_above: int
    names: list[str]
    has_header: bool
    has_units: bool = False

    @property
    def n_skipped(self) -> int:
        """The number of rows before the first item."""
        return self.n_above + self.has_header + self.has_units


def use_tabs(text: str) -> str:
    r"""Return a table whose columns are separated by spaces with tabs; any other text as it is.

    Lines above the table that begin with # are remarks.

    Examples
    --------
    >>> use_tabs("name   mass\nant    1.5\n")
    'name\tmass\nant\t1.5\n'
    >>> use_tabs("# made up\nname   mass\nant    1.5\n")
    '# made up\nname\tmass\nant\t1.5\n'
    >>> use_tabs("name\nAnn Lee\n")
    'name\nAnn Lee\n'
    """
    if any(separator in text for separator in SEPARATORS):
        return text
    lines = [line.strip() for line in io.StringIO(text)]
    remarks = list(itertools.takewhile(lambda line: line.startswith("#"), lines))
    lines = lines[len(remarks) :]
    try:
        rows = [row for row in csv.reader(lines, delimiter=" ", skipinitialspace=True) if row]
    except csv.Error:
        return text
    if len(rows) < 2:
        return text
    widths = {len(row) for row in rows[1:]}
    # R leaves out the name of the column with row names.
    if len(widths) != 1 or not 0 <= max(widths) - len(rows[0]) <= 1:
        return text
    if max(widths) == 1 or not all(any(map(NUMBER.fullmatch, row)) for row in rows[1:]):
        return text
    tabbed = io.StringIO()
    tabbed.writelines(f"{line}\n" for line in remarks)
    csv.writer(tabbed, delimiter="\t", lineterminator="\n").writerows(rows)
    return tabbed.getvalue()


def split_rows(text: str, file: str) -> tuple[str, list[list[str]]]:
    """Find the separator by which most rows have the same number of fields, and the first rows."""
    found: dict[str, list[list[str]]] = {}
    for separator in SEPARATORS:
        rows = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
        try:
            looked_at = itertools.islice(rows, MAX_LOOKED_AT)
            found[separator] = [[field.strip() for field in row] for row in looked_at]
        except csv.Error as error:
            raise UserError(f"{file} cannot be read as a table: {error}") from None

    def agreement(separator: str) -> tuple[bool, float, int]:
        rows = [row for row in found[separator] if any(row)]
        width, share = _usual_width(rows)
        # One column of numbers with decimal commas is not two columns.
        is_decimal = (
            width == 2 and len(rows[0]) == 1 and all("".join(row).isdigit() for row in rows[1:])
        )
        return width > 1 and not is_decimal, share, width

    separator = max(SEPARATORS, key=agreement)
    return separator, found[separator]


def _usual_width(rows: list[list[str]]) -> tuple[int, float]:
    """Return the most frequent number of fields, and the share of rows that have it."""
    widths = Counter(len(row) for row in rows if any(row))
    if not widths:
        return 0, 0.0
    width, count = max(widths.items(), key=lambda each: (each[1], each[0]))
    return width, count / widths.total()


def find_layout(rows: list[list[str]], file: str) -> Layout:
    """Find the header of a table below its titles.

    Examples
    --------
    >>> find_layout([["Sales"], [], ["shop", "sum", "tax"], ["a", "1", "2"], ["b", "3", "4"]], "t")
    Layout(n_above=2, names=['shop', 'sum', 'tax'], has_header=True, has_units=False)
    """
    filled = [number for number, row in enumerate(rows) if any(row)]
    if not filled:
        raise UserError(f"{file} is empty", "Give a table with a row of column names.")
    width = _usual_width(rows)[0]
    # R writes row names without a name, so that a header may be shorter by one.
    least = width - 1 if width > 2 else width
    n_filled = [sum(map(bool, row)) for row in rows]
    start = filled[0]
    if rows[start][0] and n_filled[start] < least and n_filled[start] <= width / 2:
        below = next((number for number in filled if n_filled[number] >= least), start)
        # With two columns, one name above numbers is a header of R.
        if width > 2 or not any(_is_data([field]) for field in rows[below]):
            start = below
    header = rows[start]
    if _is_data(header):
        return Layout(start, [f"x{at}" for at in range(1, len(header) + 1)], False)
    below_header = rows[start + 1 :]
    after = next(filter(any, below_header), [])
    if len(after) == len(header) + 1:
        # R writes row names without a name; other programs end rows with a separator.
        header = ["", *header] if after[-1] else [*header, ""]
    if not _are_units(below_header):
        return Layout(start, header, True)
    units = below_header[0]
    names = [f"{name} ({unit})" if unit else name for name, unit in zip(header, units, strict=True)]
    return Layout(start, names, True, has_units=True)


def _is_data(header: list[str]) -> bool:
    """Whether a first row is data: it holds numbers that do not just count the columns."""
    if not all(NUMBER.fullmatch(name) for name in header):
        return False
    values = [float(name.replace(",", ".")) for name in header]
    return not any(values == [n + start for n in range(len(values))] for start in (0, 1))


def _are_units(rows: list[list[str]]) -> bool:
    """Whether a row has texts above numbers only: units, or explanations of the names.

    Examples
    --------
    >>> _are_units([["", "cm"], ["oak", "9.5"], ["elm", "7"]])
    True
    >>> _are_units([["ash", "tall"], ["oak", "9.5"], ["elm", "7"]])
    False
    """
    first, others = rows[0] if rows else [], [row for row in rows[1:] if any(row)]
    if not any(first) or not others or any(len(row) != len(first) for row in others):
        return False
    columns = zip(*others, strict=True)
    return all(
        not field or (not is_gap(field) and not NUMBER.fullmatch(field) and _are_numbers(column))
        for field, column in zip(first, columns, strict=True)
    )


def _are_numbers(column: tuple[str, ...]) -> bool:
    present = [field for field in column if not is_gap(field)]
    return bool(present) and all(map(NUMBER.fullmatch, present))
