"""The paper's claims (§5), and the rule by which the chains of a reading give a verdict on each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paper.evidence import AID_FORMS, Evidence
from paper.intervals import Interval, change
from paper.protocol import BHMC, EXTREMES, MARGINS, Cell

Verdict = Literal["holds", "in part", "does not", "cannot be judged"]
PERCENT = "{:+.1%}"
SCORE = "{:+.3f}"


class Finding(NamedTuple):
    """The figures of a reading, and the verdict that the rule gives."""

    figures: str
    verdict: Verdict


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes
    ----------
    section : str
        Where the paper makes it.
    text : str
        The claim, in our words.
    rule : str
        What its verdict depends on.
    needs : callable
        The cells that must have three chains at least.
    check : callable
        Judges the chains.
    """

    section: str
    text: str
    rule: str
    needs: Callable[[Evidence], Sequence[Cell]]
    check: Callable[[Evidence], Finding]

    def judge(self, evidence: Evidence) -> Finding:
        """Apply the rule, if there are chains enough."""
        if not evidence.has(self.needs(evidence)):
            n = evidence.records.repeats(list(self.needs(evidence)))
            few = "not run" if n == 0 else f"{n} chain{'s' if n > 1 else ''} only"
            return Finding(few, "cannot be judged")
        return self.check(evidence)


def of_all(answers: Sequence[bool]) -> Verdict:
    """Hold if all answers are yes, and in part if some are.

    Examples
    --------
    >>> of_all([True, True]), of_all([True, False]), of_all([False])
    ('holds', 'in part', 'does not')
    """
    return "holds" if all(answers) else "in part" if any(answers) else "does not"


def of_share(share: float) -> Verdict:
    """Hold at 90 %, and in part at 50 %.

    Examples
    --------
    >>> of_share(0.95), of_share(0.5), of_share(0.4)
    ('holds', 'in part', 'does not')
    """
    return "holds" if share >= 0.9 else "in part" if share >= 0.5 else "does not"


def of_size(found: Interval, printed: float) -> Verdict:
    """Hold if the interval reaches the printed change, and in part if it reaches half of it.

    An interval that contains 0 does not hold.

    Examples
    --------
    >>> of_size(Interval(-0.1, -0.12, -0.08), -0.2), of_size(Interval(-0.1, -0.2, 0.1), -0.3)
    ('in part', 'does not')
    """
    sign = 1.0 if printed > 0.0 else -1.0
    near, far = sorted((sign * found.low, sign * found.high))
    if near <= 0.0 or far < 0.5 * abs(printed):
        return "does not"
    return "holds" if far >= abs(printed) else "in part"


def of_sign(found: Interval) -> Verdict:
    """Hold if the interval is above 0; an interval that contains 0 cannot be judged.

    Examples
    --------
    >>> of_sign(Interval(0.1, -0.1, 0.3)), of_sign(Interval(0.2, 0.1, 0.3))
    ('cannot be judged', 'holds')
    """
    return "holds" if found.is_above else "does not" if found.is_below else "cannot be judged"


def of_gains(found: Sequence[Interval]) -> Verdict:
    """Hold if all intervals are above 0; in part: one is, or all means are.

    Examples
    --------
    >>> of_gains([Interval(0.2, 0.1, 0.3)]), of_gains([Interval(0.2, -0.1, 0.5)])
    ('holds', 'in part')
    >>> of_gains([Interval(0.2, -0.1, 0.5), Interval(-0.2, -0.5, 0.1)])
    'does not'
    """
    if all(one.is_above for one in found):
        return "holds"
    means = all(one.value > 0.0 for one in found)
    return "in part" if means or any(one.is_above for one in found) else "does not"


# What is said of both tables.


def whole_grid(evidence: Evidence) -> list[Cell]:
    """List BHMC and the cells of the sensitivity map."""
    return [BHMC, *evidence.design.grid]


def _check_singular(evidence: Evidence) -> Finding:
    shares = {cell: evidence.singular(cell) for cell in whole_grid(evidence)}
    rare = [share < 1e-3 for share in shares.values()]
    worst = max(shares, key=lambda cell: shares[cell])
    figures = (
        f"rare in {sum(rare)} of {len(rare)} cells; most at {worst.name}, {shares[worst]:.2%}; "
        f"{evidence.n_lost()} chains without any other draw"
    )
    return Finding(figures, of_share(float(np.mean(rare))))


