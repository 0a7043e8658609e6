"""A tree in Graphviz's language."""

from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.text import count


def write(tree: Hierarchy) -> str:
    """Statements, a node and the edge to it at a time; see `Tree.to_dot`."""
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=box];"]
    for node in tree.nodes:
        if node.is_leaf:
            label = "\\n".join(escaped(tree.names[item]) for item in node.items.tolist())
        else:
            label = count(node.size)
        lines.append(f'  "{node.id}" [label="{label}"];')
        if node.parent is not None:
            lines.append(f'  "{node.parent}" -> "{node.id}";')
    return "\n".join([*lines, "}"])


def escaped(name: str) -> str:
    r"""Write a name such that Graphviz shows it as it is.

    Examples
    --------
    >>> print(escaped('a "b" \\ c & d'))
    a \"b\" \\ c &amp; d
    """
    for char, escape in (("&", "&amp;"), ("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        name = name.replace(char, escape)
    return name
