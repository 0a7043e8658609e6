"""The claims of §5.2, on Fashion-MNIST."""

from paper.claims import (
    SCORE,
    Claim,
    Finding,
    aid_claim,
    aod_claim,
    better_trees_claim,
    certainty_claim,
    check_margin_matters,
    check_smooth,
    check_strength_matters_more,
    f_levels,
    list_levels,
    of_all,
    of_gains,
    of_sign,
    share_of,
    whole_grid,
)
from paper.evidence import Evidence
from paper.intervals import Interval
from paper.protocol import BHMC, FASHION

SMALL, PUBLISHED, POOR = FASHION.cases[1:]


def _check_growth(evidence: Evidence) -> Finding:
    return share_of(
        [
            answer
            for cell in FASHION.cases
            for key in ("cdll", "rcdll")
            for answer in evidence.grows_and_fluctuates(cell, key)
        ]
    )


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
    return Finding(figures, of_sign(Interval(-found.value, -found.high, -found.low)))


def _check_higher_levels(evidence: Evidence) -> Finding:
    found = f_levels(evidence, PUBLISHED, (1, 2))
    best = [
        float(evidence.f(PUBLISHED)[:, level].max() - evidence.f(BHMC)[:, level].max())
        for level in (0, 1)
    ]
    figures = f"{list_levels(found, (1, 2), SCORE)}; best chains {best[0]:+.3f}, {best[1]:+.3f}"
    skewed = of_gains(found)
    if (skewed == "holds" and max(best) <= 0.0) or (skewed == "does not" and max(best) > 0.0):
        skewed = "in part"
    return Finding(figures, skewed)


def _check_lower_levels(evidence: Evidence) -> Finding:
    first: Interval = evidence.f_gain(PUBLISHED, 1)
    found = f_levels(evidence, PUBLISHED, (3, 4))
    figures = list_levels(found, (3, 4), SCORE) + f"; level 1: {first.value:+.3f}"
    better = of_gains(found)
    more = all(one.value > first.value for one in found)
    return Finding(figures, "in part" if better == "holds" and not more else better)


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
        "the best cells of AID and AOD have C below 0.1, where the paper has Animals'; in part: "
        "one",
        whole_grid,
        _check_smaller_values,
    ),
    Claim(
        "§5.2.2",
        "the improvements change smoothly over the grid",
        "no step to a neighbouring cell is larger than half of the range, for AID and AOD",
        whole_grid,
        check_smooth,
    ),
    Claim(
        "§5.2.2",
        "C is the more sensitive of the two",
        "the means over margins have a larger range than the means over C, for AID and AOD",
        whole_grid,
        check_strength_matters_more,
    ),
    Claim(
        "§5.2.2",
        "a suitable margin is still crucial",
        "at the best C the intervals of the best and the worst margin are apart, for AID and AOD",
        whole_grid,
        check_margin_matters,
    ),
    aid_claim("§5.2.2", "27 to 28 %", -0.27),
    aod_claim("§5.2.2", 0.075),
    Claim(
        "§5.2.3",
        "(1, 1) is a poor example: too much regularisation groups items irrationally",
        "F of the best level of the presented trees, less BHMC's: interval below 0; one that "
        "contains 0 does not judge",
        lambda _: [BHMC, POOR],
        _check_poor,
    ),
    better_trees_claim("§5.2.3", "(0.001, 1) looks better clustered than BHMC", PUBLISHED),
    Claim(
        "§5.2.3",
        "F of (0.001, 1) at higher levels can be much better, and is skewed to the better",
        "levels 1 and 2: intervals above 0, and at one of them the best chain is better than "
        "BHMC's best; in part: one of these, or only the means are above 0",
        lambda _: [BHMC, PUBLISHED],
        _check_higher_levels,
    ),
    Claim(
        "§5.2.3",
        "at lower levels F is better by even more",
        "levels 3 and 4: intervals above 0, and gains larger than at level 1; in part: one of "
        "these, or only the means are above 0",
        lambda _: [BHMC, PUBLISHED],
        _check_lower_levels,
    ),
    certainty_claim(
        "§5.2.4",
        "co-occurrence is less grey than BHMC's at higher levels (1 and 2)",
        (PUBLISHED, SMALL),
        (1, 2),
    ),
]