def _check_tiny(evidence: Evidence) -> Finding:
    smallest = [Cell(evidence.design.strengths[0], margin) for margin in MARGINS]
    found = [of(cell) for cell in smallest for of in (evidence.aid_change, evidence.aod_change)]
    largest = max(found, key=lambda one: abs(one.value))
    figures = f"C = {smallest[0].C:g}: the largest change is {largest.text(PERCENT)}"
    return Finding(figures, of_all([one.low <= 0.02 and one.high >= -0.02 for one in found]))


def _check_uniform(evidence: Evidence) -> Finding:
    found = {cell: evidence.evenness(cell) for cell in (BHMC, *EXTREMES)}
    figures = "; ".join(
        f"{cell.name}: {one.text('{:.2f}')}, {evidence.nodes(cell)[-1]:.1f} leaves"
        for cell, one in found.items()
    )
    return Finding(figures, of_all([found[cell].value >= 0.95 for cell in EXTREMES]))


def _check_excess(evidence: Evidence) -> Finding:
    strongest = Cell(evidence.design.strengths[-1], MARGINS[-1])
    answers, figures = [], []
    for cell in (strongest, *EXTREMES):
        flat, single = evidence.of_trees(cell, "flat"), evidence.singular(cell)
        answers.append(flat.value >= 0.9 or single >= 0.5)
        figures.append(f"{cell.name}: {flat.value:.0%} of items flat, {single:.1%} single paths")
    return Finding("; ".join(figures), of_all(answers))


def check_nonlinear(evidence: Evidence) -> Finding:
    """Fit a plane to the changes over the grid."""
    shares = {measure: _linear_share(evidence.surface(measure)) for measure in ("AID", "AOD")}
    figures = ", ".join(f"{measure} R² = {share:.2f}" for measure, share in shares.items())
    return Finding(figures, of_all([share < 0.9 for share in shares.values()]))


def _linear_share(surface: NDArray[np.float64]) -> float:
    """Return R² of a plane over the logarithms of C and margin, which are evenly spaced."""
    rows, columns = np.indices(surface.shape)
    plane = np.column_stack([np.ones(surface.size), rows.ravel(), columns.ravel()])
    rest = surface.ravel() - plane @ np.linalg.lstsq(plane, surface.ravel())[0]
    return 1.0 - float(rest.var() / surface.var())


def check_smooth(evidence: Evidence) -> Finding:
    """Compare the steps between neighbouring cells with the range."""
    steps = {}
    for measure in ("AID", "AOD"):
        surface = evidence.surface(measure)
        largest = max(float(np.abs(np.diff(surface, axis=axis)).max()) for axis in (0, 1))
        steps[measure] = largest / float(np.ptp(surface))
    figures = ", ".join(f"{measure} {step:.0%} of its range" for measure, step in steps.items())
    return Finding("largest step: " + figures, of_all([step <= 0.5 for step in steps.values()]))


def check_strength_matters_more(evidence: Evidence) -> Finding:
    """Compare the ranges over C and over margins."""
    answers, figures = [], []
    for measure in ("AID", "AOD"):
        surface = evidence.surface(measure)
        ranges = [float(np.ptp(surface.mean(axis=axis))) for axis in (1, 0)]
        answers.append(ranges[0] > ranges[1])
        figures.append(f"{measure}: {ranges[0]:.0f} points over C, {ranges[1]:.0f} over margins")
    return Finding("; ".join(figures), of_all(answers))


def check_margin_matters(evidence: Evidence) -> Finding:
    """Compare the margins at the best C."""
    answers, figures = [], []
    for measure in ("AID", "AOD"):
        C = evidence.best_cell(measure)[0].C
        found = [evidence.changes(measure)[Cell(C, margin)] for margin in MARGINS]
        low, high = (pick(found, key=lambda one: one.value) for pick in (min, max))
        answers.append(low.high < high.low)
        figures.append(f"{measure} at C = {C:g}: {low.value:+.1%} to {high.value:+.1%}")
    return Finding("; ".join(figures), of_all(answers))


