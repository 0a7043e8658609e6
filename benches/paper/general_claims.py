"""What the paper says of both tables: single paths, and both ends of C and the margin."""

import numpy as np
from scipy import stats

from paper.claims import PERCENT, Claim, Finding, of_all, of_share
from paper.evidence import Evidence
from paper.grid_claims import whole_grid
from paper.intervals import change, mean
from paper.protocol import BHMC, EXTREMES, MARGINS, Cell

# Fewer draws that are single paths say nothing of what follows them.
FEWEST_SINGLE = 20
# Settings with a strong C or a strong margin.
STRONG = [*(Cell(1.0, margin) for margin in MARGINS), Cell(0.1, 10.0)]


def _check_rare(evidence: Evidence) -> Finding:
    shares = {cell: evidence.singular(cell) for cell in whole_grid(evidence)}
    rare = [share < 1e-3 for share in shares.values()]
    worst = max(shares, key=lambda cell: shares[cell])
    most = f"most at {worst.name}, {shares[worst]:.2%}" if shares[worst] > 0.0 else "none at all"
    figures = (
        f"rare in {sum(rare)} of {len(rare)} cells; {most}; "
        f"chains of single paths only: {evidence.n_lost()}"
    )
    return Finding(figures, of_share(float(np.mean(rare))))


def _check_persistent(evidence: Evidence) -> Finding:
    n = evidence.lengths.n_draws // evidence.lengths.thin
    n_single, total, freedom = 0.0, 0.0, 0
    for cell in whole_grid(evidence):
        shares, share = evidence.singular_shares(cell), evidence.singular(cell)
        if share > 0.0:
            n_single += n * sum(shares)
            total += n * len(shares) * float(np.var(shares)) / (share * (1.0 - share))
            freedom += len(shares) - 1
    if round(n_single) < FEWEST_SINGLE:
        return Finding(f"single paths: {n_single:.0f}", "cannot be judged")
    figures = (
        f"single paths: {n_single:,.0f}; the variance between chains is {total / freedom:.2g} "
        "times the binomial one"
    )
    return Finding(figures, of_all([bool(total > stats.chi2.ppf(0.95, freedom))]))


def _check_tiny(evidence: Evidence) -> Finding:
    smallest = [Cell(evidence.design.strengths[0], margin) for margin in MARGINS]
    found = [of(cell) for cell in smallest for of in (evidence.aid_change, evidence.aod_change)]
    largest = max(found, key=lambda one: abs(one.value))
    figures = f"C = {smallest[0].C:g}: the largest change is {largest.text(PERCENT)}"
    return Finding(figures, of_all([max(-one.low, one.high) <= 0.05 for one in found]))


def _check_biased(evidence: Evidence) -> Finding:
    found = {cell: mean(evidence.evenness(cell)) for cell in (BHMC, *EXTREMES)}
    figures = "; ".join(
        f"{cell.name}: {one.text('{:.2f}')}, {evidence.nodes(cell)[-1]:.1f} leaves"
        for cell, one in found.items()
    )
    return Finding(figures, of_all([found[cell].high < 0.95 for cell in EXTREMES]))


def _check_structure(evidence: Evidence) -> Finding:
    sizes = {cell: evidence.nodes_of_chains(cell).sum(axis=1) for cell in (BHMC, *STRONG)}
    found = {cell: change(sizes[cell], sizes[BHMC]) for cell in STRONG}
    figures = f"{sizes[BHMC].mean():.1f} nodes; " + ", ".join(
        f"{cell.name} {one.text('{:+.0%}')}" for cell, one in found.items()
    )
    return Finding(figures, of_all([one.is_below for one in found.values()]))


def _strongest(evidence: Evidence) -> list[Cell]:
    return [Cell(evidence.design.strengths[-1], MARGINS[-1]), *EXTREMES]


def _check_excess(evidence: Evidence) -> Finding:
    answers, figures = [], []
    for cell in _strongest(evidence):
        flat, single = evidence.of_trees(cell, "flat"), evidence.singular(cell)
        answers.append(flat.value >= 0.9 or single >= 0.5)
        figures.append(f"{cell.name}: {flat.value:.0%} of items flat, {single:.1%} single paths")
    return Finding("; ".join(figures), "holds" if any(answers) else "does not")


CLAIMS = [
    Claim(
        "§5",
        "single paths are extremely rare",
        "below 0.1 % of the draws, in 90 % of the cells; in part: in half of them",
        whole_grid,
        _check_rare,
    ),
    Claim(
        "§5",
        "after a single path, later draws of the chain are more likely to be one",
        "the shares of single paths vary between the chains of a cell by more than the binomial "
        "variance of independent draws (χ² test, level 5 %); not judged with fewer than 20",
        whole_grid,
        _check_persistent,
    ),
    Claim(
        "§5",
        "a very small C makes the model similar to BHMC",
        "at the smallest C and all margins, the intervals of AID and AOD lie within ±5 %; in part: "
        "some of them",
        whole_grid,
        _check_tiny,
    ),
    Claim(
        "§5, §5.2.3",
        "a very large C should give uniform assignment, but proposals of the nCRP keep the "
        "hierarchy biased",
        "the evenness of the leaves (entropy over its largest value) at C = 10 and 100 has an "
        "interval below 0.95; in part: at one of them",
        lambda _: [BHMC, *EXTREMES],
        _check_biased,
    ),
    Claim(
        "§5.1.4",
        "a strong C or margin reduces the structure of the hierarchy",
        "the trees of the draws have fewer nodes than BHMC's, interval below 0, at C = 1 with each "
        "margin and at (0.1, 10); in part: at some of them",
        lambda _: [BHMC, *STRONG],
        _check_structure,
    ),
    Claim(
        "§5.1.4",
        "too strong a C or margin may turn the tree into a flat clustering or a single path",
        "at the strongest cell, or at C = 10 or 100: 90 % of items are in a child of the root "
        "without children (presented trees), or half of the draws are single paths",
        _strongest,
        _check_excess,
    ),
]
