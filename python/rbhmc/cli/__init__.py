"""The command line, `rbhmc`: a file for each command, and one for each thing that they share."""

import io
import sys

from rbhmc._extras import require


def main() -> None:
    """Run the command that the arguments name, and exit with its code."""
    try:
        for module in ("typer", "rich"):
            require(module, "cli")
    except ImportError as error:
        sys.exit(f"error: {error}")
    for stream in (sys.stdout, sys.stderr):
        # Trees are drawn with lines that not every terminal has.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    from rbhmc.cli.app import app

    app(prog_name="rbhmc")
