"""The claims of §5.1, on Animals."""

from paper import grid_claims, tree_claims
from paper.claims import Claim, Finding, of_all, of_gains, of_share, of_traces
from paper.evidence import Evidence
from paper.intervals import change, difference, mean
from paper.protocol import ANIMALS, BHMC, MARGINS, Cell

CASE, FLAT = ANIMALS.cases[1:]
# Settings whose traces are judged: the paper names C = 0.01 and C = 1, and shows several.
TRACED = [Cell(C, margin) for C in (0.01, 0.1, 1.0) for margin in (0.1, 1.0, 10.0)]
WEAK, STRONG = ([Cell(C, margin) for margin in MARGINS] for C in (0.01, 1.0))


def _check_rise(evidence: Evidence) -> Finding:
    return of_traces(evidence.rises_to_a_level, [BHMC, *TRACED])


def _check_similar(evidence: Evidence) -> Finding:
    gaps = [
        (evidence.level(cell, "cdll") - evidence.level(cell, "rcdll"))
        / evidence.spread(cell, "cdll")
        for cell in WEAK
    ]
    figures = f"gap {min(gaps):.2f} to {max(gaps):.2f} standard deviations of CDLL"
    return Finding(figures, of_all([gap < 1.0 for gap in gaps]))


def _check_fluctuations(evidence: Evidence) -> Finding:
    weak, strong = ([evidence.spread(cell, "rcdll") for cell in cells] for cells in (WEAK, STRONG))
    ratios = [b / a for a, b in zip(weak, strong, strict=True)]
    figures = (
        f"standard deviation of RCDLL {min(strong):.0f} to {max(strong):.0f}, at C = 0.01 "
        f"{min(weak):.0f} to {max(weak):.0f}"
    )
    return Finding(figures, of_all([ratio >= 2.0 for ratio in ratios]))


def _check_more_than_cdll(evidence: Evidence) -> Finding:
    more = []
    for cell in TRACED:
        chains = evidence.chains(cell)
        spreads = [[one[key][1] for one in chains] for key in ("rcdll", "cdll")]
        more.append(change(*spreads).is_above)
    figures = f"significant in {sum(more)} of {len(more)} settings"
    many = 2 * sum(more) >= len(more)
    return Finding(figures, "holds" if many else of_all([many, any(more)]))


def _check_consistent(evidence: Evidence) -> Finding:
    plain, spread = evidence.level(BHMC, "cdll"), evidence.spread(BHMC, "cdll")
    levels = {cell: (evidence.level(cell, "cdll") - plain) / spread for cell in TRACED}
    worst = max(TRACED, key=lambda cell: abs(levels[cell]))
    inside = [abs(level) <= 2.0 for level in levels.values()]
    figures = (
        f"within 2 standard deviations of BHMC's in {sum(inside)} of {len(inside)} settings; "
        f"farthest {levels[worst]:+.1f} at {worst.name}"
    )
    return Finding(figures, of_share(sum(inside) / len(inside)))


def _check_various(evidence: Evidence) -> Finding:
    better = grid_claims.improved_cells(evidence)
    both = set(better["AID"]) & set(better["AOD"])
    figures = (
        f"of {len(evidence.design.grid)} cells AID improves in {len(better['AID'])}, AOD in "
        f"{len(better['AOD'])}, both in {len(both)}"
    )
    alone = max(map(len, better.values()))
    return Finding(figures, "holds" if len(both) >= 2 else "in part" if alone >= 2 else "does not")


def _check_where(evidence: Evidence) -> Finding:
    better = [cell for some in grid_claims.improved_cells(evidence).values() for cell in some]
    if not better:
        return Finding("no cell improves significantly", "does not")
    small = sum(cell.C <= 0.1 for cell in better)
    best = [evidence.best_cell(measure)[0] for measure in ("AID", "AOD")]
    figures = (
        f"{small} of {len(better)} significant improvements are there; best AID {best[0].name}, "
        f"best AOD {best[1].name}"
    )
    return Finding(figures, of_all([2 * small > len(better), all(one.C <= 0.1 for one in best)]))


def _check_flat(evidence: Evidence) -> Finding:
    flat = {cell: evidence.of_trees(cell, "flat") for cell in (BHMC, CASE, FLAT)}
    more = difference(*([one["flat"] for one in evidence.scored(cell)] for cell in (FLAT, CASE)))
    figures = "items in a child of the root without children: " + ", ".join(
        f"{cell.name} {share.value:.0%}" for cell, share in flat.items()
    )
    figures += "; nodes at each level: " + ", ".join(
        f"{cell.name} {' '.join(f'{n:.1f}' for n in evidence.nodes(cell))}" for cell in flat
    )
    return Finding(figures, of_all([more.is_above, flat[FLAT].value >= 0.8]))


def _check_first_level(evidence: Evidence) -> Finding:
    found, text = tree_claims.f_levels(evidence, ANIMALS.scored, (1,))
    ours, plain = evidence.f(ANIMALS.scored)[:, 0], evidence.f(BHMC)[:, 0]
    wins = float((ours[:, None] > plain[None, :]).mean())
    return Finding(f"{text}; better in {wins:.0%} of the pairs of chains", of_gains(found))


def _check_grey(evidence: Evidence) -> Finding:
    shares = mean(evidence.pairs(BHMC, 1, "mean"))
    grey = mean(evidence.pairs(BHMC, 1, "grey"))
    figures = f"mean {shares.text('{:.3f}')}; {grey.value:.0%} of pairs between 0.1 and 0.9"
    near = 0.25 <= shares.value <= 0.45
    return Finding(figures, of_all([near, grey.value >= 0.5]))


