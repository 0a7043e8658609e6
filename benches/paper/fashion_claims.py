"""The claims of §5.2, on Fashion-MNIST."""

from paper import grid_claims, tree_claims
from paper.claims import SCORE, Claim, Finding, of_all, of_gains, of_sign, of_traces
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
    return Finding(figures, of_sign(Interval(-found.value, -found.high, -found.low)))


def _check_higher_levels(evidence: Evidence) -> Finding:
    found, text = tree_claims.f_levels(evidence, PUBLISHED, (1, 2))
    best = [
        float(evidence.f(PUBLISHED)[:, level].max() - evidence.f(BHMC)[:, level].max())
        for level in (0, 1)
    ]
    figures = f"{text}; best chains {best[0]:+.3f}, {best[1]:+.3f}"
    skewed = of_gains(found)
    if (skewed == "holds" and max(best) <= 0.0) or (skewed == "does not" and max(best) > 0.0):
        skewed = "in part"
    return Finding(figures, skewed)


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
        answers += [one.value <= 0.1 for one in grey]
        figures.append(f"{cell.name}, {tree_claims.list_levels(grey, levels, '{:.1%}')}")
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
        "the best cells of AID and AOD have C below 0.1, where the paper has Animals'; in part: "
        "one",
        grid_claims.whole_grid,
        _check_smaller_values,
    ),
    grid_claims.smooth_claim("§5.2.2"),
    grid_claims.strength_claim("§5.2.2", "C is the more sensitive of the two"),
    grid_claims.margin_claim("§5.2.2", "a suitable margin is still crucial"),
    grid_claims.aid_claim("§5.2.2", "27 to 28 %", -0.27),
    grid_claims.aod_claim("§5.2.2", 0.075),
    grid_claims.improvement_claim("§5.2.3", "C = 0.001 leads to improvements", [PUBLISHED, SMALL]),
    Claim(
        "§5.2.3",
        "(1, 1) is a poor example: too much regularisation groups items irrationally",
        "F of the best level of the presented trees, less BHMC's: interval below 0; one that "
        "contains 0 does not judge",
        lambda _: [BHMC, POOR],
        _check_poor,
    ),
    tree_claims.better_trees_claim(
        "§5.2.3",
        "(0.001, 1) looks better clustered than BHMC",
        PUBLISHED,
        others=[SMALL, Cell(0.0001, 1.0)],
    ),
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
    tree_claims.certainty_claim(
        "§5.2.4",
        "co-occurrence is less grey than BHMC's at higher levels (1 and 2)",
        (PUBLISHED, SMALL),
        (1, 2),
    ),
    Claim(
        "§5.2.4",
        "with C = 0.001 there are dark blocks, and the rest is close to white, 0 %",
        "the share of pairs with P from 0.1 to 0.9 is at most a tenth at each level of both "
        "settings; in part: in some places",
        lambda _: [PUBLISHED, SMALL],
        _check_black_and_white,
    ),
]
