"""What a claim of the paper is, and how answers, intervals and shares become verdicts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from paper.evidence import Evidence
from paper.intervals import Interval
from paper.protocol import Cell

Verdict = Literal["holds", "in part", "does not", "cannot be judged"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
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
    """Hold if the interval reaches the printed change, and not twice as much.

    In part: it reaches half of the printed change, or all of it is more than twice as much. An
    interval that contains 0 and half of the change is too wide to judge.

    Examples
    --------
    >>> of_size(Interval(-0.1, -0.12, -0.08), -0.2), of_size(Interval(-0.1, -0.2, 0.1), -0.3)
    ('in part', 'cannot be judged')
    >>> of_size(Interval(0.4, 0.3, 0.5), 0.1)
    'in part'
    """
    sign = 1.0 if printed > 0.0 else -1.0
    near, far = sorted((sign * found.low, sign * found.high))
    if far < 0.5 * abs(printed):
        return "does not"
    if near <= 0.0:
        return "cannot be judged"
    return "holds" if far >= abs(printed) and near <= 2.0 * abs(printed) else "in part"


def of_signs(found: Sequence[Interval]) -> Verdict:
    """Hold if all intervals are above 0, and in part if some are.

    If none is, some interval below 0 means no, and intervals that all contain 0 cannot be judged.

    Examples
    --------
    >>> of_signs([Interval(0.1, -0.1, 0.3)]), of_signs([Interval(0.2, 0.1, 0.3)])
    ('cannot be judged', 'holds')
    """
    if any(one.is_above for one in found):
        return of_all([one.is_above for one in found])
    return "does not" if any(one.is_below for one in found) else "cannot be judged"


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


def of_traces(follows: Callable[[Cell, str], list[bool]], cells: Sequence[Cell]) -> Finding:
    """Judge the share of the traces of CDLL and RCDLL that follow a description."""
    answers = [yes for cell in cells for key in ("cdll", "rcdll") for yes in follows(cell, key)]
    share = sum(answers) / len(answers)
    return Finding(f"{sum(answers)} of {len(answers)} traces", of_share(share))
