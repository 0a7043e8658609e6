"""Words that say more than their letters: yes and no, and the steps of a scale."""

import math
import re
from collections.abc import Sequence
from itertools import pairwise

YES_NO = tuple(
    tuple(pair.split())
    for pair in (
        "no yes", "n y", "false true", "f t", "off on", "absent present", "0 1",
        "nein ja", "nee ja", "nej ja", "nei ja", "falsch wahr", "non oui", "faux vrai",
        "no si", "no sí", "no sì", "falso verdadero", "falso vero", "não sim", "nao sim",
        "falso verdadeiro", "nie tak", "ne ano", "нет да", "ні так", "hayır evet", "ei kyllä",
        "否 是", "いいえ はい",
    )
)  # fmt: skip

# Steps in their order; words of one step are separated by bars.
SCALES = tuple(
    tuple(tuple(step.split("|")) for step in scale.split(", "))
    for scale in (
        "strongly disagree, disagree, somewhat disagree, neutral|neither agree nor disagree|"
        "undecided|neither, somewhat agree, agree, strongly agree",
        "never, rarely|seldom, sometimes|occasionally, often|frequently, usually, always",
        "very dissatisfied, dissatisfied, neutral|neither, satisfied, very satisfied",
        "very unlikely, unlikely, neutral|neither, likely, very likely",
        "very poor|very bad, poor|bad, fair|average, good, very good, excellent",
        "very low, low, medium|moderate, high, very high",
        "none, mild, moderate, severe",
        "xs, s, m, l, xl, xxl",
        "tiny, small, medium, large, huge",
    )
)
# A range of numbers, as in 18-24, <18, 65+ or over 65.
RANGE = re.compile(
    r"(?P<below><|≤|under |below |less than |up to )?(?P<above>>|≥|over |above |more than )?"
    r"\s*(?P<low>\d+(\.\d+)?)\s*((-|–|to)\s*(?P<high>\d+(\.\d+)?)|(?P<plus>\+))?\s*(?P<unit>[^\W\d_]*)",
    re.IGNORECASE,
)


def find_yes_no(texts: Sequence[str]) -> tuple[str, str] | None:
    """Find the words for no and yes, as they are written; None if there are other words.

    Examples
    --------
    >>> find_yes_no(["Yes", "No", "Yes"])
    ('No', 'Yes')
    """
    words = {text.casefold(): text for text in texts}
    for no, yes in YES_NO:
        if words.keys() == {no, yes}:
            return words[no], words[yes]
    return None


def find_scale(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Return the steps of a scale in their order; None if the texts are not such steps.

    Examples
    --------
    >>> find_scale(["Agree", "Neutral", "Strongly agree"])
    ('Neutral', 'Agree', 'Strongly agree')
    >>> find_scale(["65+", "18-24", "25-64"])
    ('18-24', '25-64', '65+')
    """
    unique = list(dict.fromkeys(texts))
    if len(unique) < 3:
        return None
    for scale in SCALES:
        step_of = {word: number for number, step in enumerate(scale) for word in step}
        steps = [step_of.get(text.casefold()) for text in unique]
        if None not in steps and len(set(steps)) == len(steps):
            return tuple(sorted(unique, key=lambda text: step_of[text.casefold()]))
    return _sort_ranges(unique)


def _sort_ranges(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Sort ranges that follow each other without overlap; None for anything else."""
    found = [(match, text) for text in texts if (match := RANGE.fullmatch(text))]
    ranges = sorted((*_ends(match), text) for match, text in found)
    follow = all(one[1] <= other[0] for one, other in pairwise(ranges))
    is_range = any(low < high for low, high, _ in ranges)
    units = {match["unit"] for match, _ in found} - {""}
    if len(found) < len(texts) or not follow or not is_range or len(units) > 1:
        return None
    return tuple(text for _, _, text in ranges)


def _ends(match: re.Match[str]) -> tuple[float, float]:
    low = float(match["low"])
    if match["below"]:
        return -math.inf, low
    if match["above"] or match["plus"]:
        return low, math.inf
    return low, float(match["high"] or low)
