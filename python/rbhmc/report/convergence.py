"""Whether the chains agree: the verdict, and the table behind it."""

from typing import TYPE_CHECKING

from rbhmc._core import InvalidInput
from rbhmc.diagnostics import Diagnostics, Row, diagnose
from rbhmc.diagnostics.convergence import HEADINGS
from rbhmc.diagnostics.verdict import RHAT_AGREE, RHAT_NEARLY
from rbhmc.report.markup import Markup, joined, tag

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

MARKS = {"agree": "✓", "nearly": "!", "disagree": "✕", "unknown": "?"}


def diagnosed(model: "RBHMC") -> Diagnostics | str:
    """Compare the chains, or say in words why that is impossible."""
    try:
        return diagnose(model.draws_, model.tree_.paths)
    except ImportError as error:
        return f"Whether the chains agree is not known: {error}"
    except InvalidInput as error:
        return f"The chains cannot be compared: {error}"


def verdict(diagnostics: Diagnostics | str, doubt: str = "") -> Markup:
    """Write the verdict with its mark, and below it what the tree is in doubt for.

    Examples
    --------
    >>> print(verdict("No chains."))
    <div class="verdict unknown"><span class="mark" aria-hidden="true">?</span>...
    """
    if isinstance(diagnostics, str):
        status, text = "unknown", diagnostics
    else:
        status, text = diagnostics.verdict.status, diagnostics.verdict.text
    return joined(_marked(status, text), *([_marked("nearly", doubt)] if doubt else []))


def _marked(status: str, text: str) -> Markup:
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
    return capital(line) + ("" if line.endswith(".") else ".")


def capital(words: str) -> str:
    """Begin words with a capital, and leave the rest as it is.

    Examples
    --------
    >>> capital("mean"), capital("R-hat")
    ('Mean', 'R-hat')
    """
    return words[:1].upper() + words[1:]


def table(found: Diagnostics | str) -> Markup:
    """Write a row for each figure."""
    if isinstance(found, str):
        return tag("p", found, class_="note")
    head = tag(
        "tr",
        tag("th", "Figure", scope="col"),
        *(tag("th", capital(words), scope="col", class_="number") for words in HEADINGS),
    )
    rows = [_row(row) for row in found.table]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="diagnostics")


def _row(row: Row) -> Markup:
    name = tag("th", row.name, scope="row")
    if row.note:
        return tag("tr", name, tag("td", row.note, colspan="5", class_="words"))
    classes = ["number", "number", f"number {_judged(row.rhat)}", "number", "number"]
    return tag(
        "tr",
        name,
        *(tag("td", cell, class_=kind) for cell, kind in zip(row.cells, classes, strict=True)),
    )


def _judged(rhat: float | None) -> str:
    if rhat is None or round(rhat, 3) <= RHAT_AGREE:
        return "fine"
    return "doubtful" if round(rhat, 3) <= RHAT_NEARLY else "bad"
