"""The claims of the paper, and the rules by which the numbers of a run bear them out or not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rbhmc.diagnostics.verdict import RHAT_NEARLY
from rbhmc.reproduce.intervals import Interval

Verdict = Literal["holds", "holds in part", "does not hold"]
Agreement = Literal["yes", "partly", "no"]
SINGULAR = "every draw is one single path"

RULES = f"""\
A claim is looked at in several places: the paper's own settings of C and margin for the table, the
levels of the tree, the two ends of the grid. **Holds** means yes in every place, **does not hold**
no in every place, and **holds in part** all else. A place says

- for a *direction* (falls, rises, better): yes if the whole 95 % interval is on the claimed side
  of zero, else no;
- for a *size*: yes if it says yes to the direction and the interval reaches the nearer end of what
  is claimed, or lies beyond it; partly if it says yes to the direction alone; else no;
- for *convergence*: yes if the R-hat of four chains' second halves is at most {RHAT_NEARLY:g}."""


class Place(NamedTuple):
    """A place where a claim is looked at, what was found there, and whether it agrees."""

    name: str
    figure: str
    agrees: Agreement


@dataclass(frozen=True)
class Claim:
    """What the paper says, and how to look at it.

    Attributes
    ----------
    experiment : str
        Whose numbers it is looked at in.
    words : str
        The paper's word.
    look : callable
        Takes the numbers of the experiment, and gives the places.
    """

    experiment: str
    words: str
    look: Callable[[Any], list[Place]]


def verdict(places: Sequence[Place]) -> Verdict:
    """Put the places of a claim together.

    Examples
    --------
    >>> verdict([Place("level 1", "+0.2", "yes"), Place("level 2", "-0.1", "no")])
    'holds in part'
    """
    found = {place.agrees for place in places}
    if found == {"yes"}:
        return "holds"
    return "does not hold" if found <= {"no"} else "holds in part"


def direction(interval: Interval, sign: int) -> Agreement:
    """Tell whether an interval is wholly above (sign 1) or below (sign -1) zero.

    Examples
    --------
    >>> direction(Interval(-0.2, -0.3, -0.1), -1), direction(Interval(0.1, -0.1, 0.3), 1)
    ('yes', 'no')
    """
    return "yes" if min(sign * interval.low, sign * interval.high) > 0.0 else "no"


def size(interval: Interval, least: float) -> Agreement:
    """Tell whether a change is in the direction of `least`, and may be as large.

    Examples
    --------
    >>> size(Interval(-0.18, -0.22, -0.14), -0.20), size(Interval(-0.1, -0.12, -0.08), -0.20)
    ('yes', 'partly')
    """
    sign = 1 if least > 0 else -1
    if direction(interval, sign) == "no":
        return "no"
    return "yes" if max(sign * interval.low, sign * interval.high) >= abs(least) else "partly"


class Reported(NamedTuple):
    """What the paper reports on a table: its settings, and the changes of AID and AOD, in %."""

    settings: tuple[tuple[float, float], ...]
    aid: tuple[float, float]
    aod: float


REPORTED = {
    "animals": Reported(((0.1, 0.1), (0.1, 10.0)), (20, 25), 10),
    "fashion": Reported(((0.001, 0.01), (0.001, 1.0), (1.0, 1.0)), (27, 28), 7.5),
}


def claims_of(table: str) -> list[Claim]:
    """List the claims of the paper about a table.

    Examples
    --------
    >>> claims_of("fashion")[0].words
    'AID falls by 27 to 28 % against BHMC'
    """
    settings, aid, aod = REPORTED[table]
    falls = f"AID falls by {aid[0]} to {aid[1]} % against BHMC"
    rises = f"AOD rises by about {aod:g} % against BHMC"
    left_out = ", nodes of one item left out"
    return [
        Claim("sensitivity", falls, _changes(settings, "aid", -aid[0] / 100)),
        Claim("sensitivity", falls + left_out, _changes(settings, "aid skip", -aid[0] / 100)),
        Claim("sensitivity", rises, _changes(settings, "aod", aod / 100)),
        Claim("sensitivity", rises + left_out, _changes(settings, "aod skip", aod / 100)),
        Claim("sensitivity", "larger C and larger margins separate better", _trends),
        Claim("fmeasure", "RBHMC has a better F-measure than BHMC at each level", _f_gains),
        Claim("fmeasure", "its trees separate the classes better (purity)", _purity_gains),
        Claim("convergence", "CDLL and RCDLL of four chains converge, in all settings", _rhats),
        Claim(
            "cooccurrence",
            "its co-occurrence is less uncertain at each level",
            _co_occurrence("uncertainty"),
        ),
        Claim("cooccurrence", "its chains are more alike", _co_occurrence("apart")),
    ]


def _changes(
    settings: Sequence[tuple[float, float]], key: str, least: float
) -> Callable[[Any], list[Place]]:
    def look(numbers: Any) -> list[Place]:
        cells = {(row["C"], row["margin"]): row[key] for row in numbers["cells"]}
        return [
            Place(f"C = {C:g}, margin = {margin:g}", *_sized(cells[C, margin], least))
            for C, margin in settings
        ]

    return look


def _sized(found: Any, least: float) -> tuple[str, Agreement]:
    if found is None:
        return SINGULAR, "no"
    interval = Interval(*found)
    return interval.text("{:+.1%}"), size(interval, least)


def _trends(numbers: Any) -> list[Place]:
    places = []
    for axis in ("C", "margin"):
        for measure, sign in (("aid", -1), ("aod", 1)):
            found = numbers["trends"][f"{measure} by {axis}"]
            name = f"{measure.upper()}, largest {axis} less smallest"
            if found is None:
                places.append(Place(name, SINGULAR, "no"))
            else:
                interval = Interval(*found)
                places.append(Place(name, interval.text("{:+.1%}"), direction(interval, sign)))
    return places


def _f_gains(numbers: Any) -> list[Place]:
    return [
        Place(f"{name}, level {level}", gain.text("{:+.3f}"), direction(gain, 1))
        for name, gains in _gains(numbers)
        for level, gain in enumerate(gains[:-1], start=1)
    ]


def _purity_gains(numbers: Any) -> list[Place]:
    return [
        Place(name, gains[-1].text("{:+.3f}"), direction(gains[-1], 1))
        for name, gains in _gains(numbers)
    ]


def _gains(numbers: Any) -> Iterator[tuple[str, list[Interval]]]:
    for name, found in numbers.items():
        if name != "BHMC":
            yield _short(name), [Interval(*gain) for gain in found["gain"]]


def _rhats(numbers: Any) -> list[Place]:
    places = []
    for row in numbers:
        name = "BHMC" if row["C"] == 0.0 else f"C = {row['C']:g}, margin = {row['margin']:g}"
        for key in ("rcdll", "cdll")[: 1 if row["C"] == 0.0 else 2]:
            value = row[f"{key} rhat"]
            agrees: Agreement = "yes" if value <= RHAT_NEARLY else "no"
            places.append(Place(f"{name}, {key.upper()}", f"R-hat {value:.3f}", agrees))
    return places


def _co_occurrence(key: str) -> Callable[[Any], list[Place]]:
    def look(numbers: Any) -> list[Place]:
        changes = {
            f"{_short(name)}, level {level}": Interval(*found[f"{key} change"])
            for name, levels in numbers.items()
            if name != "BHMC"
            for level, found in enumerate(levels, start=1)
        }
        return [
            Place(name, change.text("{:+.0%}"), direction(change, -1))
            for name, change in changes.items()
        ]

    return look


def _short(name: str) -> str:
    return name.removeprefix("RBHMC, ")
