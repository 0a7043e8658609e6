"""Whether the chains agree: the verdict, and the table behind it."""

from typing import TYPE_CHECKING

from rbhmc._core import InvalidInput
from rbhmc.diagnostics import Diagnostics, Row, diagnose
from rbhmc.diagnostics.numbers import number, rhat_number, whole_number
from rbhmc.diagnostics.verdict import RHAT_AGREE, RHAT_NEARLY
from rbhmc.report.markup import Markup, tag

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

HEADS = ("Mean", "Sd", "R-hat", "ESS bulk", "ESS tail")
MARKS = {"agree": "✓", "nearly": "!", "disagree": "✕", "unknown": "?"}


def diagnosed(model: "RBHMC") -> Diagnostics | str:
    """Compare the chains, or say in words why that is impossible."""
    try:
        return diagnose(model.draws_, model.tree_.paths)
    except ImportError as error:
        return f"Whether the chains agree is not known: {error}"
    except InvalidInput as error:
        return f"The chains cannot be compared: {error}"


def verdict(found: Diagnostics | str) -> Markup:
    """Write the verdict with its mark.

    Examples
    --------
    >>> print(verdict("No chains."))
    <div class="verdict unknown"><span class="mark" aria-hidden="true">?</span>...
    """
    if isinstance(found, str):
        status, text = "unknown", found
    else:
        status, text = found.verdict.status, found.verdict.text
    lines = [tag("p", sentence(line)) for line in text.splitlines()]
    mark = tag("span", MARKS[status], class_="mark", aria_hidden="true")
    return tag("div", mark, tag("div", *lines), class_=f"verdict {status}")


def sentence(line: str) -> str:
    """Make a sentence of a line.

    Examples
    --------
    >>> sentence("4 chains agree"), sentence("one chain: use more.")
    ('4 chains agree.', 'One chain: use more.')
    """
    return line[:1].upper() + line[1:] + ("" if line.endswith(".") else ".")


def table(found: Diagnostics | str) -> Markup:
    """Write a row for each figure."""
    if isinstance(found, str):
        return tag("p", found, class_="note")
    head = tag(
        "tr",
        tag("th", "Figure", scope="col"),
        *(tag("th", words, scope="col", class_="number") for words in HEADS),
    )
    rows = [_row(row) for row in found.table]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="diagnostics")


def _row(row: Row) -> Markup:
    name = tag("th", row.name, scope="row")
    if row.words:
        return tag("tr", name, tag("td", row.words, colspan="5", class_="words"))
    cells = (
        number(row.mean),
        number(row.sd),
        rhat_number(row.rhat),
        whole_number(row.ess_bulk),
        whole_number(row.ess_tail),
    )
    classes = ["number", "number", f"number {_judged(row.rhat)}", "number", "number"]
    return tag(
        "tr",
        name,
        *(tag("td", cell, class_=kind) for cell, kind in zip(cells, classes, strict=True)),
    )


def _judged(rhat: float | None) -> str:
    if rhat is None or round(rhat, 3) <= RHAT_AGREE:
        return "fine"
    return "doubtful" if round(rhat, 3) <= RHAT_NEARLY else "bad"
