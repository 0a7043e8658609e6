"""R-hat and effective sample sizes of the summaries, and whether chains agree by them.

If chains share starts, R-hat is nested (Margossian et al. 2024): with B the variance of the means
over the chains of each start, and W the mean variance within starts, between and within chains,

    R-hat = √(1 + B / W).

It is large if the start decides. Chains that forget their start, but then stay at values of their
own, have 1.3 to 1.7 with two chains per start: short chains need not mix to agree.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from rbhmc._extras import require
from rbhmc._text import pluralize
from rbhmc.diagnostics.summaries import Summary
from rbhmc.diagnostics.verdict import Judgement

Floats = NDArray[np.float64]

# Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), Bayesian Analysis 16, recommend R-hat
# below 1.01 and an ESS of at least 100 per chain; 1.1 is the older, lax bound.
RHAT_AGREE = 1.01
RHAT_NEARLY = 1.1
MIN_ESS_PER_CHAIN = 100

# The headings of `Row.cells`.
HEADINGS = ("mean", "sd", "R-hat", "ESS bulk", "ESS tail")


class Row(NamedTuple):
    """The convergence diagnostics of one summary over all draws of all chains.

    Attributes
    ----------
    name : str
        The name of the summary.
    level : int or None
        The level that it describes; None if it describes the whole tree.
    mean : float
        Its mean.
    sd : float or None
        Its standard deviation; None for a single draw.
    rhat : float or None
        Rank-normalised split R-hat, nested if chains share starts. Without shared starts, infinite
        if every chain is constant but the chains differ. None if all draws are equal, or too few.
    ess_bulk, ess_tail : float or None
        Effective sample sizes, for means and for the 5% and 95% quantiles; None if every chain is
        constant, or there are too few draws.
    note : str
        What to show instead of the numbers; empty if they are to be shown.
    """

    name: str
    level: int | None
    mean: float
    sd: float | None = None
    rhat: float | None = None
    ess_bulk: float | None = None
    ess_tail: float | None = None
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The numbers as text, one for each of `HEADINGS`."""
        return (
            format_number(self.mean),
            format_number(self.sd),
            format_rhat(self.rhat),
            *("-" if ess is None else f"{ess:.0f}" for ess in (self.ess_bulk, self.ess_tail)),
        )


def format_number(value: float | None) -> str:
    """Format a number with two decimals, or in scientific notation if it is very small or large.

    Examples
    --------
    >>> [format_number(value) for value in (0.0, -214.3771, 0.000123, 12345678.9, None)]
    ['0.00', '-214.38', '1.23e-04', '1.23e+07', '-']
    """
    if value is None:
        return "-"
    if value != 0 and not 0.005 <= abs(value) < 1e6:
        return f"{value:.2e}"
    return f"{value:.2f}"


def format_rhat(value: float | None) -> str:
    """Format an R-hat with three decimals, the precision of the verdict."""
    if value is None:
        return "-"
    return f"{value:.3f}" if value <= 100 else ">100"


def min_draws(n_chains: int) -> int:
    """Return the smallest number of draws per chain for which R-hat is defined.

    R-hat compares half chains; with a single chain the halves must be longer.
    """
    return 4 if n_chains > 1 else 8


def assess_convergence(summary: Summary, starts: NDArray[np.intp] | None = None) -> Row:
    """Compute mean, standard deviation, R-hat and effective sample sizes of one summary.

    Parameters
    ----------
    summary : Summary
    starts : array of shape (n_chains,), optional
        The start of each chain, from 0 on. If several starts have several chains each, and all as
        many, R-hat is nested.

    Examples
    --------
    >>> assess_convergence(Summary("nodes, level 1", 1, np.full((4, 100), 3.0))).note
    'constant: 3'
    >>> constant_chains = np.repeat([[3.0], [4.0]], 100, axis=1)
    >>> assess_convergence(Summary("nodes, level 1", 1, constant_chains)).note
    'stuck: each chain at one value, from 3 to 4'

    Pairs of chains share a start, which does not decide about their values:

    >>> forgotten = np.random.default_rng(0).normal(size=(8, 1)) + np.zeros((8, 20))
    >>> summary = Summary("RCDLL", None, forgotten)
    >>> round(assess_convergence(summary, np.array([0, 0, 1, 1, 2, 2, 3, 3])).rhat, 1)
    1.7
    """
    values = summary.values
    n_chains, n_draws = values.shape
    starts = np.arange(n_chains) if starts is None else starts
    low, high = float(values.min()), float(values.max())
    row = Row(summary.name, summary.level, float(values.mean()))
    if values.size == 1:
        return row
    if low == high:
        # The computed mean and standard deviation of equal numbers are subject to rounding.
        return row._replace(mean=low, sd=0.0, note=f"constant: {low:g}")
    row = row._replace(sd=float(values.std(ddof=1)))
    if n_draws < min_draws(n_chains):
        return row
    if (np.ptp(values, axis=1) == 0).all():
        note = f"stuck: each chain at one value, from {low:g} to {high:g}"
        rhat = _nested_rhat(values, starts) if _can_nest(starts) else np.inf
        return row._replace(rhat=rhat, note=note)
    ess = require("arviz_stats.base", "diagnostics").array_stats.ess
    return row._replace(
        rhat=_nested_rhat(values, starts) if _can_nest(starts) else _rhat(values),
        ess_bulk=float(ess(values, method="bulk")),
        ess_tail=float(ess(values, method="tail", prob=(0.05, 0.95))),
    )


