"""The presented trees of the cases as text: animals by name, images by the garments they show."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from paper.evidence import Evidence
from paper.protocol import Cell
from rbhmc.tree import Tree

# Characters that fit into the page.
WIDTH = 84


def animal_trees(evidence: Evidence) -> str:
    """Draw the trees of two chains of each case, as the paper does."""
    parts = []
    for cell in evidence.design.cases:
        for number, chain in enumerate(evidence.chains(cell, evidence.lengths.n_shown), start=1):
            text = _tree(chain, chain).to_text(max_items=None, width=WIDTH)
            parts.append(_block(cell, f"chain {number}", text))
    return "\n\n".join(parts)


def garment_trees(evidence: Evidence) -> str:
    """Draw the trees of the first chain of each case after 75,000 draws, as the paper does."""
    parts = []
    for cell in evidence.design.cases:
        chain = evidence.chains(cell)[0]
        garments = [name.rsplit(" ", 1)[0] for name in chain["names"]]
        text = count_classes(_tree(chain, chain["longer"]), garments)
        parts.append(_block(cell, "chain 1", text))
    return "\n\n".join(parts)


def _tree(chain: dict[str, Any], source: dict[str, Any]) -> Tree:
    return Tree.from_labels(np.array(source["tree"]), names=chain["names"])


def _block(cell: Cell, title: str, text: str) -> str:
    return f"{cell.name}, {title}:\n\n```text\n{text}\n```"


def count_classes(tree: Tree, classes: Sequence[str]) -> str:
    """Draw a tree with the number of items of each class in its leaves.

    Examples
    --------
    >>> tree = Tree.from_labels(np.array([[0, 0], [0, 0], [0, 1], [1, 2]]))
    >>> print(count_classes(tree, ["bag", "coat", "coat", "bag"]))
    4 items
    ├─ 3 items
    │  ├─ 1 bag, 1 coat
    │  └─ 1 coat
    └─ 1 bag
    """
    lines = [f"{tree.n_items} items"]
    indents = {tree.root.id: ""}
    last = {node.children[-1] for node in tree.nodes if node.children}
    for node in tree.nodes:
        if node.parent is None:
            continue
        above = indents[node.parent]
        is_last = node.id in last
        indents[node.id] = above + ("   " if is_last else "│  ")
        text = f"{node.size} items"
        if node.is_leaf:
            found = Counter(classes[item] for item in node.items.tolist())
            text = ", ".join(f"{n} {name}" for name, n in found.most_common())
        lines.append(above + ("└─ " if is_last else "├─ ") + text)
    return "\n".join(lines)
