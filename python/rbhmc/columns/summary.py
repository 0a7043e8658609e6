"""The list of all columns of a table: role, kind, gaps and treatment."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from rbhmc._text import escape_unprintable, pluralize, shorten_text
from rbhmc.columns.columns import Column, looks_like_class
from rbhmc.columns.encoding import Encoding

MAX_NAME = 30
MAX_VALUE = 20


def summarize_columns(columns: Sequence[Column]) -> list[tuple[str, str, str, str, str]]:
    """List name, role, kind, gaps and treatment; neighbours that are alike share a row.

    Examples
    --------
    >>> for row in summarize_columns([Column("a", "number"), Column("b", "number"),
    ...                               Column("sex", "category", values=("f", "m"), n_gaps=2)]):
    ...     print(row)
    ('a … b, 2 columns', 'feature', 'number', '', '')
    ('sex', 'feature', 'category', '2', 'f, m')
    """
    rows = []
    for _, alike in groupby(columns, key=_treatment):
        group = list(alike)
        rows.append((_name(group), *_treatment(group[0])))
    return rows


def format_columns(columns: Sequence[Column]) -> str:
    """Write the list of columns as a text with aligned columns.

    Examples
    --------
    >>> print(format_columns([Column("who", "text", "name"), Column("legs", "number")]))
    column  role     kind    gaps  treatment
    who     name     text
    legs    feature  number
    """
    rows = [("column", "role", "kind", "gaps", "treatment"), *summarize_columns(columns)]
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    lines = []
    for *cells, treatment in rows:
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        lines.append("  ".join([*padded, treatment]).rstrip())
    return "\n".join(lines)


def _name(group: Sequence[Column]) -> str:
    names = [escape_unprintable(column.name) for column in group]
    short = [shorten_text(name, MAX_NAME) for name in names]
    return short[0] if len(group) == 1 else f"{short[0]} … {short[-1]}, {len(group):,} columns"


def _treatment(column: Column) -> tuple[str, str, str, str]:
    note = column.note
    if column.role == "feature" and column.kind == "category":
        shown = [escape_unprintable(shorten_text(value, MAX_VALUE)) for value in column.values]
        note = ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")
    if looks_like_class(column):
        note = f"{note}; known classes?".removeprefix("; ")
    return column.role, column.kind, str(column.n_gaps or ""), note


def describe_gaps(encoding: Encoding, encoded: NDArray[np.float64]) -> str:
    """Say which columns have gaps, and what to do.

    Examples
    --------
    >>> encoding = Encoding((Column("age", "number"), Column("height", "number")))
    >>> describe_gaps(encoding, np.array([[np.nan, 1.8], [40.0, 1.7]]))
    'X contains NaN: 1 row has gaps, in age (1); use missing="impute" or "drop", or fill them'
    """
    is_gap = np.isnan(encoded)
    counts = [is_gap[:, block.start].sum() for block in encoding.blocks]
    pairs = zip(encoding.features, counts, strict=True)
    shown = [f"{column.name} ({count})" for column, count in pairs if count]
    rows = int(is_gap.any(axis=1).sum())
    more = f" and {len(shown) - 8} more columns" if len(shown) > 8 else ""
    return (
        f"X contains NaN: {pluralize(rows, 'row')} {'has' if rows == 1 else 'have'} gaps, in "
        f'{", ".join(shown[:8])}{more}; use missing="impute" or "drop", or fill them'
    )
