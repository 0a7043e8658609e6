"""HTML that is safe by construction: everything that is not markup is escaped."""

import html
import json
from typing import Any

from rbhmc._text import format_value, pluralize, visible_name
from rbhmc.plots.palette import node_colors, text_color_on
from rbhmc.plots.tree import opacity
from rbhmc.tree import Node, Tree
from rbhmc.tree.differences import FeatureDifference

MAX_NAMES = 3  # in the description of a node


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


def format_means(feature: FeatureDifference) -> tuple[str, str]:
    """Write the means of a feature in a node and in the others, or that these are on both sides.

    Examples
    --------
    >>> format_means(FeatureDifference("mass", 9.0, 4.0, 5.0, 1.0, is_binary=False))
    ('9.0', '4.0')
    >>> format_means(FeatureDifference("mass", 9.0, 9.0, 5.0, 0.0, is_binary=False, gap=1.0))
    ('9.0', 'below, above')
    """
    mean, other_mean = (
        format_value(each, feature.std) for each in (feature.mean, feature.other_mean)
    )
    return mean, "below, above" if feature.is_between else other_mean


class Badges:
    """Badges of the nodes of a tree: the id on the node's colour, outlined as clusters are.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [1]])
    >>> print(Badges(tree).write(tree.node("2")))
    <span class="badge" style="--node:#E9A40B;--on-node:#1F2328"
     role="img" aria-label="node 2">2</span>
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.colors = node_colors(tree)
        self.descriptions = tree.describe()

    def write(self, node: Node) -> Markup:
        """Write the badge of a node; a remainder has the id of its parent."""
        color = self.colors[node.id]
        kind = "badge"
        if node.is_cluster and not self.tree.clusters_are_leaves:
            kind += " cluster"
        if opacity(node.support) < 1.0:
            kind += " uncertain"
        style = f"--node:{color};--on-node:{text_color_on(color)}"
        text = badge_text(node)
        label = "all items" if node.parent is None else f"node {text}"
        return tag("span", text, class_=kind, style=style, role="img", aria_label=label)

    def describe(self, node: Node) -> Markup:
        """Write the badge of a node, its number of items, and the names of a few, if any."""
        size = pluralize(node.size, "item")
        if not self.tree.has_names:
            return join(self.write(node), " ", tag("span", size))
        names = self.tree.names
        shown = [visible_name(names[item]) for item in node.items[:MAX_NAMES].tolist()]
        n_more = node.size - len(shown)
        text = ", ".join(shown) + (f" and {n_more:,} more" if n_more else "")
        listed = tag("span", size, ": ", tag("span", text, class_="names"))
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
