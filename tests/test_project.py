"""What the files around the code promise: one version, commands listed, no file that is run."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import rbhmc

ROOT = Path(__file__).parents[1]
# Modules and functions that run what a file names.
RUNNERS = {"pickle", "cloudpickle", "dill", "marshal", "shelve", "eval", "exec", "compile"}


def test_there_is_one_version() -> None:
    assert f"version: {rbhmc.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_help_lists_every_command() -> None:
    makefile = (ROOT / "Makefile").read_text()
    commands = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert commands is not None
    run = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True)
    listed = {line.split()[0] for line in run.stdout.splitlines()}
    # What only others ask for has no line.
    assert listed == set(commands[1].split()) - {"browser"}


def named(source: str) -> Iterator[str]:
    """Yield what a module imports or calls by a name, and options that allow pickles."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            if (owner, node.func.attr) in (("joblib", "load"), ("pandas", "read_pickle")):
                yield "pickle"
            allowed = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            if allowed.get("allow_pickle", "False") != "False":
                yield "pickle"
            if (owner, node.func.attr) == ("np", "load") and "allow_pickle" not in allowed:
                yield "pickle"


@pytest.mark.parametrize(
    "source", ["import pickle", "np.load(f, allow_pickle=True)", "joblib.load(f)", "eval(text)"]
)
def test_control_what_would_run_a_file_is_found(source: str) -> None:
    assert RUNNERS & set(named(source))


def test_nothing_runs_what_a_file_says() -> None:
    for path in (ROOT / "python").rglob("*.py"):
        assert not RUNNERS & set(named(path.read_text(encoding="utf-8"))), path
