"""The workflows of GitHub are valid: keys, runners, expressions, and the commands that they run.

A parser in place of actionlint, which is a program that would have to be downloaded.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pages.commands import TARGETS
from pages.markdown import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
RUNNERS = re.compile(
    r"ubuntu-(latest|2[24]\.04(-arm)?)|macos-(latest|1[3-5](-intel)?)|windows-(latest|202[25])"
)
KEYS = {"name", "on", "permissions", "env", "jobs", "concurrency", "defaults"}
JOB_KEYS = {"name", "runs-on", "needs", "if", "strategy", "steps", "env", "permissions"}
JOB_KEYS |= {"timeout-minutes", "environment", "outputs"}
STEP_KEYS = {"name", "id", "if", "uses", "with", "run", "shell", "env", "working-directory"}
EVENTS = {"push", "pull_request", "workflow_dispatch", "schedule", "release"}
CONTEXTS = {"matrix", "github", "env", "secrets", "runner", "steps", "needs"}


def read(path: Path) -> Any:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    if True in workflow:  # YAML 1.1 reads "on" as true
        workflow["on"] = workflow.pop(True)
    return workflow


def problems(workflow: Any) -> Iterator[str]:
    """Yield what GitHub would refuse, or what would fail at once."""
    yield from (f"key {key}" for key in workflow.keys() - KEYS)
    yield from (f"event {event}" for event in set(workflow["on"]) - EVENTS)
    for name, job in workflow["jobs"].items():
        for problem in job_problems(job, workflow["jobs"]):
            yield f"job {name}: {problem}"


def job_problems(job: Any, jobs: Any) -> Iterator[str]:
    yield from (f"key {key}" for key in job.keys() - JOB_KEYS)
    matrix = job.get("strategy", {}).get("matrix", {})
    rows = matrix.get("include", [])
    known = set(matrix) - {"include", "exclude"} | {key for row in rows for key in row}
    runners = [job["runs-on"]]
    if "matrix.runner" in job["runs-on"]:
        runners = [row["runner"] for row in rows]
    yield from (f"runner {runner}" for runner in runners if not RUNNERS.fullmatch(runner))
    needs = job.get("needs", [])
    yield from (
        f"needs {n}" for n in ([needs] if isinstance(needs, str) else needs) if n not in jobs
    )
    for expression in re.findall(r"\$\{\{(.*?)\}\}", str(job)):
        for context, key in re.findall(r"\b([a-z]+)\.([\w-]+)", expression):
            if context not in CONTEXTS or (context == "matrix" and key not in known):
                yield f"expression {expression}"
    for step in job["steps"]:
        yield from step_problems(step)


def step_problems(step: Any) -> Iterator[str]:
    yield from (f"key {key}" for key in step.keys() - STEP_KEYS)
    if ("uses" in step) == ("run" in step):
        yield "a step needs either uses or run"
    if not re.fullmatch(
        r"[\w-]+/[\w./-]+@(v\d+(\.\d+)*|release/v\d+|[0-9a-f]{40})", step.get("uses", "a/b@v1")
    ):
        yield f"uses {step['uses']}"
    for line in step.get("run", "").splitlines():
        program, *rest = line.split()
        if program == "make" and rest[0] not in TARGETS:
            yield f"run {line}"
        script = next((word for word in rest if word.endswith((".py", "/run"))), None)
        if program in ("python", "bash") and script and not (ROOT / script).is_file():
            yield f"run {line}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_valid(path: Path) -> None:
    assert list(problems(read(path))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs-on:", "run-on:"),
        ("ubuntu-latest", "ubuntu-oldest"),
        ("matrix.target", "matrix.targets"),
        ("tests/wheel_smoke.py", "tests/no_such_file.py"),
        ("actions/checkout@v5", "actions/checkout"),
        ("needs: [wheel, sdist]", "needs: [wheels]"),
        ("permissions:", "permission:"),
        ("- run: python -m pip", "- runs: python -m pip"),
    ],
)
def test_control_a_slip_in_a_workflow_is_found(old: str, new: str, tmp_path: Path) -> None:
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "wheels.yml").write_text(text.replace(old, new), encoding="utf-8")
    try:
        found = list(problems(read(tmp_path / "wheels.yml")))
    except KeyError as error:
        found = [f"no {error}"]
    assert found


def test_a_release_needs_all_wheels_and_the_sdist() -> None:
    jobs = read(ROOT / ".github" / "workflows" / "wheels.yml")["jobs"]
    assert set(jobs["publish"]["needs"]) == set(jobs) - {"publish"}
