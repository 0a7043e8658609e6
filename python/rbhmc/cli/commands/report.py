"""The command `report`: writes the report of a run again."""

from pathlib import Path
from typing import Annotated

from typer import Option

from rbhmc._files import inside
from rbhmc.cli.console import print_result
from rbhmc.cli.options import MovedData, RunFolder
from rbhmc.cli.results import write_report
from rbhmc.cli.run import REPORT, Run


def report(
    run: RunFolder,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write; by default report.html in the run folder.",
        ),
    ] = None,
    data: MovedData = None,
) -> None:
    """Write the report of a run again: one HTML file that works offline.

    Example:

      rbhmc report runs/animals -o animals.html
    """
    opened = Run.open(run)
    # A run without results is refused before its data are read.
    _ = opened.result
    path = output or inside(opened.path, REPORT)
    table = opened.read_table(data)
    write_report(opened, opened.restore_model(table), table, path)
    print_result(f"Written to {path}")
    print_result(f"Open it in a browser: {path.absolute().as_uri()}")