def aid_claim(section: str, printed: str, least: float) -> Claim:
    """Return the claim on the largest improvement of AID."""

    def check(evidence: Evidence) -> Finding:
        best = [evidence.best_cell("AID", form) for form in range(3)]
        figures = "; ".join(
            f"{form} {found.text(PERCENT)} at {cell.name}"
            for form, (cell, found) in zip(AID_FORMS, best, strict=True)
        )
        return Finding(figures, of_size(best[0][1], least))

    rule = (
        f"the best cell of the grid, AID as printed: its interval reaches {least:.0%}; in part: "
        "half of that"
    )
    return Claim(section, f"AID improves by up to {printed}", rule, whole_grid, check)


def aod_claim(section: str, printed: float) -> Claim:
    """Return the claim on the largest improvement of AOD."""

    def check(evidence: Evidence) -> Finding:
        cell, found = evidence.best_cell("AOD")
        return Finding(f"{found.text(PERCENT)} at {cell.name}", of_size(found, printed))

    rule = f"the best cell of the grid: its interval reaches {printed:+.1%}; in part: half of that"
    text = f"AOD improves by up to about {100 * printed:g} %"
    return Claim(section, text, rule, whole_grid, check)


def f_levels(evidence: Evidence, cell: Cell, levels: Sequence[int]) -> list[Interval]:
    """Return the gains of F at some levels."""
    return [evidence.f_gain(cell, level) for level in levels]


def list_levels(found: Sequence[Interval], levels: Sequence[int], form: str) -> str:
    """Write figures by level."""
    pairs = zip(levels, found, strict=True)
    return "; ".join(f"level {level}: {one.text(form)}" for level, one in pairs)


def certainty_claim(section: str, text: str, cells: Sequence[Cell], levels: Sequence[int]) -> Claim:
    """Return the claim that the co-occurrence of cells is less uncertain than that of BHMC."""

    def check(evidence: Evidence) -> Finding:
        found = {
            f"{cell.name}, level {level}": change(
                evidence.pairs(cell, level, "uncertainty"),
                evidence.pairs(BHMC, level, "uncertainty"),
            )
            for cell in cells
            for level in levels
        }
        figures = "; ".join(f"{name}: {one.text('{:+.0%}')}" for name, one in found.items())
        return Finding(figures, of_all([one.is_below for one in found.values()]))

    rule = "the mean of 4P(1 − P) over pairs is lower, interval below 0; in part: in some places"
    return Claim(section, text, rule, lambda _: [BHMC, *cells], check)


def better_trees_claim(section: str, text: str, cell: Cell) -> Claim:
    """Return a claim that trees look better, judged by F at their best level."""

    def check(evidence: Evidence) -> Finding:
        found = evidence.f_gain(cell)
        return Finding(f"F {found.text(SCORE)}", of_sign(found))

    rule = (
        "the paper looks at two trees; we at F of the best level of each presented tree, less "
        "BHMC's: above 0; an interval that contains 0 does not judge"
    )
    return Claim(section, text, rule, lambda _: [BHMC, cell], check)


def share_of(answers: Sequence[bool]) -> Finding:
    """Judge the share of traces."""
    return Finding(f"{sum(answers)} of {len(answers)} traces", of_share(float(np.mean(answers))))


GENERAL = [
    Claim(
        "§5",
        "single paths are extremely rare",
        "below 0.1 % of the draws, in 90 % of the cells; in part: in half of them",
        whole_grid,
        _check_singular,
    ),
    Claim(
        "§5",
        "a very small C makes the model similar to BHMC",
        "at the smallest C and all margins, the intervals of AID and AOD reach into ±2 %",
        whole_grid,
        _check_tiny,
    ),
    Claim(
        "§5, §5.2.3",
        "a very large C should assign uniformly, though the rich-get-richer prior keeps the "
        "hierarchy biased in practice",
        "evenness of the leaves (entropy over its largest value) is 0.95 at C = 10 and 100",
        lambda _: [BHMC, *EXTREMES],
        _check_uniform,
    ),
    Claim(
        "§5.1.4",
        "too strong a C or margin turns the tree into a flat clustering or a single path",
        "at the strongest cell and at C = 10 and 100: 90 % of items are in a child of the root "
        "without children (presented trees), or half of the draws are single paths",
        lambda evidence: [
            Cell(evidence.design.strengths[-1], MARGINS[-1]),
            *EXTREMES,
        ],
        _check_excess,
    ),
]