def _can_nest(starts: NDArray[np.intp]) -> bool:
    """Return whether there are several starts, and several chains of each, always as many."""
    sizes = np.bincount(starts)
    return len(sizes) > 1 and sizes.min() > 1 and bool((sizes == sizes[0]).all())


def _nested_rhat(values: Floats, starts: NDArray[np.intp]) -> float:
    nested = require("arviz_stats.base", "diagnostics").array_stats.rhat_nested
    # Constant starts have no variance within; folded values may all be equal, which gives NaN.
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(nested(values, superchain_ids=starts, method="rank"))
    return 1.0 if np.isnan(value) else value


def _rhat(values: Floats) -> float:
    rhat = require("arviz_stats.base", "diagnostics").array_stats.rhat
    # Constant half chains have no variance within: a division by 0, and an infinite R-hat.
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(values) > 1:
            value = float(rhat(values, method="rank"))
        else:
            half = values.shape[1] // 2
            halves = np.stack([values[0, :half], values[0, -half:]])
            folded = abs(halves - np.median(halves))
            # Folding may make all values equal, so that R-hat is NaN: max then keeps the first.
            both = (halves, folded)
            value = max(float(rhat(_normalize_ranks(a), method="identity")) for a in both)
    # With an odd number of draws the middle one is in neither half; if it alone differs from a
    # constant, the halves agree.
    return 1.0 if np.isnan(value) else value


def _normalize_ranks(values: Floats) -> Floats:
    """Convert ranks to normal quantiles, z = Φ⁻¹((rank - 3/8) / (n + 1/4))."""
    ranks = stats.rankdata(values, axis=None).reshape(values.shape)
    z: Floats = stats.norm.ppf((ranks - 3 / 8) / (values.size + 1 / 4))
    return z


def judge_rhat(rows: Sequence[Row], n_chains: int, n_draws: int) -> Judgement:
    """Judge whether chains agree, by the convergence diagnostics of all summaries.

    By the largest R-hat, rounded to three decimals: "good" up to 1.01, "doubtful" up to 1.1, "bad"
    above; "unknown" with one chain, or with too few draws for an R-hat.

    Examples
    --------
    >>> row = Row("nodes, level 1", 1, 3.2, 0.4, 1.302, 12.0, 37.0)
    >>> judge_rhat([row], n_chains=4, n_draws=1000).status
    'bad'
    """
    one_chain = n_chains == 1
    lines = ["one chain: nothing to compare it with; use n_chains=4"] if one_chain else []
    if n_draws < min_draws(n_chains):
        lines.append(
            f"{pluralize(n_draws, 'draw')} per chain: R-hat and ESS need {min_draws(n_chains)} or "
            "more; raise n_draws"
        )
        return Judgement("unknown", "\n".join(lines))
    who = "the halves of the chain" if one_chain else f"{n_chains} chains"
    agreement = _judge_agreement(rows, who)
    lines.append(agreement.text)
    wanted = MIN_ESS_PER_CHAIN * n_chains
    sizes = [
        (size, row.name)
        for row in rows
        for size in (row.ess_bulk, row.ess_tail)
        if size is not None
    ]
    least, name = min(sizes, default=(wanted, ""))
    # Disagreement alone makes the effective sample size small.
    if least < wanted and agreement.status != "bad":
        lines.append(
            f"few independent draws (ESS {least:.0f} of {name}, {wanted} wanted): raise "
            "n_draws or thin"
        )
    return Judgement("unknown" if one_chain else agreement.status, "\n".join(lines))


def _judge_agreement(rows: Sequence[Row], who: str) -> Judgement:
    rhats = [(round(row.rhat, 3), row) for row in rows if row.rhat is not None]
    if not rhats:
        return Judgement("good", f"{who} agree: every summary is the same in all draws")
    most, worst = max(rhats, key=lambda pair: pair[0])
    if most <= RHAT_AGREE:
        return Judgement("good", f"{who} agree (R-hat {format_rhat(most)})")
    if most <= RHAT_NEARLY:
        return Judgement(
            "doubtful",
            f"{who} nearly agree (R-hat {format_rhat(most)} of {worst.name}): run longer before "
            "you quote figures",
        )
    apart = [(rhat, row.level) for rhat, row in rhats if rhat > RHAT_NEARLY]
    level = min((level for _, level in apart if level is not None), default=None)
    if level is None:
        return Judgement(
            "bad", f"{who} disagree on {worst.name} (R-hat {format_rhat(most)}): run longer"
        )
    most = max(rhat for rhat, at in apart if at == level)
    return Judgement(
        "bad",
        f"{who} found different trees at level {level} (R-hat {format_rhat(most)}): run longer, or "
        f"look at the co-occurrence of level {level}",
    )
