"""The form of a text table, found by looking: encoding, separator, decimal mark, names."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from rbhmc.cli.errors import UserError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# Rows that the form is read off.
SAMPLE = 200
# A byte-order mark, and what it stands at the start of.
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# A field that is nothing but a number with a comma, between semicolons.
DECIMAL_COMMA = re.compile(r'(?:^|;)[ "]*[+-]?\d*,\d+(?:[eE][+-]?\d+)?[ "]*(?=;|$)', re.MULTILINE)


class Form(NamedTuple):
    """How to read a text table.

    Attributes
    ----------
    separator, decimal : str
    names : tuple of str
        Of the columns, as they stand there; empty where a column has none.
    has_header : bool
        Whether the first row holds them.
    """

    separator: str
    decimal: str
    names: tuple[str, ...]
    has_header: bool


def decoded(data: bytes, file: str) -> tuple[str, str | None]:
    r"""Return the text, with ends of lines made one, and its encoding where that was guessed.

    Examples
    --------
    >>> decoded(b"\xef\xbb\xbfname\r\nbee", "a.csv"), decoded(b"\xfcber", "a.csv")
    (('name\nbee', None), ('über', 'Windows-1252 (Latin-1)'))
    """
    marked = next((name for mark, name in MARKS.items() if data.startswith(mark)), None)
    if marked is None and b"\0" in data:
        raise UserError(f"{file} is not a text table: it holds zero bytes")
    # Every byte has a meaning in Latin-1, so that one of these succeeds.
    for encoding in (marked or "utf-8", "cp1252", "latin-1"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        guessed = None if encoding == (marked or "utf-8") else "Windows-1252 (Latin-1)"
        return text.replace("\r\n", "\n").replace("\r", "\n"), guessed
    raise AssertionError("unreachable")


def form_of(text: str, file: str) -> Form:
    r"""Find out how a text table is to be read.

    Examples
    --------
    >>> form_of("name;size\nbee;1,5\nant;0,5\n", "a.csv")
    Form(separator=';', decimal=',', names=('name', 'size'), has_header=True)
    """
    separator, rows = max(
        ((separator, _sample(text, separator)) for separator in SEPARATORS), key=_fitness
    )
    if not rows:
        raise UserError(f"{file} is empty", "Give a table with a row of column names, then data.")
    if max(len(row) for row in rows) == 1:
        # One column: a comma is then no separator, but may be a decimal mark.
        separator = ";"
    decimal = "," if separator == ";" and DECIMAL_COMMA.search(text) else "."
    header = [name.strip() for name in rows[0]]
    if _is_data(header, decimal):
        names = tuple(f"x{number}" for number in range(1, len(header) + 1))
        return Form(separator, decimal, names, has_header=False)
    return Form(separator, decimal, _whole(header, rows[1:]), has_header=True)


def _sample(text: str, separator: str) -> list[list[str]]:
    return list(islice(_rows(text, separator), SAMPLE))


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    while True:
        try:
            row = next(reader)
        except (StopIteration, csv.Error):
            return
        if any(field.strip() for field in row):
            yield row


def _fitness(candidate: tuple[str, list[list[str]]]) -> tuple[bool, float, int]:
    """Prefer a separator that splits the header, then even rows, then many columns."""
    _, rows = candidate
    if not rows:
        return False, 0.0, 0
    length, count = Counter(len(row) for row in rows).most_common(1)[0]
    return len(rows[0]) > 1, count / len(rows), length


def _is_data(header: list[str], decimal: str) -> bool:
    """Tell a first row of data from names: all are numbers, and do not just count columns."""
    try:
        numbers = [float(name.replace(decimal, ".")) for name in header]
    except ValueError:
        return False
    return not any(numbers == [n + start for n in range(len(numbers))] for start in (0, 1))


def _whole(header: list[str], rows: list[list[str]]) -> tuple[str, ...]:
    """Add the name that is absent where every row has one field more than the header."""
    if not rows or any(len(row) != len(header) + 1 for row in rows):
        return tuple(header)
    if any(row[-1].strip() for row in rows):
        # R writes the names of rows below no header.
        return ("", *header)
    return (*header, "")
