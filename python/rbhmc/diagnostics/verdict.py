"""What the figures of a run mean, in a sentence that a person can act on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rbhmc.diagnostics.convergence import Row, fewest_draws
from rbhmc.diagnostics.numbers import rhat_number, whole_number

Status = Literal["agree", "nearly", "disagree", "unknown"]

# Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), Bayesian Analysis 16: R-hat below 1.01
# and 100 effective draws a chain before figures are quoted; 1.1 is the older, lax bound.
RHAT_AGREE = 1.01
RHAT_NEARLY = 1.1
ESS_A_CHAIN = 100


@dataclass(frozen=True)
class Verdict:
    """Whether the chains agree, for programs and for people.

    Attributes
    ----------
    status : {"agree", "nearly", "disagree", "unknown"}
        By the largest R-hat of all figures, to three decimals: at most 1.01, at most 1.1, above;
        "unknown" with one chain, or with too few draws for an R-hat.
    enough_draws : bool
        Whether every effective sample size, bulk and tail, is at least 100 for each chain.
    text : str
        The same in words, with what to do; one sentence a line.
    """

    status: Status
    enough_draws: bool
    text: str

    @property
    def agree(self) -> bool:
        """Whether there are several chains and they agree."""
        return self.status == "agree"

    def __str__(self) -> str:
        return self.text


def judge(rows: Sequence[Row], n_chains: int, n_draws: int) -> Verdict:
    """Judge a run by its figures.

    Examples
    --------
    >>> row = Row("nodes, level 1", 1, 3.2, 0.4, 1.302, 12.0, 37.0)
    >>> print(judge([row], n_chains=4, n_draws=1000))
    4 chains found different trees at level 1 (R-hat 1.302): run longer, or look at co_occurrence(1)
    """
    one = n_chains == 1
    lines = ["one chain: nothing to compare it with; use n_chains=4"] if one else []
    fewest = fewest_draws(n_chains)
    if n_draws < fewest:
        counted = f"{n_draws} draw{'' if n_draws == 1 else 's'} a chain"
        lines.append(f"{counted}: R-hat and ESS need {fewest} or more; raise n_draws")
        return Verdict("unknown", False, "\n".join(lines))
    status, line = _agreement(rows, "the halves of the chain" if one else f"{n_chains} chains")
    lines.append(line)
    wanted = ESS_A_CHAIN * n_chains
    sizes = [
        (size, row.name)
        for row in rows
        for size in (row.ess_bulk, row.ess_tail)
        if size is not None
    ]
    least, name = min(sizes, default=(wanted, ""))
    # Chains apart have few independent draws for that reason alone.
    if least < wanted and status != "disagree":
        lines.append(
            f"few independent draws (ESS {whole_number(least)} of {name}, {wanted} wanted): raise "
            "n_draws or thin"
        )
    return Verdict("unknown" if one else status, least >= wanted, "\n".join(lines))


def _agreement(rows: Sequence[Row], who: str) -> tuple[Status, str]:
    rhats = [(round(row.rhat, 3), row) for row in rows if row.rhat is not None]
    if not rhats:
        return "agree", f"{who} agree: every figure is the same in all draws"
    most, worst = max(rhats, key=lambda pair: pair[0])
    if most <= RHAT_AGREE:
        return "agree", f"{who} agree (R-hat {rhat_number(most)})"
    if most <= RHAT_NEARLY:
        return "nearly", (
            f"{who} nearly agree (R-hat {rhat_number(most)} of {worst.name}): run longer before "
            "you quote figures"
        )
    apart = [(rhat, row.level) for rhat, row in rhats if rhat > RHAT_NEARLY]
    level = min((level for _, level in apart if level is not None), default=None)
    if level is None:
        return "disagree", (
            f"{who} disagree on {worst.name} (R-hat {rhat_number(most)}): run longer"
        )
    most = max(rhat for rhat, at in apart if at == level)
    return "disagree", (
        f"{who} found different trees at level {level} (R-hat {rhat_number(most)}): run longer, or "
        f"look at co_occurrence({level})"
    )
