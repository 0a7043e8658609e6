"""A node by its id on its colour, as all parts of the page show it."""

from rbhmc.plots.palette import node_color, text_color_on
from rbhmc.report.markup import Markup, joined, readable, tag
from rbhmc.report.numbers import counted
from rbhmc.tree import Node, Tree

MOST_NAMES = 3


def pill(node: Node) -> Markup:
    """Write the id of a node on its colour.

    Examples
    --------
    >>> print(pill(Tree.from_labels([[0], [1]]).node("2")))
    <span class="pill" style="--node:#E9A40B;--on-node:#1F2328">2</span>
    """
    color = node_color(node.id)
    words = "all" if node.parent is None else node.id
    return tag(
        "span", words, class_="pill", style=f"--node:{color};--on-node:{text_color_on(color)}"
    )


def described(tree: Tree, node: Node) -> Markup:
    """Write a pill, how many items the node has, and the names of a few.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [1]], names=["ant", "b & c"])
    >>> print(described(tree, tree.node("2")).partition("</span> ")[2])
    <span>1 item: <span class="names">b &amp; c</span></span>
    """
    names = [readable(tree.names[item]) for item in node.items[:MOST_NAMES].tolist()]
    more = node.size - len(names)
    words = ", ".join(names) + (f" and {more:,} more" if more else "")
    listed = tag("span", counted(node.size, "item"), ": ", tag("span", words, class_="names"))
    return joined(pill(node), " ", listed)
