"""Records are kept, read back, and continued."""

from pathlib import Path

import pytest

from paper.chain import TRACE_STEP, run_chain, start_chain
from paper.kemp import KEMP_CSV
from paper.protocol import ANIMALS, BHMC, Cell, Lengths, Task, tasks
from paper.records import RECORDS, Records
from paper.tables import load_table
from rbhmc import InvalidInput
from reproduction.files import needs_kemp
from reproduction.made import DESIGN, SHORT, made_table


def test_a_run_continues_with_what_is_missing(tmp_path: Path) -> None:
    table = made_table()
    records = Records(tmp_path, "made", "active")
    first, second, *others = records.missing(DESIGN, SHORT)
    for task in (first, second):
        records.add(run_chain(table, "active", task, SHORT), SHORT)
    again = Records(tmp_path, "made", "active")
    assert again.missing(DESIGN, SHORT) == others
    assert again.chains == records.chains
    assert again.lengths == SHORT
    more = Lengths(n_burn_in=500, n_draws=1_000, n_repeats=4, n_scored=2)
    assert set(others) < set(again.missing(DESIGN, more))


def test_chains_of_other_lengths_are_refused(tmp_path: Path) -> None:
    records = Records(tmp_path, "made", "active")
    records.add({**BHMC._asdict(), "repeat": 0, "seconds": 1.0}, SHORT)
    with pytest.raises(InvalidInput, match=r"500 \+ 1000 sweeps, and 25000 \+ 50000"):
        Records(tmp_path, "made", "active").missing(DESIGN, Lengths())


def test_both_readings_share_the_chains_of_bhmc(tmp_path: Path) -> None:
    for reading, cell in (("active", BHMC), ("paths", Cell(0.1, 1.0))):
        record = {**cell._asdict(), "repeat": 0, "seconds": 1.0}
        Records(tmp_path, "made", reading).add(record, SHORT)
    paths = Records(tmp_path, "made", "paths")
    assert {task.cell for task in paths.chains} == {BHMC, Cell(0.1, 1.0)}
    assert all(task.cell != BHMC for task in paths.missing(DESIGN, SHORT))


def test_named_cells_come_first() -> None:
    order = tasks(DESIGN, Lengths(n_repeats=10))
    fifth_named = max(i for i, task in enumerate(order) if task.cell == BHMC and task.repeat < 5)
    second_other = min(
        i for i, task in enumerate(order) if task.cell == Cell(0.001, 1.0) and task.repeat == 1
    )
    assert fifth_named < second_other
    assert len(set(order)) == len(order)


@needs_kemp
@pytest.mark.parametrize("reading", ["active", "paths"])
def test_the_records_are_of_the_present_sampler(reading: str) -> None:
    """The first 2,000 sweeps of a recorded chain are drawn again, with the same log likelihoods."""
    task = Task(ANIMALS.scored, 0)
    trace = Records(RECORDS, "animals", reading).chains[task]["rcdll trace"]
    _, draw = start_chain(load_table("animals", KEMP_CSV), reading, task)
    assert draw(8, TRACE_STEP)["rcdll"].round().tolist() == trace[1:9]
