"""HTML that is safe by construction: everything that is not markup is escaped."""

import html
import json
import math
from typing import Any

from rbhmc._text import escape_unprintable, pluralize
from rbhmc.plots.palette import node_colors, text_color_on
from rbhmc.tree import Node, Tree

MAX_NAMES = 3  # in the description of a node
MAX_DECIMALS = 6
MAX_DECIMAL_VALUE = 1e7  # larger values are written with an exponent


class Markup(str):
    """Text that is HTML already, and is not escaped again."""

    __slots__ = ()


def tag(name: str, *content: str, **attributes: str) -> Markup:
    """Make an element of text and `Markup`.

    Underscores in the names of attributes become hyphens; a trailing one is dropped, as in
    ``class_``.

    Examples
    --------
    >>> print(tag("td", "a < b", tag("b", "c"), class_="number"))
    <td class="number">a &lt; b<b>c</b></td>
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"'
        for key, value in attributes.items()
    )
    return Markup(f"<{name}{written}>{join(*content)}</{name}>")


def join(*content: str) -> Markup:
    """Concatenate text and markup."""
    return Markup(
        "".join(part if isinstance(part, Markup) else html.escape(part) for part in content)
    )


def visible_name(name: str) -> str:
    r"""Write a name of the user's on one line; a blank one gets quotes.

    Examples
    --------
    >>> print(visible_name("two\nlines"), visible_name(""))
    two\nlines ""
    """
    return escape_unprintable(name) if name.strip() else f'"{escape_unprintable(name)}"'


def script_json(value: Any) -> Markup:
    r"""Write JSON that cannot end its script element, whatever texts it holds.

    Examples
    --------
    >>> print(script_json(["</script>", "a & b"]))
    ["\u003c/script\u003e","a \u0026 b"]
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)


def format_value(value: float, std: float) -> str:
    """Write a value of a feature with the decimals that its standard deviation makes meaningful.

    Examples
    --------
    >>> format_value(0.857142, 0.5), format_value(1234.5678, 40.0), format_value(-0.001, 3.0)
    ('0.86', '1,235', '0.0')
    >>> format_value(1.25e-9, 1e-9)
    '1.25e-09'
    """
    decimals = max(0, 1 - math.floor(math.log10(std))) if std > 0.0 else 2
    if decimals > MAX_DECIMALS or abs(value) >= MAX_DECIMAL_VALUE:
        return f"{value:.2e}"
    # Adding 0 turns -0 into 0.
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"


class Badges:
    """Badges of the nodes of a tree: the id on the node's colour, outlined as clusters are.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [1]])
    >>> Badges(tree).write(tree.node("2"))
    '<span class="badge" style="--node:#E9A40B;--on-node:#1F2328">2</span>'
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.colors = node_colors(tree)

    def write(self, node: Node) -> Markup:
        """Write the badge of a node; a remainder has the id of its parent."""
        color = self.colors[node.id]
        kind = "badge"
        if node.is_cluster and not self.tree.clusters_are_leaves:
            kind = "badge cluster"
        style = f"--node:{color};--on-node:{text_color_on(color)}"
        return tag("span", badge_text(node), class_=kind, style=style)

    def describe(self, node: Node) -> Markup:
        """Write the badge of a node, its number of items, and the names of a few."""
        names = self.tree.names
        shown = [visible_name(names[item]) for item in node.items[:MAX_NAMES].tolist()]
        n_more = node.size - len(shown)
        text = ", ".join(shown) + (f" and {n_more:,} more" if n_more else "")
        listed = tag("span", pluralize(node.size, "item"), ": ", tag("span", text, class_="names"))
        return join(self.write(node), " ", listed)


def badge_text(node: Node) -> str:
    """Return the id of a node, as badges show it.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [1]], clusters=[0, 0], in_remainder=[False, True])
    >>> [badge_text(node) for node in tree]
    ['all', '1', 'rest']
    """
    text = "all" if node.parent is None else node.id
    if node.is_remainder:
        text = "rest" if node.parent == "root" else f"{node.parent} rest"
    return text
