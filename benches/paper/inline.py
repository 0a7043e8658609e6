"""The figures inside the sentences of docs/results.md, by mark: they follow the records."""

from pathlib import Path

from paper.claims import PERCENT, SCORE, Verdict
from paper.defaults import defaults_changes, read_defaults
from paper.evidence import Evidence, published_columns
from paper.intervals import Interval
from paper.page import CLAIMS, best_cells, count_verdicts
from paper.protocol import BHMC, MARGINS, Cell

SAID: dict[Verdict, str] = {
    "holds": "holds",
    "in part": "holds in part",
    "does not": "does not hold",
    "cannot be judged": "cannot be judged",
}


def inline_figures(part: str, columns: dict[str, Evidence], folder: Path) -> dict[str, str]:
    """Return all marks of a part."""
    found = {}
    for title, evidence in columns.items():
        for name, text in column_figures(part, evidence).items():
            found[f"{part} {name}, {title}"] = text
    plain = columns["active sums"].f(BHMC).mean(axis=0)
    found[f"{part} F of BHMC"] = ", ".join(f"{score:.3f}" for score in plain)
    found[f"{part} most hold"] = most_hold(part, published_columns(columns))
    found[f"{part} lowest AID"] = lowest_aid(published_columns(columns))
    for model, fits in read_defaults(folder, part).items():
        changes = defaults_changes(fits, columns["active sums"])
        found[f"{part} draws of {model}"] = ", ".join(
            f"{measure} {change.value:+.0%}" for measure, change in changes.items()
        )
    return found


def column_figures(part: str, evidence: Evidence) -> dict[str, str]:
    """Return the marks of a column.

    They are the counts of verdicts, as printed and with one-item nodes left out of AID; each
    verdict; the best cells; AID and AOD of each cell, and their range over margins; the gains of F,
    of the scored chains at their best level and of all chains at each level; and how the spread of
    CDLL between chains compares with that within a chain.
    """
    found = {"tally": write_counts(count_verdicts(part, evidence))}
    left_out = evidence.without_one_item_nodes()
    found["tally left out"] = write_counts(count_verdicts(part, left_out))
    for number, claim in enumerate(CLAIMS[part], start=1):
        found[f"claim {number}"] = SAID[claim.judge(evidence).verdict]
    found |= {f"best {name}": text for name, text in best_cells(evidence).items()}
    measures = {
        "AID": evidence.aid_change,
        "AID left out": left_out.aid_change,
        "AOD": evidence.aod_change,
    }
    for name, of in measures.items():
        changes = {cell: of(cell) for cell in evidence.design.grid if evidence.has([BHMC, cell])}
        for cell in evidence.design.grid:
            found[f"{name} of {cell.name}"] = write(changes.get(cell))
        for C in evidence.design.strengths:
            row = [changes[at] for margin in MARGINS if (at := Cell(C, margin)) in changes]
            found[f"{name} at C = {C:g}"] = write_range(row)
    for cell in dict.fromkeys([*evidence.design.cases[1:], evidence.design.scored]):
        is_known = evidence.has([BHMC, cell])
        found[f"mixing of {cell.name}"] = (
            write_ratio(evidence.between_within_ratio(cell)) if is_known else "–"
        )
        found[f"F of {cell.name}"] = evidence.f_gain(cell).text(SCORE) if is_known else "–"
        for level in range(1, evidence.design.settings["n_levels"] + 1):
            found[f"F of {cell.name} at level {level}"] = (
                evidence.f_gain(cell, level, of_all=True).text(SCORE) if is_known else "–"
            )
    return found


def write_counts(counts: dict[Verdict, int]) -> str:
    """Write how many claims hold, of those that can be judged.

    Examples
    --------
    >>> write_counts({"holds": 3, "in part": 1, "does not": 1, "cannot be judged": 2})
    '3 of 5 hold, 1 in part'
    """
    n_judged = sum(counts.values()) - counts["cannot be judged"]
    return f"{counts['holds']} of {n_judged} hold, {counts['in part']} in part"


def most_hold(part: str, columns: dict[str, Evidence]) -> str:
    """Name the columns in which most claims hold, for a sentence that ends with these."""
    counts = {title: count_verdicts(part, one)["holds"] for title, one in columns.items()}
    best = max(counts.values())
    return ", and with ".join(
        f"*{spell(title)}*" for title, count in counts.items() if count == best
    )


def lowest_aid(columns: dict[str, Evidence]) -> str:
    """Write the lowest AID of all columns whose grid was run, with its cell and its column."""
    found = [
        (*evidence.best_cell("AID"), title)
        for title, evidence in columns.items()
        if evidence.has([BHMC, *evidence.design.grid])
    ]
    if not found:
        return "–"
    cell, change, title = min(found, key=lambda one: one[1].value)
    return f"{change.value:+.1%} at {cell.name} with {spell(title)}"


def spell(title: str) -> str:
    """Write the title of a column in a sentence.

    Examples
    --------
    >>> spell("path sums, 0 to 255")
    'path sums and pixels from 0 to 255'
    """
    return title.replace(", 0 to 255", " and pixels from 0 to 255")


def write(change: Interval | None) -> str:
    """Write a change, or a dash.

    Examples
    --------
    >>> write(Interval(-0.1, -0.2, 0.0)), write(None)
    ('-10.0%', '–')
    """
    return "–" if change is None else PERCENT.format(change.value)


def write_ratio(ratio: float) -> str:
    """Write a ratio with two digits or more.

    Examples
    --------
    >>> write_ratio(0.391), write_ratio(813.2)
    ('0.39', '813')
    """
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"


def write_range(changes: list[Interval]) -> str:
    """Write the lowest and the highest value.

    Examples
    --------
    >>> write_range([Interval(0.1, 0.0, 0.2), Interval(-0.1, -0.2, 0.0)])
    '-10.0% to +10.0%'
    """
    if not changes:
        return "–"
    low, high = (PERCENT.format(pick(one.value for one in changes)) for pick in (min, max))
    return f"{low} to {high}"
