"""The lines of a block of shell commands: run where they are ours, and else looked up."""

import shlex
import tomllib

from cli.cases import here
from pages.markdown import ROOT

# What takes too long to be run here, and where it is run instead.
NOT_RUN = {
    "rbhmc reproduce": "minutes to hours; tests/reproduce runs the experiments with short chains",
}
TARGETS = {
    line.split(":")[0]
    for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    if ": " in line and "##" in line
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def run(text: str) -> None:
    """Run the commands of a block one after the other; those of others must at least exist."""
    for line in text.replace("\\\n", " ").splitlines():
        match shlex.split(line, comments=True):
            case []:
                pass
            case ["rbhmc", *arguments] if any(map(line.startswith, NOT_RUN)):
                told = here(arguments[0], "--help").output
                options = [word for word in arguments if word.startswith("--")]
                assert all(option in told for option in options), f"{line}: no such option"
            case ["rbhmc", *arguments]:
                here(*arguments)
            case ["make", *targets]:
                assert set(targets) <= TARGETS, f"{line}: the Makefile has no such target"
            case ["python", script, *_]:
                assert (ROOT / script).is_file(), f"{line}: there is no such file"
            case ["pip", "install", *_, what]:
                extras = what.partition("[")[2].rstrip("]").split(",")
                assert set(extras) - {""} <= EXTRAS.keys(), f"{line}: there is no such extra"
            case _:
                raise AssertionError(f"{line}: nobody knows how to check this")
