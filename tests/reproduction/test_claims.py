"""Verdicts on the paper's claims follow the stated rules, on made-up numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

from paper.claims import (
    RULES,
    Place,
    check_direction,
    check_size,
    claims_about,
    place_tables,
    verdict,
    verdict_table,
)
from paper.intervals import (
    Interval,
    change,
    change_between_chains,
    contrast,
    mean_between_chains,
)
from paper.runs import read_records

SETTINGS = ("RBHMC, C = 0.1, margin = 0.1", "RBHMC, C = 0.1, margin = 10")
BETTER, WORSE, UNSURE = [0.2, 0.1, 0.3], [-0.2, -0.3, -0.1], [0.0, -0.1, 0.1]


def numbers(
    aid: list[float], gain: list[float], rhat: float, change: list[float]
) -> dict[str, Any]:
    """Return numbers of every experiment on the animals, the same in every place."""
    distances = {"aid": aid, "aod": gain, "aid skip": aid, "aod skip": None}
    cells = [{"C": 0.1, "margin": margin, **distances} for margin in (0.1, 10.0)]
    trends = {f"{key} by {axis}": aid for key in ("aid", "aod") for axis in ("C", "margin")}
    levels = [{"uncertainty change": change, "apart change": UNSURE}] * 3
    return {
        "sensitivity": {"cells": cells, "trends": trends},
        "fmeasure": {"BHMC": {}, **{name: {"gain": [gain] * 3 + [UNSURE]} for name in SETTINGS}},
        "convergence": [
            {"C": C, "margin": 1.0, "rcdll rhat": rhat, "cdll rhat": 1.0} for C in (0.0, 0.1)
        ],
        "cooccurrence": {"BHMC": [], **dict.fromkeys(SETTINGS, levels)},
    }


def write(folder: Path, found: dict[str, Any], effort: str = "quick") -> None:
    for experiment, content in found.items():
        place = folder / f"animals-paper-{effort}" / experiment
        place.mkdir(parents=True)
        (place / "numbers.json").write_text(json.dumps(content))


def verdicts(folder: Path) -> list[str]:
    lines = verdict_table("animals", {"paper": read_records(folder, "animals", "paper")})
    return [line.split(" | ")[1].rstrip(" |") for line in lines.splitlines()[2:]]


def test_every_claim_has_the_verdict_of_its_places(tmp_path: Path) -> None:
    write(tmp_path, numbers([-0.2, -0.21, -0.19], BETTER, 1.02, WORSE))
    assert verdicts(tmp_path) == [
        "**holds** (2 of 2)",
        "**holds** (2 of 2)",
        "**holds** (2 of 2)",
        "**does not hold** (0 of 2)",  # no draw to measure
        "**holds in part** (2 of 4)",  # AOD falls with AID
        "**holds** (6 of 6)",
        "**does not hold** (0 of 2)",
        "**holds** (3 of 3)",
        "**holds** (6 of 6)",
        "**does not hold** (0 of 6)",
    ]


def test_the_opposite_does_not_hold(tmp_path: Path) -> None:
    write(tmp_path, numbers(BETTER, WORSE, 1.3, BETTER))
    found = verdicts(tmp_path)
    assert found[7] == "**holds in part** (1 of 3)"  # CDLL alone
    assert set(found[:4] + found[5:7] + found[8:]) <= {
        f"**does not hold** (0 of {n})" for n in (2, 6)
    }


def test_sizes_and_directions() -> None:
    assert check_size(Interval(-0.30, -0.35, -0.25), -0.20) == "yes"  # beyond the claim
    assert check_size(Interval(-0.18, -0.21, -0.15), -0.20) == "yes"  # reaches the claim
    assert check_size(Interval(-0.15, -0.19, -0.11), -0.20) == "partly"
    assert check_size(Interval(-0.30, -0.65, 0.05), -0.20) == "no"  # may be 0
    assert check_size(Interval(0.3, 0.2, 0.4), -0.20) == "no"
    assert check_size(Interval(0.3, 0.2, 0.4), 0.10) == "yes"
    assert check_direction(Interval(0.0, 0.0, 0.0), 1) == "no"
    partly = Place("here", "", "partly")
    assert verdict([partly, partly]) == "holds in part"
    assert "1.1" in RULES


def test_the_greatest_effort_counts(tmp_path: Path) -> None:
    write(tmp_path, numbers(WORSE, BETTER, 1.0, WORSE))
    longer = {"fmeasure": numbers(WORSE, WORSE, 1.0, WORSE)["fmeasure"]}
    write(tmp_path, longer, effort="paper")
    records = read_records(tmp_path, "animals", "paper")
    assert {name: record.effort for name, record in records.items()} == {
        "convergence": "quick",
        "cooccurrence": "quick",
        "fmeasure": "paper",
        "sensitivity": "quick",
    }
    assert verdicts(tmp_path)[5] == "**does not hold** (0 of 6)"


def test_places_of_two_schemes_are_in_one_table(tmp_path: Path) -> None:
    write(tmp_path, numbers([-0.2, -0.21, -0.19], BETTER, 1.02, WORSE))
    runs = {scheme: read_records(tmp_path, "animals", scheme) for scheme in ("paper", "exact")}
    assert "not run |" in verdict_table("animals", runs)
    text = place_tables("animals", runs)
    assert "| C = 0.1, margin = 10 | -20.0% (-21.0% to -19.0%) | yes | not run |  |" in text
    assert all(f"**{claim.text}**" in text for claim in claims_about("animals"))


def test_intervals_between_chains() -> None:
    far = [[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]
    found = mean_between_chains(far)
    assert found.value == pytest.approx(2.0)
    # Resamples are means of the pairs.
    assert 1.0 <= found.low <= found.value <= found.high <= 3.0
    assert change_between_chains(far, far).value == 0.0
    # A baseline of 0 gives no agreement and no warning.
    assert check_direction(change([1.0, 2.0], [0.0, 0.0]), 1) == "no"
    assert contrast([[2.0, 4.0]], [[1.0, 1.0]], [2.0, 2.0]) == pytest.approx((1.0, 0.5, 1.5))
