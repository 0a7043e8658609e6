"""Claims on the sensitivity maps (§5.1.2, §5.2.2): AID and AOD over C and margin."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paper.claims import PERCENT, Claim, Finding, of_all, of_size
from paper.evidence import AID_FORMS, Evidence
from paper.protocol import BHMC, MARGINS, Cell

MEASURES = ("AID", "AOD")
# What `of_size` does.
SIZE_RULE = (
    "its interval reaches {}, and not only more than twice that; in part: it reaches half of that, "
    "or is beyond twice that; not judged if it reaches half and contains 0"
)


def whole_grid(evidence: Evidence) -> list[Cell]:
    """List BHMC and the cells of the sensitivity map."""
    return [BHMC, *evidence.design.grid]


def improved_cells(evidence: Evidence) -> dict[str, list[Cell]]:
    """List the cells whose AID or AOD is significantly better than BHMC's."""
    return {
        "AID": [cell for cell, found in evidence.changes("AID").items() if found.is_below],
        "AOD": [cell for cell, found in evidence.changes("AOD").items() if found.is_above],
    }


def nonlinear_claim(section: str) -> Claim:
    """Return the claim that a plane does not fit the maps."""

    def check(evidence: Evidence) -> Finding:
        shares = [_linear_share(evidence.surface(measure)) for measure in MEASURES]
        pairs = zip(MEASURES, shares, strict=True)
        figures = ", ".join(f"{measure} R² = {share:.2f}" for measure, share in pairs)
        return Finding(figures, of_all([share < 0.9 for share in shares]))

    text = "AID and AOD depend on C and margin in a non-linear way"
    rule = "a plane over log C and log margin has R² below 0.9 for both"
    return Claim(section, text, rule, whole_grid, check)


def _linear_share(surface: NDArray[np.float64]) -> float:
    """Return R² of a plane over the logarithms of C and margin, which are evenly spaced."""
    rows, columns = np.indices(surface.shape)
    plane = np.column_stack([np.ones(surface.size), rows.ravel(), columns.ravel()])
    rest = surface.ravel() - plane @ np.linalg.lstsq(plane, surface.ravel())[0]
    return 1.0 - float(rest.var() / surface.var())


def smooth_claim(section: str) -> Claim:
    """Return the claim that neighbouring cells are alike."""

    def check(evidence: Evidence) -> Finding:
        steps = []
        for measure in MEASURES:
            surface = evidence.surface(measure)
            largest = max(float(np.abs(np.diff(surface, axis=axis)).max()) for axis in (0, 1))
            steps.append(largest / float(np.ptp(surface)))
        pairs = zip(MEASURES, steps, strict=True)
        figures = ", ".join(f"{measure} {step:.1%} of its range" for measure, step in pairs)
        return Finding("largest step: " + figures, of_all([step <= 0.5 for step in steps]))

    text = "the improvements change smoothly over the grid"
    rule = (
        "no step to a neighbouring cell, ten times C or margin, is larger than half of the range, "
        "for AID and AOD"
    )
    return Claim(section, text, rule, whole_grid, check)


def strength_claim(section: str, text: str) -> Claim:
    """Return the claim that C matters more than the margin."""

    def check(evidence: Evidence) -> Finding:
        answers, figures = [], []
        for measure in MEASURES:
            surface = evidence.surface(measure)
            over_C, over_margins = (float(np.ptp(surface.mean(axis=axis))) for axis in (1, 0))
            answers.append(over_C > over_margins)
            figures.append(
                f"{measure}: {over_C:.0f} points over C, {over_margins:.0f} over margins"
            )
        return Finding("; ".join(figures), of_all(answers))

    rule = "the means over margins have a larger range than the means over C, for AID and AOD"
    return Claim(section, text, rule, whole_grid, check)


def margin_claim(section: str, text: str) -> Claim:
    """Return the claim that margins differ at the best C."""

    def check(evidence: Evidence) -> Finding:
        answers, figures = [], []
        for measure in MEASURES:
            C = evidence.best_cell(measure)[0].C
            found = [evidence.changes(measure)[Cell(C, margin)] for margin in MARGINS]
            low, high = (pick(found, key=lambda one: one.value) for pick in (min, max))
            answers.append(low.high < high.low)
            figures.append(f"{measure} at C = {C:g}: {low.value:+.1%} to {high.value:+.1%}")
        return Finding("; ".join(figures), of_all(answers))

    rule = "at the best C the intervals of the best and the worst margin are apart, for AID and AOD"
    return Claim(section, text, rule, whole_grid, check)


def improvement_claim(section: str, text: str, cells: Sequence[Cell]) -> Claim:
    """Return the claim that AID and AOD improve in some cells."""

    def check(evidence: Evidence) -> Finding:
        answers, figures = [], []
        for cell in cells:
            aid, aod = evidence.aid_change(cell), evidence.aod_change(cell)
            answers += [aid.is_below, aod.is_above]
            figures.append(f"{cell.name}: AID {aid.text(PERCENT)}, AOD {aod.text(PERCENT)}")
        return Finding("; ".join(figures), of_all(answers))

    rule = "the intervals of AID and AOD are on the better side of 0; in part: some of them"
    return Claim(section, text, rule, lambda _: [BHMC, *cells], check)


def aid_claim(section: str, printed: str, least: float) -> Claim:
    """Return the claim on the largest improvement of AID."""

    def check(evidence: Evidence) -> Finding:
        best = [evidence.best_cell("AID", form) for form in range(3)]
        verdicts = [of_size(found, least) for _, found in best]
        figures = "; ".join(
            f"{form} {found.text(PERCENT)} at {cell.name}: {verdict}"
            for form, (cell, found), verdict in zip(AID_FORMS, best, verdicts, strict=True)
        )
        return Finding(figures, verdicts[evidence.aid_form])

    rule = f"the best cell of the grid, AID as printed: {SIZE_RULE.format(f'{least:.0%}')}"
    return Claim(section, f"AID improves by {printed}", rule, whole_grid, check)


def aod_claim(section: str, printed: str, least: float) -> Claim:
    """Return the claim on the largest improvement of AOD."""

    def check(evidence: Evidence) -> Finding:
        cell, found = evidence.best_cell("AOD")
        return Finding(f"{found.text(PERCENT)} at {cell.name}", of_size(found, least))

    rule = f"the best cell of the grid: {SIZE_RULE.format(f'{least:+.1%}')}"
    return Claim(section, f"AOD improves by {printed}", rule, whole_grid, check)
