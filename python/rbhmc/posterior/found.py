"""Whether anything of a tree is found again in the draws."""

from typing import NamedTuple

from rbhmc.tree import Tree

# The best node of noise in three and more dimensions is in 2 to 26 % of the draws, whose nearest
# nodes overlap it by 0.50 to 0.80; that of tables with groups is in 33 to 98 %, or overlaps by 0.85
# to 0.99. A tree of noise does less harm than no tree where there is one, so either is enough.
SUPPORT = 0.3
OVERLAP = 0.85


class Found(NamedTuple):
    """How sure the surest nodes of a tree are, the root and single items aside.

    Attributes
    ----------
    support : float
        The largest share of draws that have a node of the tree exactly.
    overlap : float
        The largest mean overlap of a node of the tree with the nearest nodes of the draws.
    """

    support: float
    overlap: float

    @property
    def again(self) -> bool:
        """Whether a node is in over 30 % of the draws, or overlaps their nodes by over 0.85."""
        return self.support > SUPPORT or self.overlap > OVERLAP

    def doubt(self, shown: Tree) -> str:
        """Say what it means for the tree that is shown; nothing if a node is found again.

        Examples
        --------
        >>> Found(support=0.02, overlap=0.6).doubt(Tree.from_labels([[0], [0]]))
        'No node of the selected draw is found again in the others: the best is in 2% of all ...
        >>> Found(support=0.9, overlap=0.95).doubt(Tree.from_labels([[0], [1]]))
        ''
        """
        if self.again:
            return ""
        tree = "the root alone is shown" if len(shown) == 1 else "the tree is that of one draw"
        return (
            f"No node of the selected draw is found again in the others: the best is in "
            f"{self.support:.0%} of all draws, and their nearest nodes overlap by "
            f"{self.overlap:.0%}. The table may have no hierarchy; {tree}."
        )


def found(tree: Tree) -> Found:
    """Find how sure the surest nodes of a tree are; 1 and 1 for a tree without any.

    Parameters
    ----------
    tree : Tree
        With the support and overlap of its nodes, such as ``model.tree_``.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [0], [1], [1]])
    >>> noise = tree.with_support(
    ...     {"root": 1.0, "1": 0.1, "2": 0.2}, overlap={"root": 1.0, "1": 0.6, "2": 0.7}
    ... )
    >>> found(noise), found(noise).again
    (Found(support=0.2, overlap=0.7), False)
    """
    nodes = [node for node in tree.nodes if node.parent is not None and node.size > 1]
    return Found(
        support=max((node.support or 0.0 for node in nodes), default=1.0),
        overlap=max((node.overlap for node in nodes if node.overlap is not None), default=1.0),
    )