def _check_surer(evidence: Evidence) -> Finding:
    found = tree_claims.uncertainty_changes(evidence, CASE, FLAT, (1, 2))
    figures = tree_claims.list_levels(found, (1, 2), "{:+.0%}")
    return Finding(figures, of_all([one.is_above for one in found]))


def _check_only_children(evidence: Evidence) -> Finding:
    found = {}
    for cell in (CASE, FLAT):
        nodes = evidence.nodes_of_chains(cell)
        found[cell] = nodes[:, 1:].sum(axis=1) / nodes[:, :-1].sum(axis=1)
    figures = ", ".join(f"{cell.name} {ratio.mean():.2f}" for cell, ratio in found.items())
    fewer = difference(found[FLAT], found[CASE])
    return Finding(f"children of a node: {figures}", of_all([fewer.is_below]))


CLAIMS = [
    Claim(
        "§5.1.1",
        "CDLL and RCDLL rise to a level and then oscillate",
        "four chains of BHMC and nine settings; a trace starts 2 standard deviations below its "
        "level, and the halves of its draws differ by less than one: 90 % of the traces; in part: "
        "half",
        lambda _: [BHMC, *TRACED],
        _check_rise,
    ),
    Claim(
        "§5.1.1",
        "with C = 0.01 RCDLL and CDLL are rather similar",
        "at each margin the gap of their means is below one standard deviation of CDLL",
        lambda _: WEAK,
        _check_similar,
    ),
    Claim(
        "§5.1.1",
        "with C = 1 RCDLL fluctuates a lot more",
        "at each margin its standard deviation after burn-in is at least twice that at C = 0.01",
        lambda _: [*WEAK, *STRONG],
        _check_fluctuations,
    ),
    Claim(
        "§5.1.1",
        "in a number of plots RCDLL fluctuates more than CDLL",
        "its standard deviation is larger, interval above 0, in half of nine settings; in part: "
        "in one",
        lambda _: TRACED,
        _check_more_than_cdll,
    ),
    Claim(
        "§5.1.1",
        "CDLL stays at a rather consistent level",
        "over settings: within 2 standard deviations of BHMC's level in 90 % of nine; in part: "
        "half",
        lambda _: [BHMC, *TRACED],
        _check_consistent,
    ),
    grid_claims.nonlinear_claim("§5.1.2"),
    grid_claims.smooth_claim("§5.2.2"),
    Claim(
        "§5.1.2",
        "various settings are better than BHMC",
        "both AID and AOD improve significantly in two cells of the grid; in part: one of them "
        "does",
        grid_claims.whole_grid,
        _check_various,
    ),
    grid_claims.improvement_claim("§5.1.2", "(0.1, 1) improves AID and AOD", [ANIMALS.scored]),
    Claim(
        "§5.1.2",
        "improvements are mainly at C ≤ 0.1",
        "most significant improvements (cell and measure) are there, and both best cells; in "
        "part: one of the two",
        grid_claims.whole_grid,
        _check_where,
    ),
    grid_claims.strength_claim("§5.1.2", "C matters more than the margin"),
    grid_claims.margin_claim("§5.1.2", "a suitable margin still matters"),
    grid_claims.aid_claim("§5.1.2", "up to 20 to 25 %", -0.20),
    grid_claims.aod_claim("§5.1.2", "up to about 10 %", 0.10),
    grid_claims.improvement_claim(
        "§5.1.3", "(0.1, 0.1) and (0.1, 10) are good pairs by AID and AOD", [CASE, FLAT]
    ),
    tree_claims.better_trees_claim(
        "§5.1.3", "(0.1, 0.1) gives more reasonable trees than BHMC", [CASE]
    ),
    Claim(
        "§5.1.3",
        "(0.1, 10) gives nearly flat trees, flatter than (0.1, 0.1)",
        "more items than at (0.1, 0.1) are in a child of the root without children, interval above "
        "0, and at least 80 %; in part: one of the two",
        lambda _: [BHMC, CASE, FLAT],
        _check_flat,
    ),
    Claim(
        "§5.1.3",
        "F of (0.1, 1) at level 1 is better overall, though not always",
        "15 chains each, the difference of the means: interval above 0; in part: only the mean is",
        lambda _: [BHMC, ANIMALS.scored],
        _check_first_level,
    ),
    tree_claims.f_gains_claim(
        "§5.1.3", "F of (0.1, 1) is better at lower levels, too", ANIMALS.scored, (2, 3)
    ),
    Claim(
        "§5.1.4",
        "BHMC's co-occurrence at level 1 is grey, about 0.35",
        "its mean is 0.25 to 0.45, and half of the pairs are between 0.1 and 0.9; in part: one of "
        "the two",
        lambda _: [BHMC],
        _check_grey,
    ),
    tree_claims.certainty_claim(
        "§5.1.4",
        "regularisation makes co-occurrence surer at higher levels",
        (CASE, FLAT),
        (1, 2),
    ),
    Claim(
        "§5.1.4",
        "(0.1, 0.1) is slightly less sure than (0.1, 10) at higher levels",
        "the mean of 4P(1 − P) at levels 1 and 2 is higher, interval above 0; how much is not "
        "judged; in part: at one level",
        lambda _: [CASE, FLAT],
        _check_surer,
    ),
    Claim(
        "§5.1.4",
        "(0.1, 10) potentially makes more single nodes under one parent than (0.1, 0.1)",
        "the nodes above the leaves have fewer children on average, below the root: interval below "
        "0",
        lambda _: [CASE, FLAT],
        _check_only_children,
    ),
]
