"""The claims of the paper, and the rules by which the numbers of a run give a verdict on each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from paper.intervals import Interval
from paper.runs import EXPERIMENTS, Record, read_records, run_folder
from rbhmc._files import write_atomically
from rbhmc.diagnostics.convergence import RHAT_NEARLY

Verdict = Literal["holds", "holds in part", "does not hold"]
Agreement = Literal["yes", "partly", "no"]
Runs = Mapping[str, Mapping[str, Record]]
SINGULAR = "every draw is one single path"
NOT_RUN = "not run"

RULES = f"""\
Each claim is checked in several places: the paper's own settings of C and margin for the table, the
levels of the tree, the two ends of the grid. A claim **holds** if the answer is yes in every place,
**does not hold** if it is no in every place, and **holds in part** otherwise. The answer is

- for a *direction* (falls, rises, better): yes if the whole 95 % interval is on the claimed side
  of zero, else no;
- for a *size*: yes if the direction agrees and the interval reaches the nearer end of what is
  claimed, or lies beyond it; partly if only the direction agrees; else no;
- for *convergence*: yes if the R-hat of four chains' second halves is at most {RHAT_NEARLY:g}."""


class Place(NamedTuple):
    """A place where a claim is checked, the figure there, and whether it agrees."""

    name: str
    figure: str
    agrees: Agreement


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes
    ----------
    experiment : str
        The experiment whose numbers check it.
    text : str
        The claim.
    check : callable
        Takes the numbers of the experiment, and returns the places.
    """

    experiment: str
    text: str
    check: Callable[[Any], list[Place]]


def verdict(places: Sequence[Place]) -> Verdict:
    """Combine the places of a claim.

    Examples
    --------
    >>> verdict([Place("level 1", "+0.2", "yes"), Place("level 2", "-0.1", "no")])
    'holds in part'
    """
    answers = {place.agrees for place in places}
    if answers == {"yes"}:
        return "holds"
    return "does not hold" if answers <= {"no"} else "holds in part"


def check_direction(interval: Interval, sign: int) -> Agreement:
    """Check that an interval is wholly above (sign 1) or below (sign -1) zero.

    Examples
    --------
    >>> check_direction(Interval(-0.2, -0.3, -0.1), -1)
    'yes'
    """
    return "yes" if min(sign * interval.low, sign * interval.high) > 0.0 else "no"


def check_size(interval: Interval, least: float) -> Agreement:
    """Check that a change has the direction of `least`, and may be as large.

    Examples
    --------
    >>> check_size(Interval(-0.1, -0.12, -0.08), -0.2)
    'partly'
    """
    sign = 1 if least > 0 else -1
    if check_direction(interval, sign) == "no":
        return "no"
    return "yes" if max(sign * interval.low, sign * interval.high) >= abs(least) else "partly"


class Reported(NamedTuple):
    """The paper's report on a table: its settings, and the changes of AID and AOD, in %."""

    settings: tuple[tuple[float, float], ...]
    aid: tuple[float, float]
    aod: float


REPORTED = {
    "animals": Reported(((0.1, 0.1), (0.1, 10.0)), (20, 25), 10),
    "fashion": Reported(((0.001, 0.01), (0.001, 1.0), (1.0, 1.0)), (27, 28), 7.5),
}


def claims_about(table: str) -> list[Claim]:
    """List the claims of the paper about a table.

    Examples
    --------
    >>> claims_about("fashion")[0].text
    'AID falls by 27 to 28 % against BHMC'
    """
    settings, aid, aod = REPORTED[table]
    falls = f"AID falls by {aid[0]} to {aid[1]} % against BHMC"
    rises = f"AOD rises by about {aod:g} % against BHMC"
    left_out = ", nodes of one item left out"
    return [
        Claim("sensitivity", falls, _check_changes(settings, "aid", -aid[0] / 100)),
        Claim("sensitivity", falls + left_out, _check_changes(settings, "aid skip", -aid[0] / 100)),
        Claim("sensitivity", rises, _check_changes(settings, "aod", aod / 100)),
        Claim("sensitivity", rises + left_out, _check_changes(settings, "aod skip", aod / 100)),
        Claim("sensitivity", "larger C and larger margins separate better", _check_trends),
        Claim("fmeasure", "RBHMC has a better F-measure than BHMC at each level", _check_f),
        Claim("fmeasure", "its trees separate the classes better (purity)", _check_purity),
        Claim(
            "convergence", "CDLL and RCDLL of four chains converge, in all settings", _check_rhat
        ),
        Claim(
            "cooccurrence",
            "its co-occurrence is less uncertain at each level",
            _check_co_occurrence("uncertainty"),
        ),
        Claim("cooccurrence", "its chains are more alike", _check_co_occurrence("apart")),
    ]


def _check_changes(
    settings: Sequence[tuple[float, float]], key: str, least: float
) -> Callable[[Any], list[Place]]:
    def check(numbers: Any) -> list[Place]:
        cells = {(row["C"], row["margin"]): row[key] for row in numbers["cells"]}
        return [
            _place(
                f"C = {C:g}, margin = {margin:g}",
                cells[C, margin],
                partial(check_size, least=least),
            )
            for C, margin in settings
        ]

    return check


