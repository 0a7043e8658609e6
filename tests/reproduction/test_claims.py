"""Verdicts follow their stated rules, and every claim can be judged and can fail."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paper.claims import Claim, of_size
from paper.evidence import Evidence
from paper.inline import inline_figures
from paper.intervals import Interval, change, difference
from paper.page import CLAIMS, claim_blocks, count_table, number_tables, verdict_table
from paper.protocol import BHMC, DESIGNS, EXTREMES, Cell, Lengths
from paper.records import Records

N_REPEATS = 4


def made_record(table: str, cell: Cell, repeat: int, agrees: bool) -> dict[str, Any]:
    """Return a chain of a world in which the paper's claims are true, or the opposite."""
    rng = np.random.default_rng([repeat, round(1e6 * cell.C), round(100 * cell.margin)])
    design = DESIGNS[table]
    n_levels = design.settings["n_levels"]
    noise = rng.normal()
    plain = cell == BHMC
    poor = table == "fashion" and cell.C == 1.0
    good_C = 0.1 if table == "animals" else 0.001
    # Largest at the good C and margin 1, and smooth around it.
    gain = 0.0
    if not plain:
        far = abs(np.log10(cell.C / good_C)) + 0.3 * abs(np.log10(cell.margin))
        gain = max(0.0, 1.0 - 0.48 * far)
    if not agrees:
        gain = -1.0 if design.strengths[0] == cell.C else -gain
    strong = cell.C >= 1.0
    flat = 1.0 if strong or cell.margin == 10.0 else 0.3
    sure = 1.0 if plain else 0.3 if cell.margin == 10.0 else 0.5
    f_gain = -0.2 if poor else gain * 0.2
    growth = 0.5 if strong or cell.margin == 10.0 else 0.8
    spread = {"cdll": 10.0, "rcdll": 10.0 + 40.0 * min(cell.C, 1.0)}
    if not agrees:
        growth = 1.3 - growth
        flat, sure, f_gain = 0.2, 1.0 / sure, 0.0 if plain else 0.3 if poor else -0.1
        spread = {"cdll": 10.0 + 5 * cell.C, "rcdll": 9.0}
    levels = {"cdll": -400.0, "rcdll": -400.0 - 100.0 * min(cell.C, 1.0)}
    if not agrees:
        levels = {"cdll": -400.0 - 50.0 * (not plain), "rcdll": -600.0 - 50.0 * (not plain)}
    record: dict[str, Any] = {
        **cell._asdict(),
        "repeat": repeat,
        "seconds": 1.0,
        # Rare and in one chain, or frequent and the same in all.
        "singular": (0.003 if plain and repeat == 0 else 0.0) if agrees else 0.2,
        "nodes": [4.0 * (level + 1) ** growth + 0.01 * noise for level in range(n_levels)],
        "aid": [10.0 * (1.0 - 0.3 * gain) + 0.01 * noise] * 3,
        "aod": 10.0 * (1.0 + 0.12 * gain) + 0.01 * noise,
        "evenness": (0.7 if agrees else 0.97) + 0.001 * noise,
        "f": [
            0.5 + f_gain * (1.0 + 0.2 * level if agrees else 1.0) + 0.005 * noise
            for level in range(n_levels)
        ],
        "top": 3.0,
        "leaves": 5.0,
        "flat": flat + 0.001 * noise,
    }
    for key in ("cdll", "rcdll"):
        record[key] = [levels[key], spread[key] + 0.01 * noise]
        wave = levels[key] + spread[key] * rng.normal(size=301)
        # A chain that agrees starts low; one that does not drifts.
        wave[0] = levels[key] - 1_000.0
        record[f"{key} trace"] = list(wave if agrees else np.linspace(wave[0], levels[key], 301))
    if cell in design.cases:
        mean = 0.35 if agrees else 0.9
        grey = 0.9 if plain == agrees else 0.05
        pairs = {"mean": mean, "grey": grey, "uncertainty": 0.5 * sure + 0.001 * noise}
        record["pairs"] = [pairs] * n_levels
    return record


def made_evidence(folder: Path, table: str, *, agrees: bool, n: int = N_REPEATS) -> Evidence:
    records = Records(folder, table, "active")
    records.lengths = Lengths(n_repeats=n)
    for repeat in range(n):
        for cell in (BHMC, *DESIGNS[table].grid, *EXTREMES):
            records._read(made_record(table, cell, repeat, agrees))
    return Evidence(records)


