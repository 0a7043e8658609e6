"""Mistakes of users end with a message and an exit code, without a traceback or left-over files."""

import subprocess
import sys
from pathlib import Path

import pytest

import rbhmc
from cli.cases import QUICK, invoke, write_table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, in which commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write_table(tmp_path / "things.csv")
    return tmp_path


def output_of(*arguments: object, code: int) -> str:
    """Run a command, and return its output without line breaks and frames."""
    return " ".join(invoke(*arguments, code=code).output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("fit", "give a table, or --resume and a run"),
        ("fit things.csv --data other.csv", "is for --resume only"),
        ("fit things.csv --resume runs/x", "DATA cannot be given with it"),
        ("fit --resume runs/x --n-levels 2", "--n-levels cannot be given with it"),
        ("fit --resume runs/x --class-column k", "--class-column cannot be given with it"),
        ("fit things.csv --n-pca many", "'many' is not a whole number, a number, auto or none"),
        ("fit things.csv --missing fill", "'fill' is not impute, drop or error"),
        ("fit things.csv --scale big", "'big' is not a number, auto or none"),
        ("fit things.csv --init random", "'random' is not ward or prior"),
        ("fit things.csv --n-draws few", "'few' is not a whole number"),
        ("fit things.csv --select best", "'best' is not consensus, vi, binder, rcdll or cdll"),
        ("export runs/x --format word", "newick"),
        ("export runs/x", "--format"),
        ("predict runs/x", "ITEMS"),
        ("frobnicate", "frobnicate"),
    ],
)
def test_usage(folder: Path, arguments: str, words: str) -> None:
    assert words in output_of(*arguments.split(), code=2)
    assert [file.name for file in folder.iterdir()] == ["things.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("fit nothing.csv", "there is no file nothing.csv Tables in that folder: things.csv."),
        ("fit things.csv --class-column knid", "did you mean 'kind'?"),
        ("fit things.csv --drop kind --n-pca 9", '--n-pca is 9; it must be "auto", none, a share'),
        ("fit things.csv --drop kind --scale 0", '--scale is 0.0; it must be "auto", none, or a'),
        ("fit things.csv --drop kind --random-state -1", "--random-state is -1; it must be from 0"),
        ("fit things.csv --drop kind --n-draws 0", "--n-draws is 0; it must be a whole number"),
        ("fit things.csv --drop kind --thin 0", "--thin is 0; it must be"),
        ("fit things.csv --drop kind --n-chains 0", "--n-chains is 0; it must be"),
        ("fit things.csv --drop kind --n-levels 0", "--n-levels is 0; it must be"),
        ("fit things.csv --drop kind --alpha -1", "--alpha is -1"),
        ("fit things.csv --drop kind --scheme fast", '--scheme is "fast"; it must be "collapsed"'),
        ("fit things.csv --drop kind -o things.csv", "things.csv is a file; -o takes a folder"),
        ("fit --resume nowhere", "nowhere is not a run folder"),
        ("export things.csv --format dot", "is not a run folder"),
        ("report nowhere", "nowhere is not a run folder"),
        ("predict nowhere things.csv", "nowhere is not a run folder"),
    ],
)
def test_bad_input(folder: Path, arguments: str, words: str) -> None:
    text = output_of(*arguments.split(), code=1)
    assert "error: " in text
    assert words in text
    assert [file.name for file in folder.iterdir()] == ["things.csv"]


def test_errors_about_gaps_name_the_option(folder: Path) -> None:
    (folder / "gaps.csv").write_text("a,b\n1,2\n2,\n,4\n")
    text = output_of("fit", "gaps.csv", "--missing", "error", code=1)
    assert "2 rows have gaps, in a (1), b (1); use --missing impute or drop, or fill them" in text
    (folder / "gaps.csv").write_text("a,b\n1,\n,2\n3,\n,4\n")
    text = output_of("fit", "gaps.csv", "--missing", "drop", code=1)
    assert "every row of X has a gap; --missing drop leaves no items" in text


def test_mistakes_about_runs(folder: Path) -> None:
    quick = [*QUICK, "--drop", "kind"]
    out = output_of("fit", "things.csv", *quick, "-o", "a", code=0)
    assert "Written to a: report.html, summary.txt" in out
    text = output_of("fit", "things.csv", *quick, "-o", "a", code=1)
    assert "a already holds a run" in text
    assert "rbhmc fit --resume a" in text
    assert "already asked for 40 draws per chain" in output_of(
        "fit", "--resume", "a", "--n-draws", 39, code=1
    )

    other = folder / "b"
    other.mkdir()
    (other / "labels.csv").write_text("mine")
    assert "b holds labels.csv" in output_of("fit", "things.csv", *quick, "-o", "b", code=1)

    (folder / "a" / "tree.json").unlink()
    assert "Write it again with: rbhmc fit --resume a" in output_of(
        "export", "a", "-f", "dot", code=1
    )
    output_of("fit", "--resume", "a", "--no-progress", code=0)
    assert "digraph" in output_of("export", "a", "-f", "dot", code=0)
    (folder / "a" / "config.json").write_text("{")
    assert "is not the record of a run" in output_of("export", "a", "-f", "dot", code=1)
    (folder / "a" / "config.json").write_text('{"format": 99}')
    assert "cannot read" in output_of("export", "a", "-f", "dot", code=1)


def test_version_and_help(folder: Path) -> None:
    assert output_of("--version", code=0) == f"rbhmc {rbhmc.__version__}"
    assert "Start with:" in output_of("--help", code=0)
    for command in ("fit", "report", "export", "predict", "tune", "demo"):
        text = output_of(command, "--help", code=0)
        assert f"Example: rbhmc {command}" in text


def test_without_typer_it_says_what_to_install() -> None:
    script = "import sys; sys.modules['typer'] = None; from rbhmc.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8")
    assert done.returncode == 1
    assert 'pip install "rbhmc[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_too_little_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(rbhmc.RBHMC, "fit", fail)
    text = output_of("fit", "things.csv", "--drop", "kind", code=1)
    assert "error: the computer has not enough memory for this run" in text
    assert "for example with --n-draws" in text
    # The selection of a draw counts pairs only in small tables.
    assert "pairs" not in text


def test_missing_checkpoints(folder: Path) -> None:
    output_of("fit", "things.csv", "--drop", "kind", *QUICK, "-o", "a", code=0)
    (folder / "a" / "checkpoints" / "chain-1" / "state.npz").unlink()
    text = output_of("report", "a", code=1)
    assert "the draws of the run in a are missing: a/checkpoints is incomplete" in text
