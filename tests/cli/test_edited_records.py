"""Every edit of a record is harmless, or an error that names the file and the field."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.cases import QUICK, invoke, write_table
from rbhmc import InvalidInput
from rbhmc.cli.console import UserError
from rbhmc.cli.run import Run
from rbhmc.sampling import RunFolder

ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    2.5,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "x",
    [],
    [None],
    {},
]
CONFIG, RECORD = "config.json", "checkpoints/run.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    write_table(folder / "things.csv")
    invoke("fit", folder / "things.csv", "--class-column", "kind", "-o", folder / "run", *QUICK)
    return folder / "run"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    shutil.copy(made.parent / "things.csv", tmp_path)
    return shutil.copytree(made, tmp_path / "run")


def fields_of(record: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in record.items():
        yield (*above, name)
        if isinstance(value, dict):
            yield from fields_of(value, (*above, name))


def edited(record: dict[str, Any], field: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Return a record with another value in one field; ``...`` leaves the field out."""
    name, *rest = field
    if rest:
        value = edited(record[name], tuple(rest), value)
    without = {key: old for key, old in record.items() if key != name}
    return without if value is ... else without | {name: value}


def read_all(run: Path) -> None:
    opened = Run.open(run)
    opened.read_table()
    opened.load_draws()


@pytest.mark.filterwarnings("ignore:.*was made by rbhmc")
@pytest.mark.parametrize("name", [CONFIG, RECORD])
def test_an_edit_is_harmless_or_named(run: Path, name: str) -> None:
    whole = json.loads((run / name).read_text())
    n_refused = 0
    for field in fields_of(whole):
        # Any other input makes another run.
        for value in [None] if len(field) > 1 and field[0] == "inputs" else [*ODD, ...]:
            (run / name).write_text(json.dumps(edited(whole, field, value)))
            try:
                read_all(run)
            except (UserError, InvalidInput) as error:
                n_refused += 1
                message = str(error)
                is_named = Path(name).name in message and field[-1].split()[0] in message
                # A valid value may be wrong for the other files.
                others = ("another run", "no results", "is incomplete", "things.csv", "there is no")
                assert is_named or any(words in message for words in others), message
    assert n_refused > 40


@pytest.mark.parametrize(
    ("name", "field", "value", "words"),
    [
        (CONFIG, "data.features", ["mass"], "data.features are not the features"),
        (CONFIG, "data.image_shape", [2, 3], "data.image_shape is [2, 3]; it must have one pixel"),
        (CONFIG, "data.dropped", "kind", 'data.dropped is "kind"; it must be a list of texts'),
        (CONFIG, "settings.C", 2.0, "settings.C is 2.0, but the draws were made with 1.0"),
        (CONFIG, "settings.n_levels", "2", "settings.n_levels is '2'; it must be a whole number"),
        (CONFIG, "settings.depth", 2, "settings.depth is unknown"),
        (CONFIG, "settings.initial_paths", [], "settings.initial_paths is []"),
        (CONFIG, "result.n_draws", 41, "result.n_draws is 41, but chain 0 has 40 draws"),
        (CONFIG, "result.chains", [0, 0], "a list of different whole numbers"),
        (CONFIG, "result.chains", [7], "is incomplete"),
        (RECORD, "n_draws", "40", 'n_draws is "40"; it must be a whole number'),
        (RECORD, "inputs.seeds", [1.5], "inputs.seeds is [1.5]"),
        (RECORD, "format", [], "format is []"),
    ],
)
def test_messages(run: Path, name: str, field: str, value: Any, words: str) -> None:
    record = edited(json.loads((run / name).read_text()), tuple(field.split(".")), value)
    (run / name).write_text(json.dumps(record))
    with pytest.raises((UserError, InvalidInput)) as error:
        read_all(run)
    assert words in str(error.value)


@pytest.mark.parametrize("name", [CONFIG, RECORD, "tree.json"])
@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff", b"[" * 100_000, b"1e999", b"null"])
def test_files_that_are_no_records(run: Path, name: str, content: bytes) -> None:
    (run / name).write_bytes(content)
    with pytest.raises((UserError, InvalidInput), match=Path(name).name):
        read_all(run)


def test_commands_end_without_a_traceback(run: Path) -> None:
    record = json.loads((run / CONFIG).read_text())
    (run / CONFIG).write_text(json.dumps(edited(record, ("settings", "C"), "much")))
    for command in (("fit", "--resume", run), ("report", run), ("predict", run, run)):
        done = invoke(*command, code=1)
        assert "settings.C is 'much'; it must be a number" in " ".join(done.stderr.split())
    assert RunFolder.open(run / "checkpoints") is not None
