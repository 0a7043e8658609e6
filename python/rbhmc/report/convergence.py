"""The convergence of the chains: the verdict, and the table behind it."""

from typing import TYPE_CHECKING

from rbhmc._core import InvalidInput
from rbhmc.diagnostics import Diagnostics, Row
from rbhmc.diagnostics.convergence import HEADINGS, RHAT_AGREE, RHAT_NEARLY
from rbhmc.report.markup import Markup, join, tag

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

MARKS = {"agree": "✓", "nearly": "!", "disagree": "✕", "unknown": "?"}


def compare_chains(model: "RBHMC") -> Diagnostics | str:
    """Return the diagnostics, or a sentence that says why there are none."""
    try:
        return model.diagnostics()
    except ImportError as error:
        return f"Whether the chains agree is not known: {error}"
    except InvalidInput as error:
        return f"The chains cannot be compared: {error}"


def verdict(diagnostics: Diagnostics | str, warning: str = "") -> Markup:
    """Write the verdict with its mark, and a warning about the tree below it.

    Examples
    --------
    >>> print(verdict("No chains."))
    <div class="verdict unknown"><span class="mark" aria-hidden="true">?</span>...
    """
    if isinstance(diagnostics, str):
        status, text = "unknown", diagnostics
    else:
        status, text = diagnostics.verdict.status, diagnostics.verdict.text
    return join(_box(status, text), *([_box("nearly", warning)] if warning else []))


def _box(status: str, text: str) -> Markup:
    lines = [tag("p", to_sentence(line)) for line in text.splitlines()]
    mark = tag("span", MARKS[status], class_="mark", aria_hidden="true")
    return tag("div", mark, tag("div", *lines), class_=f"verdict {status}")


def to_sentence(line: str) -> str:
    """Start a line with a capital and end it with a full stop.

    Examples
    --------
    >>> to_sentence("4 chains agree"), to_sentence("one chain: use more.")
    ('4 chains agree.', 'One chain: use more.')
    """
    return capitalize(line) + ("" if line.endswith(".") else ".")


def capitalize(text: str) -> str:
    """Start a text with a capital, and leave the rest unchanged.

    Examples
    --------
    >>> capitalize("mean"), capitalize("R-hat")
    ('Mean', 'R-hat')
    """
    return text[:1].upper() + text[1:]


def diagnostics_table(diagnostics: Diagnostics | str) -> Markup:
    """Write a table with a row for each diagnosed quantity."""
    if isinstance(diagnostics, str):
        return tag("p", diagnostics, class_="note")
    head = tag(
        "tr",
        tag("th", "Quantity", scope="col"),
        *(tag("th", capitalize(text), scope="col", class_="number") for text in HEADINGS),
    )
    rows = [_table_row(row) for row in diagnostics.table]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="diagnostics")


def _table_row(row: Row) -> Markup:
    name = tag("th", row.name, scope="row")
    if row.note:
        return tag("tr", name, tag("td", row.note, colspan="5", class_="row-note"))
    classes = ["number", "number", f"number {_judge(row.rhat)}", "number", "number"]
    cells = [tag("td", cell, class_=each) for cell, each in zip(row.cells, classes, strict=True)]
    return tag("tr", name, *cells)


def _judge(rhat: float | None) -> str:
    if rhat is None or round(rhat, 3) <= RHAT_AGREE:
        return "good"
    return "doubtful" if round(rhat, 3) <= RHAT_NEARLY else "bad"
