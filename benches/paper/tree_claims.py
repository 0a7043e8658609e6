"""Claims on presented trees, their F-measure, and co-occurrence."""

from collections.abc import Sequence

from paper.claims import SCORE, Claim, Finding, of_all, of_gains, of_signs
from paper.evidence import Evidence
from paper.intervals import Interval, change
from paper.protocol import BHMC, Cell


def better_trees_claim(
    section: str, text: str, cells: Sequence[Cell], others: Sequence[Cell] = ()
) -> Claim:
    """Return a claim that trees look better, judged by F at their best level.

    Others are cells whose figures are stated too.
    """

    def check(evidence: Evidence) -> Finding:
        shown = [*cells, *(one for one in others if evidence.has([one]))]
        found = [evidence.f_gain(one) for one in shown]
        pairs = zip(shown, found, strict=True)
        figures = "; ".join(f"{one.name}: F {gain.text(SCORE)}" for one, gain in pairs)
        return Finding(figures, of_signs(found[: len(cells)]))

    rule = (
        "the paper compares trees by eye; we compare F at the best level of each presented tree "
        "with BHMC's: interval above 0; not judged if it contains 0"
    )
    if len(cells) > 1:
        rule += "; in part: at some of the settings"
    return Claim(section, text, rule, lambda _: [BHMC, *cells], check)


def f_gains_claim(section: str, text: str, cell: Cell, levels: Sequence[int]) -> Claim:
    """Return the claim that F is better than BHMC's at some levels."""

    def check(evidence: Evidence) -> Finding:
        found, figures = f_levels(evidence, cell, levels)
        return Finding(figures, of_gains(found))

    rule = (
        f"15 chains each, levels {' and '.join(map(str, levels))}, the differences of the means: "
        "intervals above 0; in part: at one, or only the means are above 0"
    )
    return Claim(section, text, rule, lambda _: [BHMC, cell], check)


def f_levels(evidence: Evidence, cell: Cell, levels: Sequence[int]) -> tuple[list[Interval], str]:
    """Return the gains of F at some levels, and a text that has those of all chains as well."""
    found = [evidence.f_gain(cell, level) for level in levels]
    text = list_levels(found, levels, SCORE)
    n = min(len(evidence.chains(at)) for at in (cell, BHMC))
    if n > evidence.lengths.n_scored:
        every = [evidence.f_gain(cell, level, of_all=True) for level in levels]
        text += f"; all {n} chains: {list_levels(every, levels, SCORE)}"
    return found, text


def list_levels(found: Sequence[Interval], levels: Sequence[int], form: str) -> str:
    """Write figures by level."""
    pairs = zip(levels, found, strict=True)
    return "; ".join(f"level {level}: {one.text(form)}" for level, one in pairs)


def certainty_claim(section: str, text: str, cells: Sequence[Cell], levels: Sequence[int]) -> Claim:
    """Return the claim that the co-occurrence of cells is less uncertain than that of BHMC."""

    def check(evidence: Evidence) -> Finding:
        answers, figures = [], []
        for cell in cells:
            found = uncertainty_changes(evidence, cell, BHMC, levels)
            answers += [one.is_below for one in found]
            figures.append(f"{cell.name}, {list_levels(found, levels, '{:+.0%}')}")
        return Finding("; ".join(figures), of_all(answers))

    where = " and ".join(map(str, levels))
    rule = (
        f"the mean of 4P(1 − P) over pairs at levels {where} is lower than BHMC's, interval below "
        "0; in part: in some places"
    )
    return Claim(section, text, rule, lambda _: [BHMC, *cells], check)


def uncertainty_changes(
    evidence: Evidence, cell: Cell, against: Cell, levels: Sequence[int]
) -> list[Interval]:
    """Return the relative changes of the mean of 4P(1 − P)."""
    return [
        change(*(evidence.pairs(at, level, "uncertainty") for at in (cell, against)))
        for level in levels
    ]
