"""What the commands say to people: answers on standard output, all else on standard error."""

import shlex
import shutil
import textwrap
from pathlib import Path

import typer

# Lines longer than this are hard to read, however wide the window is.
WIDEST = 100


def width() -> int:
    """Return the width of the terminal, or 80 where there is none."""
    return min(shutil.get_terminal_size((80, 24)).columns, WIDEST)


def answer(text: str = "") -> None:
    """Print what was asked for."""
    typer.echo(text)


def note(text: str) -> None:
    """Say something about the work, in lines of the terminal's width."""
    typer.echo(wrapped(text), err=True)


def complain(text: str, hints: tuple[str, ...] = ()) -> None:
    """Say what is wrong, and below it what can be done."""
    head, *rest = wrapped(f"error: {text}").split("\n")
    typer.secho("error:", fg="red", bold=True, err=True, nl=False)
    typer.echo("\n".join([head.removeprefix("error:"), *rest]), err=True)
    for hint in hints:
        typer.echo(wrapped(hint, indent="  "), err=True)


def wrapped(text: str, indent: str = "") -> str:
    r"""Break lines between words; a command, which starts with ``rbhmc``, stays in one piece.

    Examples
    --------
    >>> print(wrapped("too long " * 5 + "\n" + "rbhmc fit", indent="  "))
      too long too long too long too long too long
      rbhmc fit
    """
    lines = []
    for line in text.split("\n"):
        fits = line.lstrip().startswith("rbhmc ") or not line.strip()
        lines += [indent + line] if fits else _broken(line, indent)
    return "\n".join(lines)


def _broken(line: str, indent: str) -> list[str]:
    own = indent + line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.lstrip(),
        width(),
        initial_indent=own,
        subsequent_indent=own or "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def command(*words: str | Path) -> str:
    """Write a command as a shell takes it.

    Examples
    --------
    >>> command("fit", "--resume", Path("my runs"))
    "rbhmc fit --resume 'my runs'"
    """
    return shlex.join(["rbhmc", *(str(word) for word in words)])


def listed(names: list[str], most: int = 8) -> str:
    """Write names with commas, and how many more there are.

    Examples
    --------
    >>> listed(["ant", "bee", "cat"], most=2)
    'ant, bee and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def counted(n: int, what: str) -> str:
    """Say how many there are.

    Examples
    --------
    >>> counted(1, "item"), counted(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"
