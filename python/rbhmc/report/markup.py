"""HTML that is safe by the way it is made: whatever is not markup already is escaped."""

import html
import json
from typing import Any

from rbhmc.tree.text import printable


class Markup(str):
    """A text that is HTML, and not to be escaped again."""

    __slots__ = ()


def tag(name: str, *content: str, **attributes: str) -> Markup:
    """Make an element; a trailing underscore keeps an attribute's name from Python's own words.

    Parameters
    ----------
    name : str
        Of the element.
    *content : str
        What it holds, one after the other: text, or `Markup`.
    **attributes : str
        Its attributes; other underscores become hyphens.

    Examples
    --------
    >>> print(tag("td", "a < b", tag("b", "c"), class_="number"))
    <td class="number">a &lt; b<b>c</b></td>
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{given}>{joined(*content)}</{name}>")


def joined(*content: str) -> Markup:
    """Put texts and markup one after the other.

    Examples
    --------
    >>> print(joined("a & ", Markup("<br>")))
    a &amp; <br>
    """
    return Markup(
        "".join(part if isinstance(part, Markup) else html.escape(part) for part in content)
    )


def readable(name: str) -> str:
    r"""Write a name of the user's in one line, such that there is something to see.

    Examples
    --------
    >>> print(readable("two\nlines"), readable(""))
    two\nlines ""
    """
    return printable(name) if name.strip() else f'"{printable(name)}"'


def script_json(value: Any) -> Markup:
    r"""Write JSON that stays inside its script element, whatever the texts in it are.

    Examples
    --------
    >>> print(script_json(["</script>", "a & b"]))
    ["\u003c/script\u003e","a \u0026 b"]
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)
