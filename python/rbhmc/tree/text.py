"""A tree drawn with lines of text."""

from rbhmc._core import InvalidInput
from rbhmc._text import escape_unprintable, pluralize
from rbhmc.tree.hierarchy import Hierarchy


def draw_text(tree: Hierarchy, max_items: int | None, width: int | None) -> str:
    """Draw one node after the other; see `Tree.to_text`."""
    if max_items is not None and max_items < 1:
        raise InvalidInput(f"max_items is {max_items}; it must be at least 1, or None")
    if width is not None and width < 1:
        raise InvalidInput(f"width is {width}; it must be at least 1, or None")
    lines = [pluralize(tree.n_items, "item")]
    indents = {"root": ""}  # the indentation below each inner node
    last_children = {node.children[-1] for node in tree.nodes if node.children}
    for node in tree.nodes:
        if node.parent is None:
            if not node.is_leaf:
                continue
            prefix, indent = "└─ ", "   "  # the root is a leaf
        else:
            is_last = node.id in last_children
            above = indents[node.parent]
            prefix = above + ("└─ " if is_last else "├─ ")
            indent = above + ("   " if is_last else "│  ")
            if node.support is not None:
                prefix += f"{node.support:.0%} "
            if not node.is_leaf:
                indents[node.id] = indent
                lines.append(prefix + pluralize(node.size, "item"))
                continue
        names = [escape_unprintable(tree.names[item]) for item in node.items[:max_items].tolist()]
        if len(names) < node.size:
            names.append(f"+{node.size - len(names)} more")
        lines += wrap_names(names, prefix, indent, width)
    return "\n".join(lines)


def wrap_names(names: list[str], prefix: str, indent: str, width: int | None) -> list[str]:
    """Join names by commas into lines of limited width; a name is never split.

    Examples
    --------
    >>> wrap_names(["lion", "tiger", "cat"], "├─ ", "│  ", 16)
    ['├─ lion, tiger,', '│  cat']
    """
    lines, line = [], prefix + names[0]
    for number, name in enumerate(names[1:], start=2):
        comma = number < len(names)
        if width is None or len(line) + 2 + len(name) + comma <= width:
            line += f", {name}"
        else:
            lines.append(f"{line},")
            line = indent + name
    return [*lines, line]
