"""`demo`, and fits of tables at the edge of what a table is."""

import json
from pathlib import Path

import pytest

from cli.cases import EDGE_TABLES, QUICK, here, write_table
from rbhmc import Tree, posterior
from rbhmc.cli.commands.demo import load_example
from rbhmc.cli.options import fit_settings


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *EDGE_TABLES.items(),
        ("odd-names", 'who,a,"b\nc"\n"x\ny",1,2\n"<&\'""; ☃",2,9\n\x02,7,7\n'),
    ],
)
def test_tables_at_the_edge(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
    folder = tmp_path / "run"
    here("fit", tmp_path / f"{name}.csv", *QUICK, "-o", folder)
    assert json.loads((folder / "config.json").read_text())["result"]["n_draws"] == 40
    for form in ("newick", "dot", "json", "csv", "graphml"):
        here("export", folder, "--format", form)


def test_an_unstable_tree_gets_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_table(tmp_path / "things.csv")
    stable = here("fit", data, "--drop", "kind", *QUICK, "-o", tmp_path / "stable").output
    assert "A percentage is the share of draws with exactly this node." in stable
    unstable = posterior.Stability(support=0.02, overlap=0.6)
    monkeypatch.setattr(posterior, "stability", lambda tree: unstable)
    output = here("fit", data, "--drop", "kind", *QUICK, "-o", tmp_path / "unstable").output
    warning = unstable.warning(Tree.from_labels([[0], [0]]))
    assert warning in " ".join(output.split())
    assert "A percentage" not in output


def test_the_demonstration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = here("demo", "--no-progress")
    folder = tmp_path / "runs" / "animals"
    assert "Elephant" in done.stdout
    assert (folder / "report.html").as_uri() in done.stdout
    config = json.loads((folder / "config.json").read_text())
    assert config["settings"] == fit_settings({"n_pca": 7})
    here("demo", "animals", "-o", folder, "--no-progress")
    refused = here("demo", "digits", "-o", folder, code=1).output
    # Lines are broken where the folder's name makes them long.
    assert "holds another run" in " ".join(refused.split())


def test_the_table_of_digits() -> None:
    digits = load_example("digits")
    assert len(set(digits.names)) == 200
    assert digits.image_shape == (8, 8)
