"""The claims of the paper in words: a line with a verdict for each, and what it rests on."""

from collections.abc import Mapping

from rbhmc.reproduce.claims import Claim, Place, claims_of, verdict
from rbhmc.reproduce.record import Record

Runs = Mapping[str, Mapping[str, Record]]
ABSENT = "not run"


def verdict_table(table: str, runs: Runs) -> str:
    """Write the verdict on each claim about a table, as Markdown.

    Parameters
    ----------
    table : str
    runs : mapping of scheme to mapping of experiment to Record
    """
    lines = [
        "| the paper's word | " + " | ".join(f"`{scheme}`" for scheme in runs) + " |",
        "|" + "---|" * (len(runs) + 1),
    ]
    for claim in claims_of(table):
        cells = [_judged(_places(claim, records)) for records in runs.values()]
        lines.append(f"| {claim.words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def place_tables(table: str, runs: Runs) -> str:
    """Write for each claim what was found in each place, as Markdown."""
    parts = []
    for claim in claims_of(table):
        found = {scheme: _places(claim, records) for scheme, records in runs.items()}
        names = dict.fromkeys(place.name for places in found.values() for place in places or ())
        if not names:
            continue
        lines = [
            f"**{claim.words}**",
            "",
            "| place | " + " | ".join(f"`{scheme}` | agrees" for scheme in runs) + " |",
            "|" + "---|" * (2 * len(runs) + 1),
        ]
        for name in names:
            lines.append(
                f"| {name} | " + " | ".join(_cell(found[key], name) for key in runs) + " |"
            )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _places(claim: Claim, records: Mapping[str, Record]) -> list[Place] | None:
    record = records.get(claim.experiment)
    return None if record is None else claim.look(record.numbers)


def _judged(places: list[Place] | None) -> str:
    if places is None:
        return ABSENT
    n_agree = sum(place.agrees == "yes" for place in places)
    return f"**{verdict(places)}** ({n_agree} of {len(places)})"


def _cell(places: list[Place] | None, name: str) -> str:
    for place in places or ():
        if place.name == name:
            return f"{place.figure} | {place.agrees}"
    return f"{ABSENT} | "
