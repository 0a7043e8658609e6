"""Helpers for text that people read: plurals, numbers, line breaks, and names of others."""

import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable
from datetime import date, datetime, time

import numpy as np

# Categories of characters that break a line, move the cursor, or cannot be encoded.
UNPRINTABLE = frozenset({"Cc", "Zl", "Zp", "Cs"})
MAX_DECIMALS = 6
MAX_DECIMAL_VALUE = 1e7  # larger values are written with an exponent
# Characters that reverse what follows them, so that a text reads other than it is.
REVERSING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# A cell that a spreadsheet takes for a formula, perhaps behind quotes of `guard_formula`.
FORMULA = re.compile(r"'*[=+\-@\t\r]")


def pluralize(n: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> pluralize(1, "item"), pluralize(1200, "item"), pluralize(2, "leaf", "leaves")
    ('1 item', '1,200 items', '2 leaves')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def label_texts(labels: Iterable[object]) -> tuple[str, ...]:
    """Write the labels of rows or columns; days without a time, if all of them are midnight.

    Examples
    --------
    >>> label_texts([datetime(2020, 1, 31), datetime(2020, 2, 1)]), label_texts(["a", 1])
    (('2020-01-31', '2020-02-01'), ('a', '1'))
    """
    given = list(labels)
    days = [_midnight(each) for each in given]
    are_days = all(day is not None for day in days)
    return tuple(str(each) for each in (days if are_days else given))


def _midnight(label: object) -> date | None:
    """Return the day of a time that is midnight; None for anything else."""
    when = label.astype("M8[us]").item() if isinstance(label, np.datetime64) else label
    # NaT is not equal to itself.
    if isinstance(when, datetime) and when == when and when.time() == time():
        return when.date()
    return None


def wrap_text(text: str, width: int = 80, indent: str = "") -> str:
    r"""Break long lines between words; a line that is a command (``rbhmc ...``) stays whole.

    Continuation lines keep the indentation of their line, or are indented by two spaces.

    Examples
    --------
    >>> print(wrap_text("too long " * 3 + "\nrbhmc fit a.csv --n-draws 1000", width=20))
    too long too long
      too long
    rbhmc fit a.csv --n-draws 1000
    """
    lines: list[str] = []
    for line in text.split("\n"):
        words = line.lstrip()
        if not words or words.startswith("rbhmc "):
            lines.append(indent + line)
            continue
        own = indent + line[: len(line) - len(words)]
        lines += textwrap.wrap(
            words,
            width,
            initial_indent=own,
            subsequent_indent=own or "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def wrap_parts(parts: list[str], prefix: str, indent: str, width: int | None) -> list[str]:
    """Join parts by commas into lines of limited width; a part is never split.

    Examples
    --------
    >>> wrap_parts(["lion", "tiger", "cat"], "├─ ", "│  ", 16)
    ['├─ lion, tiger,', '│  cat']
    """
    lines, line = [], prefix + parts[0]
    for number, part in enumerate(parts[1:], start=2):
        comma = number < len(parts)
        if width is None or len(line) + 2 + len(part) + comma <= width:
            line += f", {part}"
        else:
            lines.append(f"{line},")
            line = indent + part
    return [*lines, line]


def shorten_text(text: str, length: int) -> str:
    """Cut a text that is longer than a length, and mark the cut.

    Examples
    --------
    >>> shorten_text("Officer-involved shooting", 20), shorten_text("Homicide", 20)
    ('Officer-involved sh…', 'Homicide')
    """
    return text if len(text) <= length else f"{text[: length - 1]}…"


def format_value(value: float, std: float) -> str:
    """Write a value of a feature with the decimals that its standard deviation makes meaningful.

    Examples
    --------
    >>> format_value(0.857142, 0.5), format_value(1234.5678, 40.0), format_value(-0.001, 3.0)
    ('0.86', '1,235', '0.0')
    >>> format_value(1.25e-9, 1e-9)
    '1.25e-09'
    """
    decimals = max(0, 1 - math.floor(math.log10(std))) if std > 0.0 else 2
    if decimals > MAX_DECIMALS or abs(value) >= MAX_DECIMAL_VALUE:
        return f"{value:.2e}"
    # Adding 0 turns -0 into 0.
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"


def escape_unprintable(name: str) -> str:
    r"""Write control characters, line ends and reversals as escapes: a name is what it shows.

    Examples
    --------
    >>> print(escape_unprintable("two\nlines"))
    two\nlines
    """
    if name.isprintable():
        return name
    return "".join(
        repr(char)[1:-1] if char in REVERSING or unicodedata.category(char) in UNPRINTABLE else char
        for char in name
    )


def visible_name(name: str) -> str:
    r"""Write a name of the user's on one line; a blank one gets quotes.

    Examples
    --------
    >>> print(visible_name("two\nlines"), visible_name(""))
    two\nlines ""
    """
    return escape_unprintable(name) if name.strip() else f'"{escape_unprintable(name)}"'


def escape_lines(text: str) -> str:
    r"""Escape what is unprintable in a text of several lines, before it goes to a terminal.

    Examples
    --------
    >>> print(escape_lines("clear the\n\x1b[2Jscreen"))
    clear the
    \x1b[2Jscreen
    """
    return "\n".join(escape_unprintable(line) for line in text.split("\n"))


def encode_text(text: str) -> bytes:
    r"""Encode a text as UTF-8; halves of surrogate pairs, which UTF-8 lacks, become escapes.

    Examples
    --------
    >>> encode_text("é \ud800")
    b'\xc3\xa9 \\ud800'
    """
    return text.encode("utf-8", "backslashreplace")


def guard_formula(value: str) -> str:
    """Put a quote before a text that a spreadsheet would run as a formula; numbers stay.

    Examples
    --------
    >>> guard_formula("=1+1"), guard_formula("'=1+1"), guard_formula("-2.5"), guard_formula("'t")
    ("'=1+1", "''=1+1", '-2.5', "'t")
    """
    if not FORMULA.match(value):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def unguard_formula(value: str) -> str:
    """Undo `guard_formula`.

    Examples
    --------
    >>> unguard_formula("'=1+1"), unguard_formula("-2.5"), unguard_formula("'t")
    ('=1+1', '-2.5', "'t")
    """
    return value[1:] if value.startswith("'") and FORMULA.match(value) else value
