"""Helpers for text that people read: plurals, line breaks, and names with control characters."""

import textwrap
import unicodedata

# Categories of characters that break a line, move the cursor, or cannot be encoded.
UNPRINTABLE = frozenset({"Cc", "Zl", "Zp", "Cs"})


def pluralize(n: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> pluralize(1, "item"), pluralize(1200, "item"), pluralize(2, "leaf", "leaves")
    ('1 item', '1,200 items', '2 leaves')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def wrap_text(text: str, width: int = 80, indent: str = "") -> str:
    r"""Break long lines between words; a line that is a command (``rbhmc ...``) stays whole.

    Continuation lines keep the indentation of their line, or are indented by two spaces.

    Examples
    --------
    >>> print(wrap_text("too long " * 3 + "\nrbhmc fit a.csv --n-draws 1000", width=20))
    too long too long
      too long
    rbhmc fit a.csv --n-draws 1000
    """
    lines: list[str] = []
    for line in text.split("\n"):
        words = line.lstrip()
        if not words or words.startswith("rbhmc "):
            lines.append(indent + line)
            continue
        own = indent + line[: len(line) - len(words)]
        lines += textwrap.wrap(
            words,
            width,
            initial_indent=own,
            subsequent_indent=own or "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)


def escape_unprintable(name: str) -> str:
    r"""Write control characters and line ends as escapes, so that a name stays on its line.

    Examples
    --------
    >>> print(escape_unprintable("two\nlines"))
    two\nlines
    """
    if name.isprintable():
        return name
    return "".join(
        repr(char)[1:-1] if unicodedata.category(char) in UNPRINTABLE else char for char in name
    )
