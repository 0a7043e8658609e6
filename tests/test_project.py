"""The project's files: one version, every command listed, and no code run from data files."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import rbhmc

ROOT = Path(__file__).parents[1]
# Modules and functions that can run code from a file.
RUNNERS = {"pickle", "cloudpickle", "dill", "marshal", "shelve", "eval", "exec", "compile"}


# Modules by which a process listens for others.
LISTENERS = {"socket", "socketserver", "http", "xmlrpc", "asyncio", "selectors"}


def test_there_is_one_version() -> None:
    assert f"version: {rbhmc.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_help_lists_every_command() -> None:
    makefile = (ROOT / "Makefile").read_text()
    commands = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert commands is not None
    run = subprocess.run(["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True)
    listed = {line.split()[0] for line in run.stdout.splitlines()}
    # A target that only other targets need has no line.
    assert listed == set(commands[1].split()) - {"browser"}


def find_names(source: str) -> Iterator[str]:
    """Yield the names that a module imports or calls, and "pickle" for options that allow it."""
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
def test_control_code_that_runs_a_file_is_found(source: str) -> None:
    assert RUNNERS & set(find_names(source))


def test_no_module_runs_code_from_a_file() -> None:
    for path in (ROOT / "python").rglob("*.py"):
        assert not RUNNERS & set(find_names(path.read_text(encoding="utf-8"))), path


def test_no_module_listens() -> None:
    assert LISTENERS & set(find_names("import socketserver"))  # the control
    for path in (ROOT / "python").rglob("*.py"):
        assert not LISTENERS & set(find_names(path.read_text(encoding="utf-8"))), path


def test_each_promise_of_security_names_a_test_that_exists() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", text))
    assert len(named) > 10
    for path in named:
        assert (ROOT / path).is_file(), path
    promises = re.findall(r"^- (.*(?:\n  .*)*)", text.partition("## Supported")[0], re.MULTILINE)
    assert len(promises) > 10
    for promise in promises:
        assert "`tests/" in promise or "`crates/" in promise or "No promise" in promise, promise
