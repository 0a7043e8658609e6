"""A tree in Newick's format."""

import os
from pathlib import Path

from rbhmc.tree.hierarchy import Hierarchy


def write(tree: Hierarchy, path: str | os.PathLike[str] | None) -> str:
    """Nested parentheses, written from the last node to the first; see `Tree.to_newick`."""
    text: dict[str, str] = {}
    for node in reversed(tree.nodes):
        if node.is_leaf:
            parts = [quoted(tree.names[item]) for item in node.items.tolist()]
        else:
            parts = [text.pop(child) for child in node.children]
        text[node.id] = f"({','.join(parts)}){quoted(node.id)}"
    whole = f"{text['root']};"
    if path is not None:
        Path(path).write_text(whole, encoding="utf-8", newline="")
    return whole


def quoted(name: str) -> str:
    """Put a label in quotes.

    Examples
    --------
    >>> print(quoted("Darwin's frog"))
    'Darwin''s frog'
    """
    return "'" + name.replace("'", "''") + "'"
