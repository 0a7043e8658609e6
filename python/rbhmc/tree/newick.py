"""A tree in Newick's format."""

import os
from pathlib import Path

from rbhmc.tree.hierarchy import Hierarchy


def write(tree: Hierarchy, path: str | os.PathLike[str] | None, *, support: bool) -> str:
    """Nested parentheses, written from the last node to the first; see `Tree.to_newick`."""
    text: dict[str, str] = {}
    for node in reversed(tree.nodes):
        if node.is_leaf:
            parts = [quoted(tree.names[item]) for item in node.items.tolist()]
        else:
            parts = [text.pop(child) for child in node.children]
        label = shown(node.support) if support else quoted(node.id)
        text[node.id] = f"({','.join(parts)}){label}"
    whole = f"{text['root']};"
    if path is not None:
        Path(path).write_text(whole, encoding="utf-8", newline="")
    return whole


def shown(support: float | None) -> str:
    """Write a support as programs for phylogenetic trees read it: a bare number, or nothing.

    Examples
    --------
    >>> shown(0.925), shown(None)
    ('0.925', '')
    """
    return "" if support is None else f"{support:.4g}"


def quoted(name: str) -> str:
    """Put a label in quotes.

    Examples
    --------
    >>> print(quoted("Darwin's frog"))
    'Darwin''s frog'
    """
    return "'" + name.replace("'", "''") + "'"
