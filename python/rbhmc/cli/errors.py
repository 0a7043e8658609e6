"""Mistakes of users end in a sentence and an exit code, those of this program in a traceback."""

import functools
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec

import typer

from rbhmc._core import InvalidInput
from rbhmc.cli.messages import complain, note
from rbhmc.cli.words import in_options
from rbhmc.sampling import ChainError

BAD_INPUT = 1
INTERRUPTED = 130

P = ParamSpec("P")


class UserError(Exception):
    """Something that the user can put right: what is wrong, and hints what to do about it.

    Examples
    --------
    >>> error = UserError("data.csv is empty", "Give a table with a header and rows.")
    >>> print(error, error.hints)
    data.csv is empty ('Give a table with a header and rows.',)
    """

    def __init__(self, message: str, *hints: str) -> None:
        super().__init__(message)
        self.hints = hints


def _tell(message: Warning | str, *_: Any, **__: Any) -> None:
    """Say a warning without the place in the code that it comes from."""
    text = str(message)
    # That a run was interrupted is told in the end, with how to go on.
    if not text.startswith("interrupted"):
        note(f"note: {in_options(text)}")


def for_people(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command that says in words what the user can put right."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _tell
                command(*args, **kwargs)
        except UserError as error:
            complain(str(error), error.hints)
        except (InvalidInput, ChainError) as error:
            complain(in_options(str(error)))
        except MemoryError:
            complain(
                "there is not enough memory for this table",
                ("The default --select vi compares all pairs of items; --select rcdll does not.",),
            )
        except ImportError as error:
            if "pip install" not in str(error):
                raise
            complain(str(error))
        except BrokenPipeError:
            # Whoever read the output has had enough, as with `head`.
            raise
        except OSError as error:
            complain(f"{error.filename or 'file'}: {error.strerror or error}")
        except KeyboardInterrupt as error:
            complain("interrupted", tuple(map(str, error.args)))
            raise typer.Exit(INTERRUPTED) from None
        else:
            return
        raise typer.Exit(BAD_INPUT)

    return run
