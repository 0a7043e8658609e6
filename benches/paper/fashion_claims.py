"""The claims of §5.2, on Fashion-MNIST."""

from paper import grid_claims, tree_claims
from paper.claims import SCORE, Claim, Finding, of_all, of_gains, of_signs, of_traces
from paper.evidence import Evidence
from paper.intervals import Interval, mean
from paper.protocol import BHMC, FASHION, Cell

SMALL, PUBLISHED, POOR = FASHION.cases[1:]


def _check_growth(evidence: Evidence) -> Finding:
    return of_traces(evidence.grows_and_fluctuates, FASHION.cases)


def _check_smaller_values(evidence: Evidence) -> Finding:
    best = [evidence.best_cell(measure)[0] for measure in ("AID", "AOD")]
    figures = f"best AID {best[0].name}, best AOD {best[1].name}"
    return Finding(figures, of_all([cell.C < 0.1 for cell in best]))


def _check_poor(evidence: Evidence) -> Finding:
    found, aid = evidence.f_gain(POOR), evidence.aid_change(POOR)
    figures = (
        f"F {found.text(SCORE)}; AID {aid.value:+.0%}; "
        f"{evidence.nodes(POOR)[-1]:.1f} leaves, BHMC {evidence.nodes(BHMC)[-1]:.1f}"
    )
    return Finding(figures, of_signs([Interval(-found.value, -found.high, -found.low)]))


def _check_lower_levels(evidence: Evidence) -> Finding:
    first = evidence.f_gain(PUBLISHED, 1)
    found, text = tree_claims.f_levels(evidence, PUBLISHED, (3, 4))
    figures = f"{text}; level 1: {first.value:+.3f}"
    better = of_gains(found)
    more = all(one.value > first.value for one in found)
    return Finding(figures, "in part" if better == "holds" and not more else better)


def _check_black_and_white(evidence: Evidence) -> Finding:
    levels = range(1, evidence.design.settings["n_levels"] + 1)
    answers, figures = [], []
    for cell in (PUBLISHED, SMALL):
        grey = [mean(evidence.pairs(cell, level, "grey")) for level in levels]
        together = [mean(evidence.stays_together(cell, level)) for level in levels]
        answers += [a.value <= 0.1 and b.value >= 0.8 for a, b in zip(grey, together, strict=True)]
        figures.append(
            f"{cell.name}: grey pairs, {tree_claims.list_levels(grey, levels, '{:.1%}')}; together "
            f"again, {tree_claims.list_levels(together, levels, '{:.0%}')}"
        )
    return Finding("; ".join(figures), of_all(answers))


CLAIMS = [
    Claim(
        "§5.2.1",
        "CDLL and RCDLL grow rapidly and keep fluctuating, which the authors welcome",
        "four chains of each case; 90 % of the rise from the start to the level of the second half "
        "is done within 5,000 sweeps, and that half varies at least half as much as all draws: "
        "90 % of the traces; in part: half",
        lambda _: FASHION.cases,
        _check_growth,
    ),
    Claim(
        "§5.2.2",
        "good values are smaller than for Animals",
        "the best cells of AID and AOD have C below 0.1; on Animals the paper prefers C = 0.1; in "
        "part: one",
        grid_claims.whole_grid,
        _check_smaller_values,
    ),
    grid_claims.smooth_claim("§5.2.2"),
    grid_claims.strength_claim("§5.2.2", "C is the more sensitive of the two"),
    grid_claims.margin_claim("§5.2.2", "a suitable margin is still crucial"),
    grid_claims.aid_claim("§5.2.2", "27 to 28 %", -0.27),
    grid_claims.aod_claim("§5.2.2", "about 7.5 %", 0.075),
    grid_claims.improvement_claim("§5.2.3", "C = 0.001 leads to improvements", [PUBLISHED, SMALL]),
    Claim(
        "§5.2.3",
        "(1, 1) is a poor example: too much regularisation groups items irrationally",
        "F of the best level of the presented trees, less BHMC's: interval below 0; not judged if "
        "it contains 0",
        lambda _: [BHMC, POOR],
        _check_poor,
    ),
    tree_claims.better_trees_claim(
        "§5.2.3",
        "C = 0.001 generally looks better clustered than BHMC, (0.001, 1) in particular",
        [PUBLISHED, SMALL],
        others=[Cell(0.0001, 1.0)],
    ),
    tree_claims.f_gains_claim(
        "§5.2.3",
        "F of (0.001, 1) at higher levels can be much better, and is skewed to the better",
        PUBLISHED,
        (1, 2),
    ),
    Claim(
        "§5.2.3",
        "at lower levels F is better by even more",
        "levels 3 and 4: intervals above 0, and gains larger than at level 1; in part: one of "
        "these, or only the means are above 0",
        lambda _: [BHMC, PUBLISHED],
        _check_lower_levels,
    ),
    tree_claims.certainty_claim(
        "§5.2.4",
        "at higher levels BHMC's co-occurrence has a lot more grey areas",
        (PUBLISHED, SMALL),
        (1, 2),
    ),
    Claim(
        "§5.2.4",
        "with C = 0.001 there are dark blocks, and the rest is close to white, 0 %",
        "at each level of both settings at most a tenth of the pairs has P from 0.1 to 0.9, and a "
        "pair that is together in a draw is together in 80 % of the draws (ΣP² / ΣP); in part: in "
        "some places",
        lambda _: [PUBLISHED, SMALL],
        _check_black_and_white,
    ),
]
