"""The numbers of a table, or in words what is there in their place."""

from collections import Counter
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from rbhmc.cli.errors import UserError
from rbhmc.cli.messages import listed
from rbhmc.cli.raw_table import RawTable
from rbhmc.tree.text import printable

Names = list[str] | None


def finite_numbers(raw: RawTable, features: list[str], names: Names) -> NDArray[np.float64]:
    """Return the values of the features, all of which must be finite numbers.

    Parameters
    ----------
    raw : RawTable
    features : list of str
        The columns that are wanted.
    names : list of str, or None
        Of the items, where they have any, for messages.
    """
    frame = raw.frame[features]
    others = [name for name in features if raw.is_text(name)]
    if others:
        raise _not_numbers(raw, others, names)
    values: NDArray[np.float64] = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        raise _not_finite(raw.file, features, values, wrong, names)
    return values


def _not_numbers(raw: RawTable, columns: list[str], names: Names) -> UserError:
    column = columns[0]
    text = raw.text(column)
    bad = raw.no_numbers(column)
    # Values of a type that is neither text nor number, such as dates, may look like numbers.
    row = int(np.argmax(bad))
    n_bad = int(bad.sum())
    few = f" ({n_bad} of {len(bad)} values are no numbers)" if 0 < n_bad <= len(bad) / 2 else ""
    also = f"; nor are {listed(columns[1:])}" if columns[1:] else ""
    name = quote(column)
    return UserError(
        f"'{column}' in {raw.file} is not a column of numbers: {_row(row, names)} has "
        f"'{_short(text[row])}'{few}{also}",
        f"Leave it out with --drop {name}, let it name the items with --id-column {name}, or keep "
        f"it as known classes with --class-column {name}.",
        *_no_names(column, text),
    )


def _no_names(column: str, text: list[str]) -> list[str]:
    """Say why a column that looks like names is not taken for these."""
    value, count = Counter(text).most_common(1)[0]
    if count == 1 or len(set(text)) <= len(text) / 2:
        return []
    rows = [str(row) for row, other in enumerate(text, start=1) if other == value]
    return [f"(It cannot name them as it is: '{_short(value)}' is in rows {listed(rows, 3)}.)"]


def _not_finite(
    file: str,
    features: list[str],
    values: NDArray[np.float64],
    wrong: NDArray[np.intp],
    names: Names,
) -> UserError:
    row, place = (int(number) for number in wrong[0])
    value, column = float(values[row, place]), features[place]
    what = "no value" if np.isnan(value) else f"the value {value}"
    n_rows = len(np.unique(wrong[:, 0]))
    many = f"; {n_rows} rows have such gaps" if n_rows > 1 else ""
    return UserError(
        f"'{column}' in {file} has {what} in {_row(row, names)}{many}",
        "The model needs all values: delete the row, fill in what is missing (such as with the "
        f"mean of its column), or leave the column out with --drop {quote(column)}.",
    )


def _row(row: int, names: Names) -> str:
    return f"row {row + 1}" if names is None else f"row {row + 1} ({_short(names[row])})"


def _short(value: str) -> str:
    return printable(value if len(value) <= 40 else f"{value[:40]}…")
