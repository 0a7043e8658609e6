"""A tree drawn with lines."""

import unicodedata

from rbhmc._core import InvalidInput
from rbhmc.tree.hierarchy import Hierarchy

# Characters that would break a line, move the cursor, or that no encoding can print.
UNPRINTABLE = frozenset({"Cc", "Zl", "Zp", "Cs"})


def draw(tree: Hierarchy, max_items: int | None, width: int | None) -> str:
    """Lines of text, one node after the other; see `Tree.to_text`."""
    if max_items is not None and max_items < 1:
        raise InvalidInput(f"max_items is {max_items}; it must be at least 1, or None")
    if width is not None and width < 1:
        raise InvalidInput(f"width is {width}; it must be at least 1, or None")
    lines = [count(tree.n_items)]
    indents = {"root": ""}  # of what stands below a node
    lasts = {node.children[-1] for node in tree.nodes if node.children}
    for node in tree.nodes:
        if node.parent is None:
            if not node.is_leaf:
                continue
            before, indent = "└─ ", "   "  # all items in one leaf, which is the root
        else:
            before, indent = ("└─ ", "   ") if node.id in lasts else ("├─ ", "│  ")
            above = indents[node.parent]
            before, indent = above + before, above + indent
            if not node.is_leaf:
                indents[node.id] = indent
                lines.append(before + share(node.support) + count(node.size))
                continue
        shown = [tree.names[item] for item in node.items[:max_items].tolist()]
        if node.parent is not None:
            before += share(node.support)
        parts = [printable(name) for name in shown]
        if len(parts) < node.size:
            parts.append(f"+{node.size - len(parts)} more")
        lines += wrapped(parts, before, indent, width)
    return "\n".join(lines)


def share(support: float | None) -> str:
    """Write the support of a node before it; nothing where it has none.

    Examples
    --------
    >>> share(0.934), share(None)
    ('93% ', '')
    """
    return "" if support is None else f"{support:.0%} "


def count(n: int) -> str:
    """Say how many items there are.

    Examples
    --------
    >>> count(1), count(2)
    ('1 item', '2 items')
    """
    return f"{n} item{'' if n == 1 else 's'}"


def printable(name: str) -> str:
    r"""Write control characters and ends of lines as escapes, so that a name keeps to its line.

    Examples
    --------
    >>> print(printable("two\nlines"))
    two\nlines
    """
    if name.isprintable():
        return name
    return "".join(
        repr(char)[1:-1] if unicodedata.category(char) in UNPRINTABLE else char for char in name
    )


def wrapped(parts: list[str], before: str, indent: str, width: int | None) -> list[str]:
    """Lines that hold the parts, with commas between them; a part is never split.

    Examples
    --------
    >>> wrapped(["lion", "tiger", "cat"], "├─ ", "│  ", 16)
    ['├─ lion, tiger,', '│  cat']
    """
    lines, line = [], before + parts[0]
    for i, part in enumerate(parts[1:], start=2):
        comma_to_come = i < len(parts)
        if width is None or len(line) + 2 + len(part) + comma_to_come <= width:
            line += f", {part}"
        else:
            lines.append(f"{line},")
            line = indent + part
    return [*lines, line]
