"""The figures of a run as text, in lines of 80 characters."""

import textwrap
from collections.abc import Sequence

from rbhmc.diagnostics.convergence import HEAD, Row

WIDTH = 80
WIDTHS = (10, 9, 7, 10, 10)


def table_text(rows: Sequence[Row]) -> str:
    """Write a line for each figure under one head.

    Examples
    --------
    >>> row = Row("RCDLL", None, -214.377, 8.1, 1.002, 3120.4, 2790.0)
    >>> same = Row("nodes, level 1", 1, 3.0, 0.0, words="constant: 3")
    >>> print(table_text([row, same]))
                         mean       sd  R-hat  ESS bulk  ESS tail
    RCDLL             -214.38     8.10  1.002      3120      2790
    nodes, level 1  constant: 3
    """
    width = max(len(row.name) for row in rows)
    return "\n".join([_line("", HEAD, width), *(_row_line(row, width) for row in rows)])


def wrapped(text: str) -> str:
    """Break the lines of a text where they are too long, further lines indented.

    Examples
    --------
    >>> print(wrapped("word " * 20))
    word word word word word word word word word word word word word word word word
      word word word word
    """
    lines = [textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in text.splitlines()]
    return "\n".join(lines)


def _row_line(row: Row, width: int) -> str:
    if row.words:
        return f"{row.name:<{width}}  {row.words}"
    return _line(row.name, row.cells, width)


def _line(name: str, cells: Sequence[str], width: int) -> str:
    aligned = (f"{cell:>{size}}" for cell, size in zip(cells, WIDTHS, strict=True))
    return f"{name:<{width}} {''.join(aligned)}"
