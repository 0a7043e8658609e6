"""The parts of docs/results.md that are made from the records: verdicts, figures and tables.

A verdict on AID may differ if nodes of one item are left out, whose printed AID is 0/0. Where it
does, the page has both.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paper import animals_claims, fashion_claims, general_claims
from paper.claims import VERDICTS, Claim, Finding, Verdict
from paper.defaults import defaults_rows
from paper.evidence import AID_FORMS, Evidence
from paper.intervals import Interval, mean
from paper.protocol import BHMC, EXTREMES, Cell
from paper.records import Records

CLAIMS = {
    "animals": [*general_claims.CLAIMS, *animals_claims.CLAIMS],
    "fashion": [*general_claims.CLAIMS, *fashion_claims.CLAIMS],
}
# The columns of each part of the page: title, table, reading.
COLUMNS = {
    "animals": [
        ("active sums", "animals", "active"),
        ("path sums", "animals", "paths"),
        ("`collapsed`", "animals", "collapsed"),
    ],
    "fashion": [
        ("active sums", "fashion", "active"),
        ("active sums, 0 to 255", "fashion-255", "active"),
        ("path sums", "fashion", "paths"),
        ("path sums, 0 to 255", "fashion-255", "paths"),
        ("`collapsed`", "fashion", "collapsed"),
    ],
}
# The changes that the paper prints, of AID and AOD at the best.
PRINTED = {
    "animals": ("-20% to -25%", "", "+10%"),
    "fashion": ("-27% to -28%", "", "+7.5%"),
}


def evidence_of(part: str, folder: Path) -> dict[str, Evidence]:
    """Read the columns of a part, by title; columns without any chain are left out."""
    found = {
        title: Evidence(Records(folder, table, reading)) for title, table, reading in COLUMNS[part]
    }
    return {title: one for title, one in found.items() if one.records.lengths is not None}


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table.

    Examples
    --------
    >>> print(markdown_table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [head, ["---"] * len(head), *rows]
    texts = ["| " + " | ".join(line) + " |" for line in lines]
    texts[1] = "|" + "---|" * len(head)
    return "\n".join(texts)


def protocol_table(columns: dict[str, Evidence]) -> str:
    """State how many chains each cell has, for each column."""
    rows = []
    for title, evidence in columns.items():
        named = list(dict.fromkeys([*evidence.design.cases, evidence.design.scored]))
        others = [cell for cell in evidence.design.grid if cell not in named]
        counts = [count_chains(evidence, cells) for cells in (named, others, EXTREMES)]
        n = len(evidence.records.chains)
        rows.append([title, *counts, str(n), f"{evidence.records.seconds() / 60:.0f}"])
    head = ["", "BHMC and named cells", "other cells of the grid", "C = 10 and 100"]
    return markdown_table([*head, "chains in all", "processor minutes"], rows)


def count_chains(evidence: Evidence, cells: Sequence[Cell]) -> str:
    """Write the fewest and the most chains that a cell has."""
    counts = [len(evidence.chains(cell)) for cell in cells]
    few, many = min(counts), max(counts)
    return str(few) if few == many else f"{few} to {many}"


def verdict_table(part: str, columns: dict[str, Evidence], *, only_differing: bool = False) -> str:
    """Write the verdicts on all claims of a part, or on those on which columns differ."""
    rows = []
    for number, claim in enumerate(CLAIMS[part], start=1):
        verdicts = [show_verdicts(judge_both(claim, one)) for one in columns.values()]
        if len(set(verdicts)) > 1 or not only_differing:
            rows.append([str(number), f"{claim.text} ({claim.section})", *verdicts])
    return markdown_table(["", "the paper", *columns], rows)


def judge_both(claim: Claim, evidence: Evidence) -> tuple[Finding, Finding | None]:
    """Judge a claim; and with one-item nodes left out of AID, if that gives another verdict."""
    found = claim.judge(evidence)
    other = claim.judge(evidence.without_one_item_nodes())
    return found, other if other.verdict != found.verdict else None


def show_verdicts(found: tuple[Finding, Finding | None]) -> str:
    """Write a verdict, and in brackets the one with one-item nodes left out.

    Examples
    --------
    >>> show_verdicts((Finding("", "in part"), Finding("", "holds")))
    'in part (**holds**)'
    """
    first, other = found
    text = emphasize(first.verdict)
    return text if other is None else f"{text} ({emphasize(other.verdict)})"


def emphasize(verdict: Verdict) -> str:
    """Mark a verdict.

    Examples
    --------
    >>> emphasize("holds"), emphasize("cannot be judged")
    ('**holds**', '–')
    """
    return {"holds": "**holds**", "cannot be judged": "–"}.get(verdict, verdict)


def claim_blocks(part: str, columns: dict[str, Evidence]) -> str:
    """Write claim, rule, figures and verdicts, one block for each claim."""
    return "\n\n".join(
        claim_block(number, claim, columns) for number, claim in enumerate(CLAIMS[part], start=1)
    )


def claim_block(number: int, claim: Claim, columns: dict[str, Evidence]) -> str:
    """Write one block."""
    rows = []
    for title, evidence in columns.items():
        found, other = judge_both(claim, evidence)
        rows.append([title, found.figures, found.verdict])
        if other is not None:
            rows.append([f"{title}, {AID_FORMS[1]}", other.figures, f"({other.verdict})"])
    return (
        f"**{number}. {claim.text[0].upper()}{claim.text[1:]}** ({claim.section}). "
        f"*Rule:* {claim.rule}.\n\n" + markdown_table(["", "figures", "verdict"], rows)
    )


def count_table(part: str, columns: dict[str, Evidence]) -> str:
    """Count the verdicts of each column, beside its best changes and what the paper prints."""
    rows = [["*the paper prints*", "", "", "", "", *PRINTED[part]]]
    for title, evidence in columns.items():
        counts = count_verdicts(part, evidence)
        rows.append([title, *map(str, counts.values()), *best_cells(evidence).values()])
        others = count_verdicts(part, evidence.without_one_item_nodes())
        if others != counts:
            rows.append([f"{title}, {AID_FORMS[1]}", *map(str, others.values()), "", "", ""])
    head = ["", "hold", "in part", "do not", "not judged", "best AID"]
    return markdown_table([*head, f"best AID, {AID_FORMS[1]}", "best AOD"], rows)


def count_verdicts(part: str, evidence: Evidence) -> dict[Verdict, int]:
    """Count the claims of a part by verdict."""
    found = [claim.judge(evidence).verdict for claim in CLAIMS[part]]
    return {verdict: found.count(verdict) for verdict in VERDICTS}


def best_cells(evidence: Evidence) -> dict[str, str]:
    """Write the best changes over the grid, with their cells; a dash if it was not run."""
    wanted = {"AID": ("AID", 0), "AID left out": ("AID", 1), "AOD": ("AOD", 0)}
    if not evidence.has([BHMC, *evidence.design.grid]):
        return dict.fromkeys(wanted, "–")
    best = {name: evidence.best_cell(*which) for name, which in wanted.items()}
    return {name: f"{one.value:+.1%} at {cell.name}" for name, (cell, one) in best.items()}


def defaults_table(part: str, folder: Path, columns: dict[str, Evidence]) -> str:
    """Write what `RBHMC()` gives."""
    rows = defaults_rows(folder, part, columns)
    return markdown_table(["", "AID", "AOD", "F of the best level", "F of the clusters"], rows)


def grid_table(evidence: Evidence) -> str:
    """Write the changes of AID and AOD against BHMC in all cells."""
    plain = [one for one in evidence.chains(BHMC) if "aid" in one]
    if not plain:
        return "Not run."
    aid = ", ".join(
        f"{np.mean([one['aid'][form] for one in plain]):.4g} ({AID_FORMS[form]})"
        for form in range(3)
    )
    intro = (
        f"BHMC ({len(plain)} chains): AID {aid}; AOD {np.mean([one['aod'] for one in plain]):.4g}."
    )
    rows = []
    for cell in (*evidence.design.grid, *EXTREMES):
        n = len([one for one in evidence.chains(cell) if "aid" in one])
        if n == 0:
            continue
        found = [*(evidence.aid_change(cell, form) for form in range(3)), evidence.aod_change(cell)]
        texts = write_intervals(found, "{:+.1%}", n)
        rows.append(
            [f"{cell.C:g}", f"{cell.margin:g}", str(n), *texts, f"{evidence.singular(cell):.2%}"]
        )
    head = ["C", "margin", "chains", *(f"AID, {form}" for form in AID_FORMS), "AOD", "single paths"]
    return intro + "\n\n" + markdown_table(head, rows)


def case_table(evidence: Evidence) -> str:
    """Write shape and F-measure of the presented trees of the named cells."""
    rows = []
    n_levels = evidence.design.settings["n_levels"]
    for cell in dict.fromkeys([*evidence.design.cases, evidence.design.scored]):
        chains = evidence.scored(cell)
        if not chains:
            continue
        nodes = " ".join(f"{n:.1f}" for n in evidence.nodes(cell))
        rows.append([cell.name, str(len(chains)), nodes, *describe_trees(chains)])
        longer = [one["longer"] for one in chains if "longer" in one]
        if longer:
            title = f"{cell.name}, 75,000 draws"
            rows.append([title, str(len(longer)), "", *describe_trees(longer)])
    head = ["setting", "chains", "nodes at each level, all draws", "children of the root", "leaves"]
    return markdown_table(
        [*head, "flat", *(f"F, level {level}" for level in range(1, n_levels + 1))], rows
    )


def describe_trees(trees: Sequence[dict[str, Any]]) -> list[str]:
    """Write the mean shape of presented trees, and their F-measure by level."""
    scores = [mean(column) for column in np.array([one["f"] for one in trees]).T]
    top, leaves, flat = (np.mean([one[key] for one in trees]) for key in ("top", "leaves", "flat"))
    texts = write_intervals(scores, "{:.3f}", len(trees))
    return [f"{top:.1f}", f"{leaves:.1f}", f"{flat:.0%}", *texts]


def write_intervals(found: Iterable[Interval], form: str, n_chains: int) -> list[str]:
    """Write values with their intervals, which two chains do not have."""
    return [one.text(form) if n_chains > 2 else form.format(one.value) for one in found]


def pair_table(evidence: Evidence) -> str:
    """Write the co-occurrence of the cases by level."""
    rows = []
    for cell in evidence.design.cases:
        n = len(evidence.scored(cell))
        for level in range(1, evidence.design.settings["n_levels"] + 1) if n else ():
            found = [
                mean(evidence.pairs(cell, level, key)) for key in ("mean", "grey", "uncertainty")
            ]
            rows.append([cell.name, str(n), str(level), *write_intervals(found, "{:.3f}", n)])
    head = ["setting", "chains", "level", "mean of P", "0.1 < P < 0.9", "mean of 4P(1 − P)"]
    return markdown_table(head, rows)


def trace_table(evidence: Evidence, cells: Sequence[Cell]) -> str:
    """Write level and spread of CDLL and RCDLL after burn-in."""
    rows = []
    for cell in cells:
        if evidence.chains(cell):
            texts = [
                f"{of(cell, key):.4g}"
                for key in ("cdll", "rcdll")
                for of in (evidence.level, evidence.spread)
            ]
            rows.append([cell.name, str(len(evidence.chains(cell))), *texts])
    head = ["setting", "chains", "CDLL", "its standard deviation", "RCDLL"]
    return markdown_table([*head, "its standard deviation"], rows)


def number_tables(part: str, columns: dict[str, Evidence]) -> str:
    """Write all tables of a part."""
    parts = []
    for title, evidence in columns.items():
        cells = [BHMC, *animals_claims.TRACED] if part == "animals" else evidence.design.cases
        heading = "Animals" if part == "animals" else "Fashion-MNIST"
        parts += [
            f"### {heading}, {title}",
            "AID and AOD against BHMC:",
            grid_table(evidence),
            "Presented trees:",
            case_table(evidence),
            "Co-occurrence P:",
            pair_table(evidence),
            "Log likelihoods after burn-in:",
            trace_table(evidence, cells),
        ]
    return "\n\n".join(parts)
