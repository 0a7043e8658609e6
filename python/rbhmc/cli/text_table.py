"""Tables of text: columns in line, words to the left and numbers to the right."""

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], n_left: int = 1) -> str:
    """Put cells in columns, of which the first `n_left` hold words.

    Examples
    --------
    >>> print(aligned([["run", "items"], ["A", "33"], ["B long", "7"]]))
    run     items
    A          33
    B long      7
    """
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            f"{cell:<{width}}" if place < n_left else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
