"""Messages of the commands: results on standard output; notes and errors on standard error."""

import functools
import shlex
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec

import typer

from rbhmc._core import InvalidInput
from rbhmc._text import escape_lines, escape_unprintable, shorten_text, wrap_text
from rbhmc.cli.options import use_option_names
from rbhmc.sampling import ChainError

# Exit codes.
BAD_INPUT = 1
INTERRUPTED = 130

# Longer lines are hard to read, however wide the terminal is.
MAX_WIDTH = 100

P = ParamSpec("P")


class UserError(Exception):
    """A mistake that the user can correct: what is wrong, and hints what to do.

    Examples
    --------
    >>> error = UserError("data.csv is empty", "Give a table with a header and rows.")
    >>> print(error, error.hints)
    data.csv is empty ('Give a table with a header and rows.',)
    """

    def __init__(self, message: str, *hints: str) -> None:
        super().__init__(message)
        self.hints = hints


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command, so that a user's mistake ends with a message and not with a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _print_warning
                command(*args, **kwargs)
        except UserError as error:
            print_error(str(error), *error.hints)
        except (InvalidInput, ChainError) as error:
            print_error(use_option_names(str(error)))
        except MemoryError:
            print_error(
                "the computer has not enough memory for this run",
                "Memory grows with chains x draws x items x levels; use fewer, for example with "
                "--n-draws.",
            )
        except ImportError as error:
            if "pip install" not in str(error):
                raise
            print_error(str(error))
        except BrokenPipeError:
            # The reader of the output closed it, as `head` does.
            raise
        except OSError as error:
            print_error(f"{error.filename or 'file'}: {error.strerror or error}")
        except KeyboardInterrupt as error:
            print_error("interrupted", *map(str, error.args))
            raise typer.Exit(INTERRUPTED) from None
        else:
            return
        raise typer.Exit(BAD_INPUT)

    return run


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning without the line of code that raised it."""
    text = str(message)
    # `fit` itself says that a run was interrupted, and how to continue it.
    if not text.startswith("interrupted"):
        print_note(f"note: {use_option_names(text)}")


def print_result(text: str = "") -> None:
    """Print what the user asked for."""
    typer.echo(escape_lines(text))


def print_note(text: str) -> None:
    """Print a remark about the work."""
    typer.echo(escape_lines(wrap(text)), err=True)


def print_table(text: str) -> None:
    """Print lines with aligned columns as a remark, each cut at the width of the terminal."""
    width = terminal_width()
    for line in text.split("\n"):
        typer.echo(shorten_text(line, width), err=True)


def print_error(text: str, *hints: str) -> None:
    """Print what is wrong, and below it what to do."""
    first, *rest = escape_lines(wrap(f"error: {text}")).split("\n")
    typer.secho("error:", fg="red", bold=True, err=True, nl=False)
    typer.echo("\n".join([first.removeprefix("error:"), *rest]), err=True)
    for hint in hints:
        typer.echo(escape_lines(wrap(hint, indent="  ")), err=True)


def terminal_width() -> int:
    """Return the width of the terminal; 80 without a terminal."""
    return min(shutil.get_terminal_size((80, 24)).columns, MAX_WIDTH)


def wrap(text: str, indent: str = "") -> str:
    """Break long lines at the width of the terminal."""
    return wrap_text(text, terminal_width(), indent)


def format_command(*words: str | Path) -> str:
    """Write a command as a shell reads it.

    Examples
    --------
    >>> format_command("fit", "--resume", Path("my runs"))
    "rbhmc fit --resume 'my runs'"
    """
    return shlex.join(["rbhmc", *(str(word) for word in words)])


def format_list(names: list[str], most: int = 8) -> str:
    """Write names with commas, and how many more there are.

    Examples
    --------
    >>> format_list(["ant", "bee", "cat"], most=2)
    'ant, bee and 1 more'
    """
    shown = ", ".join(escape_unprintable(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
