"""Names from files are text: on the terminal, in spreadsheets and in every export."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rbhmc
from cli.cases import QUICK, invoke
from rbhmc._text import guard_formula, unguard_formula
from rbhmc.cli.table import Roles, read_table

NAMES = [
    "=cmd|' /C calc'!A0",
    "+SUM(1)",
    "-x",
    "@now",
    "'=quoted",
    "''@twice",
    "'plain",
    "\x1b[2J\x1b]0;title\x07",
    "two\nlines",
    "\u202egnp.exe",
    "\u2066inside\u2069",
    "a,b;c",
]
FORMULAS = tuple("=+-@")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    values = np.random.default_rng(0).normal(size=(len(NAMES), 2)) + np.repeat([[0], [9]], 6, 0)
    frame = pd.DataFrame(values, columns=["=HYPERLINK(1)", "\x1b[31mred"])
    frame.insert(0, "name", NAMES)
    frame.to_csv(folder / "table.csv", index=False)
    done = invoke("fit", folder / "table.csv", "-o", folder / "run", *QUICK)
    assert not any(char in done.stdout + done.stderr for char in "\x1b\x07\u202e\u2066")
    return folder / "run"


def cells_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_no_cell_is_a_formula(run: Path) -> None:
    written = [(run / name).read_text("utf-8") for name in ("labels.csv", "nodes.csv")]
    written.append(invoke("export", run, "--format", "csv").stdout)
    written.append(invoke("predict", run, run.parent / "table.csv").stdout)
    for text in written:
        for cell in (cell for row in cells_of(text) for cell in row):
            if cell.startswith(FORMULAS):
                float(cell)  # a negative number


def test_our_own_reader_undoes_the_quotes(run: Path) -> None:
    text = (run / "labels.csv").read_text("utf-8")
    # The table itself was read in this way, too.
    names = [unguard_formula(name) for name in NAMES]
    assert [row[0] for row in cells_of(text)[1:]] == [guard_formula(name) for name in names]
    kept = pd.read_csv(run / "labels.csv")[["item", "similarity"]]
    kept.to_csv(run.parent / "again.csv", index=False)
    again = read_table(run.parent / "again.csv", Roles(id="item"))
    assert list(again.frame.index) == names


@pytest.mark.parametrize("name", [*NAMES, "", "'", "''", "-1.5", "-1e5", "=", "'-1.5", "\t=x"])
def test_the_quote_is_undone(name: str) -> None:
    assert unguard_formula(guard_formula(name)) == name or name == "'-1.5"


def test_the_terminal_gets_no_control_characters(run: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("name,\x1b[31mred\nx\x1b[2J,1\n")
    done = invoke("predict", run, tmp_path / "new.csv", code=1)
    assert "\x1b" not in done.stderr
    assert r"\x1b[31mred" in invoke("fit", tmp_path / "new.csv", "--drop", "no", code=1).stderr


ODD = [
    "\ud800",
    "lone \udfff",
    "\u202eabc",
    "a\x00b",
    "\x1b[1m",
    "=1",
    "",
    " ",
    "é",
    "x" * 9,
    "<b>",
]


def test_exports_of_any_names(run: Path, tmp_path: Path) -> None:
    """A tree from JSON can hold halves of surrogate pairs, which UTF-8 cannot."""
    text = (run / "tree.json").read_text()
    tree = json.loads(text)

    def rename(node: dict[str, object]) -> None:
        for child in node["children"]:  # type: ignore[attr-defined]
            if "item" in child:
                child["name"] = ODD[child["item"] % len(ODD)]
            else:
                rename(child)

    rename(tree)
    try:
        (run / "tree.json").write_text(json.dumps(tree))
        for format in ("newick", "dot", "json", "csv", "linkage", "graphml"):
            invoke("export", run, "--format", format, "-o", tmp_path / format)
            (tmp_path / format).read_text("utf-8")
            invoke("export", run, "--format", format)
        invoke("export", run, "--format", "draws", "-o", tmp_path / "draws.zip")
        names = rbhmc.Draws.load(tmp_path / "draws.zip").names
        assert list(names[:3]) == [r"\ud800", r"lone \udfff", "\u202eabc"]
    finally:
        (run / "tree.json").write_text(text)


def test_a_report_of_any_names(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(len(ODD), 2))
    model = rbhmc.RBHMC(n_chains=2, n_draws=4, random_state=0).fit(X, names=ODD)
    page = model.report(tmp_path / "report.html", title="\ud800 \u202e").read_text("utf-8")
    assert "\u202e" not in page
    assert "\x1b" not in model.summary()