def _check_trends(numbers: Any) -> list[Place]:
    return [
        _place(
            f"{measure.upper()}, largest {axis} less smallest",
            numbers["trends"][f"{measure} by {axis}"],
            partial(check_direction, sign=sign),
        )
        for axis in ("C", "margin")
        for measure, sign in (("aid", -1), ("aod", 1))
    ]


def _place(
    name: str, value: Sequence[float] | None, check: Callable[[Interval], Agreement]
) -> Place:
    if value is None:
        return Place(name, SINGULAR, "no")
    interval = Interval(*value)
    return Place(name, interval.text("{:+.1%}"), check(interval))


def _check_f(numbers: Any) -> list[Place]:
    return [
        Place(f"{name}, level {level}", gain.text("{:+.3f}"), check_direction(gain, 1))
        for name, gains in _gains(numbers)
        for level, gain in enumerate(gains[:-1], start=1)
    ]


def _check_purity(numbers: Any) -> list[Place]:
    return [
        Place(name, gains[-1].text("{:+.3f}"), check_direction(gains[-1], 1))
        for name, gains in _gains(numbers)
    ]


def _gains(numbers: Any) -> Iterator[tuple[str, list[Interval]]]:
    for name, row in numbers.items():
        if name != "BHMC":
            yield _short(name), [Interval(*gain) for gain in row["gain"]]


def _check_rhat(numbers: Any) -> list[Place]:
    places = []
    for row in numbers:
        name = "BHMC" if row["C"] == 0.0 else f"C = {row['C']:g}, margin = {row['margin']:g}"
        for key in ("rcdll", "cdll")[: 1 if row["C"] == 0.0 else 2]:
            value = row[f"{key} rhat"]
            agrees: Agreement = "yes" if value <= RHAT_NEARLY else "no"
            places.append(Place(f"{name}, {key.upper()}", f"R-hat {value:.3f}", agrees))
    return places


def _check_co_occurrence(key: str) -> Callable[[Any], list[Place]]:
    def check(numbers: Any) -> list[Place]:
        changes = {
            f"{_short(name)}, level {level}": Interval(*row[f"{key} change"])
            for name, levels in numbers.items()
            if name != "BHMC"
            for level, row in enumerate(levels, start=1)
        }
        return [
            Place(name, change.text("{:+.0%}"), check_direction(change, -1))
            for name, change in changes.items()
        ]

    return check


def _short(name: str) -> str:
    return name.removeprefix("RBHMC, ")


def verdict_table(table: str, runs: Runs) -> str:
    """Write the verdict on each claim about a table, as Markdown.

    Parameters
    ----------
    table : str
    runs : mapping of scheme to mapping of experiment to Record
    """
    lines = [
        "| the paper's claim | " + " | ".join(f"`{scheme}`" for scheme in runs) + " |",
        "|" + "---|" * (len(runs) + 1),
    ]
    for claim in claims_about(table):
        cells = [_verdict_text(_places(claim, records)) for records in runs.values()]
        lines.append(f"| {claim.text} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def place_tables(table: str, runs: Runs) -> str:
    """Write the figures in each place, one table for each claim, as Markdown."""
    parts = []
    for claim in claims_about(table):
        places = {scheme: _places(claim, records) for scheme, records in runs.items()}
        names = dict.fromkeys(place.name for found in places.values() for place in found or ())
        if not names:
            continue
        lines = [
            f"**{claim.text}**",
            "",
            "| place | " + " | ".join(f"`{scheme}` | agrees" for scheme in runs) + " |",
            "|" + "---|" * (2 * len(runs) + 1),
        ]
        for name in names:
            lines.append(
                f"| {name} | " + " | ".join(_cell(places[key], name) for key in runs) + " |"
            )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _places(claim: Claim, records: Mapping[str, Record]) -> list[Place] | None:
    record = records.get(claim.experiment)
    return None if record is None else claim.check(record.numbers)


def _verdict_text(places: list[Place] | None) -> str:
    if places is None:
        return NOT_RUN
    n_agree = sum(place.agrees == "yes" for place in places)
    return f"**{verdict(places)}** ({n_agree} of {len(places)})"


def _cell(places: list[Place] | None, name: str) -> str:
    for place in places or ():
        if place.name == name:
            return f"{place.figure} | {place.agrees}"
    return f"{NOT_RUN} | "


def write_page(folder: Path, table: str, scheme: str, effort: str) -> Path:
    """Write ``results.md``: all sections that the run has so far, and the verdicts."""
    own = run_folder(folder, table, scheme, effort)
    files = [own / name / "section.md" for name in EXPERIMENTS]
    parts = [file.read_text(encoding="utf-8") for file in files if file.exists()]
    if table in REPORTED:
        runs = {scheme: read_records(folder, table, scheme, (effort,))}
        verdicts = [verdict_table(table, runs), place_tables(table, runs)]
        parts += ["## The paper's claims\n", RULES, "", "\n\n".join(verdicts), ""]
    title = f"# {table}, scheme `{scheme}`, effort `{effort}`\n"
    page = own / "results.md"
    write_atomically(page, "\n".join([title, *parts]).encode())
    return page
