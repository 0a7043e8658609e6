"""The verdict on a run: whether its chains agree, and what to do if they do not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rbhmc._text import pluralize
from rbhmc.diagnostics.convergence import Row, format_rhat, min_draws

Status = Literal["agree", "nearly", "disagree", "unknown"]

# Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), Bayesian Analysis 16, recommend R-hat
# below 1.01 and an ESS of at least 100 per chain; 1.1 is the older, lax bound.
RHAT_AGREE = 1.01
RHAT_NEARLY = 1.1
MIN_ESS_PER_CHAIN = 100


@dataclass(frozen=True)
class Verdict:
    """Whether the chains agree, for programs and for people.

    Attributes
    ----------
    status : {"agree", "nearly", "disagree", "unknown"}
        By the largest R-hat of all summaries, rounded to three decimals: at most 1.01, at most 1.1,
        above; "unknown" with one chain, or with too few draws for an R-hat.
    enough_draws : bool
        Whether every effective sample size, bulk and tail, is at least 100 per chain.
    text : str
        The verdict in words with advice; each line is one sentence.
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
    """Reach a verdict from the convergence diagnostics of all summaries.

    Examples
    --------
    >>> row = Row("nodes, level 1", 1, 3.2, 0.4, 1.302, 12.0, 37.0)
    >>> judge([row], n_chains=4, n_draws=1000).status
    'disagree'
    """
    one_chain = n_chains == 1
    lines = ["one chain: nothing to compare it with; use n_chains=4"] if one_chain else []
    if n_draws < min_draws(n_chains):
        lines.append(
            f"{pluralize(n_draws, 'draw')} per chain: R-hat and ESS need {min_draws(n_chains)} or "
            "more; raise n_draws"
        )
        return Verdict("unknown", False, "\n".join(lines))
    who = "the halves of the chain" if one_chain else f"{n_chains} chains"
    status, sentence = _judge_agreement(rows, who)
    lines.append(sentence)
    wanted = MIN_ESS_PER_CHAIN * n_chains
    sizes = [
        (size, row.name)
        for row in rows
        for size in (row.ess_bulk, row.ess_tail)
        if size is not None
    ]
    least, name = min(sizes, default=(wanted, ""))
    # Disagreement alone makes the effective sample size small.
    if least < wanted and status != "disagree":
        lines.append(
            f"few independent draws (ESS {least:.0f} of {name}, {wanted} wanted): raise "
            "n_draws or thin"
        )
    return Verdict("unknown" if one_chain else status, least >= wanted, "\n".join(lines))


def _judge_agreement(rows: Sequence[Row], who: str) -> tuple[Status, str]:
    rhats = [(round(row.rhat, 3), row) for row in rows if row.rhat is not None]
    if not rhats:
        return "agree", f"{who} agree: every summary is the same in all draws"
    most, worst = max(rhats, key=lambda pair: pair[0])
    if most <= RHAT_AGREE:
        return "agree", f"{who} agree (R-hat {format_rhat(most)})"
    if most <= RHAT_NEARLY:
        return "nearly", (
            f"{who} nearly agree (R-hat {format_rhat(most)} of {worst.name}): run longer before "
            "you quote figures"
        )
    apart = [(rhat, row.level) for rhat, row in rhats if rhat > RHAT_NEARLY]
    level = min((level for _, level in apart if level is not None), default=None)
    if level is None:
        return "disagree", (
            f"{who} disagree on {worst.name} (R-hat {format_rhat(most)}): run longer"
        )
    most = max(rhat for rhat, at in apart if at == level)
    return "disagree", (
        f"{who} found different trees at level {level} (R-hat {format_rhat(most)}): run longer, or "
        f"look at the co-occurrence of level {level}"
    )
