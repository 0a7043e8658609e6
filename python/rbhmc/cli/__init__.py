"""The command line `rbhmc`."""

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
        # Not every terminal can show the lines that trees are drawn with.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    from rbhmc.cli.app import app

    app(prog_name="rbhmc")
