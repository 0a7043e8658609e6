"""The command `report`: the report of a run, written again."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from rbhmc.cli import run_folder
from rbhmc.cli.data_file import read_again
from rbhmc.cli.messages import answer
from rbhmc.cli.model import stored_model
from rbhmc.cli.results import report_of
from rbhmc.cli.run_folder import Run


def report(
    run: Annotated[Path, Argument(metavar="RUN", help="A run folder.")],
    output: Annotated[
        Path | None,
        Option(
            "--output", "-o", metavar="FILE", help="The file; report.html in the run where absent."
        ),
    ] = None,
    data: Annotated[
        Path | None, Option(metavar="FILE", help="Where the run's data file is now, if it moved.")
    ] = None,
) -> None:
    """Write the report of a run again: one HTML file, which needs no network.

    Example:

      rbhmc report runs/animals -o animals.html
    """
    opened = Run.open(run)
    path = output or opened.path / run_folder.REPORT
    # Before what takes long: a run without results has no report.
    _ = opened.result
    table = read_again(opened, data)
    report_of(opened, stored_model(opened, table.frame), table, path)
    answer(f"Written to {path}")
    answer(f"Open it in a browser: {path.absolute().as_uri()}")
