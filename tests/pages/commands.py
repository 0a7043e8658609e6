"""Shell commands of the documentation: `rbhmc` is run, others are looked up."""

import shlex
import tomllib

from cli.cases import invoke
from pages.markdown import ROOT

TARGETS = {
    line.split(":")[0]
    for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    if ": " in line and "##" in line
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def run(text: str) -> None:
    """Run the commands of a block in order; those of other programs must at least exist."""
    for line in text.replace("\\\n", " ").splitlines():
        match shlex.split(line, comments=True):
            case []:
                pass
            case ["rbhmc", *arguments]:
                invoke(*arguments)
            case ["make", *targets]:
                assert set(targets) <= TARGETS, f"{line}: the Makefile has no such target"
            case ["python", script, *_]:
                assert (ROOT / script).is_file(), f"{line}: there is no such file"
            case ["pip", "install", *_, what]:
                extras = what.partition("[")[2].rstrip("]").split(",")
                assert set(extras) - {""} <= EXTRAS.keys(), f"{line}: there is no such extra"
            case _:
                raise AssertionError(f"{line}: this command cannot be checked")