BOTH = [(table, claim) for table, claims in CLAIMS.items() for claim in claims]
# The plane over the grid, its smoothness and the weight of C are the same for gains and losses.
SHAPES = ("non-linear", "smoothly", "C matters more", "C is the more", "suitable margin", "Animals")


@pytest.mark.parametrize(("table", "claim"), BOTH, ids=lambda one: getattr(one, "text", one)[:40])
def test_a_claim_holds_where_it_is_true_and_not_where_it_is_false(
    tmp_path: Path, table: str, claim: Claim
) -> None:
    found = claim.judge(made_evidence(tmp_path, table, agrees=True))
    assert found.verdict == "holds", found
    if not any(word in claim.text for word in SHAPES):
        found = claim.judge(made_evidence(tmp_path, table, agrees=False))
        assert found.verdict == "does not", found


@pytest.mark.parametrize(("table", "claim"), BOTH, ids=lambda one: getattr(one, "text", one)[:40])
def test_two_chains_cannot_judge(tmp_path: Path, table: str, claim: Claim) -> None:
    found = claim.judge(made_evidence(tmp_path, table, agrees=True, n=2))
    assert found == ("2 chains only", "cannot be judged")


@pytest.mark.parametrize("table", ["animals", "fashion"])
def test_the_parts_of_the_page_have_every_claim(tmp_path: Path, table: str) -> None:
    columns = {"active sums": made_evidence(tmp_path, table, agrees=True)}
    n_claims = len(CLAIMS[table])
    assert verdict_table(table, columns).count("**holds**") == n_claims
    assert claim_blocks(table, columns).count("*Rule:*") == n_claims
    assert f"| {n_claims} | 0 | 0 | 0 |" in count_table(table, columns)
    text = inline_figures(table, columns, tmp_path)[f"{table} tally, active sums"]
    assert text == f"{n_claims} of {n_claims} hold, 0 in part"
    n_cells = len(DESIGNS[table].grid) + len(EXTREMES)
    assert number_tables(table, columns).count("| 0.00% |") == n_cells


def test_a_verdict_that_depends_on_one_item_nodes_is_shown_in_both_forms(tmp_path: Path) -> None:
    evidence = made_evidence(tmp_path, "animals", agrees=True)
    for record in evidence.records:
        if record["C"] > 0.0:
            record["aid"][0] = 20.0 - record["aid"][0]  # As printed, better cells are worse.
    columns = {"active sums": evidence}
    line = next(
        line for line in verdict_table("animals", columns).split("\n") if "20 to 25" in line
    )
    assert line.endswith("| does not (**holds**) |")
    block = claim_blocks("animals", columns).split("AID improves by up to 20 to 25 %")[1]
    assert "| active sums, one-item nodes left out | " in block.split("**20.")[0]
    n_claims = len(CLAIMS["animals"])
    table = count_table("animals", columns)
    assert f"| active sums, one-item nodes left out | {n_claims} | 0 | 0 | 0 |" in table
    assert f"| active sums | {n_claims} |" not in table


def test_the_best_cell_is_judged_by_its_interval() -> None:
    assert of_size(Interval(-0.18, -0.21, -0.15), -0.2) == "holds"
    assert of_size(Interval(-0.18, -0.19, -0.15), -0.2) == "in part"
    assert of_size(Interval(-0.01, -0.03, 0.01), -0.2) == "does not"
    assert of_size(Interval(-0.02, -0.03, -0.01), -0.2) == "does not"
    assert of_size(Interval(-0.08, -0.25, 0.1), -0.2) == "cannot be judged"
    assert of_size(Interval(0.3, 0.2, 0.4), 0.1) == "holds"
    assert of_size(Interval(0.3, 0.21, 0.39), 0.1) == "in part"


def test_intervals_cover_the_truth_in_95_of_100() -> None:
    """2,000 tables: the share has a standard error of 0.5 %; level 0.001, so 1.6 % either way."""
    rng = np.random.default_rng(3)
    covered = np.zeros(2)
    for _ in range(2_000):
        a, b = rng.normal(11.0, 1.0, size=6), rng.normal(10.0, 2.0, size=9)
        covered += [
            difference(a, b).low < 1.0 < difference(a, b).high,
            change(a, b).low < 0.1 < change(a, b).high,
        ]
    assert (np.abs(covered / 2_000 - 0.95) < 0.016).all(), covered
