"""The application: all commands of `rbhmc`."""

from typing import Annotated

import typer

from rbhmc._core import __version__
from rbhmc.cli.commands.demo import demo
from rbhmc.cli.commands.export import export
from rbhmc.cli.commands.fit import fit
from rbhmc.cli.commands.predict import predict
from rbhmc.cli.commands.report import report
from rbhmc.cli.commands.tune import tune
from rbhmc.cli.console import report_errors

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rbhmc {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Turn a table of items into a hierarchy that you can read and trust.

    Start with:

      rbhmc demo
    """


for command in (fit, report, export, predict, tune, demo):
    app.command()(report_errors(command))
