"""Whether a table has a hierarchy: how stable the best nodes of a tree are over the draws."""

from typing import NamedTuple

from rbhmc.tree import Tree

# For noise in three and more dimensions the highest support of a node is 2 to 26 % and the highest
# overlap 0.50 to 0.80; for tables with groups they are 33 to 98 % and 0.85 to 0.99. One of the two
# is enough, because a missed hierarchy is worse than a spurious one.
STABLE_SUPPORT = 0.3
STABLE_OVERLAP = 0.85


class Stability(NamedTuple):
    """The highest support and overlap over the nodes of a tree, without the root and single items.

    Attributes
    ----------
    support : float
        The largest share of draws that contain a node of the tree exactly.
    overlap : float
        The largest mean Jaccard overlap of a node with the closest nodes of the draws.
    """

    support: float
    overlap: float

    @property
    def is_stable(self) -> bool:
        """Whether a node has a support above 30 % or an overlap above 0.85."""
        return self.support > STABLE_SUPPORT or self.overlap > STABLE_OVERLAP

    def warning(self, shown: Tree) -> str:
        """Explain what an unstable tree means for the tree that is shown; empty if it is stable.

        Examples
        --------
        >>> Stability(support=0.02, overlap=0.6).warning(Tree.from_labels([[0], [0]]))
        'No node of the selected draw recurs in the other draws (highest support 2%, highest ...
        >>> Stability(support=0.9, overlap=0.95).warning(Tree.from_labels([[0], [1]]))
        ''
        """
        if self.is_stable:
            return ""
        tree = "only the root is shown" if len(shown) == 1 else "the tree shows a single draw"
        return (
            f"No node of the selected draw recurs in the other draws (highest support "
            f"{self.support:.0%}, highest mean overlap {self.overlap:.0%}). The table may have no "
            f"hierarchy; {tree}."
        )


def stability(tree: Tree) -> Stability:
    """Return the highest support and overlap of a tree's nodes; 1 and 1 if there are no nodes.

    Parameters
    ----------
    tree : Tree
        A tree whose nodes have supports and overlaps, such as ``model.tree_``.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [0], [1], [1]])
    >>> noise = tree.with_support(
    ...     {"root": 1.0, "1": 0.1, "2": 0.2}, overlap={"root": 1.0, "1": 0.6, "2": 0.7}
    ... )
    >>> stability(noise), stability(noise).is_stable
    (Stability(support=0.2, overlap=0.7), False)
    """
    nodes = [node for node in tree.nodes if node.parent is not None and node.size > 1]
    return Stability(
        support=max((node.support or 0.0 for node in nodes), default=1.0),
        overlap=max((node.overlap for node in nodes if node.overlap is not None), default=1.0),
    )
