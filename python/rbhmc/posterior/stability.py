"""Whether a table has a hierarchy: how stable the best nodes of a tree are over the draws."""

from typing import NamedTuple

from rbhmc.tree import Tree

# For noise in three and more dimensions the highest support of a node is 2 to 26 %; for tables with
# groups it is 33 to 98 %.
STABLE_SUPPORT = 0.3


class Stability(NamedTuple):
    """The highest support over the nodes of a tree, without the root and single items.

    Attributes
    ----------
    support : float
        The largest share of draws that contain a node of the tree exactly.
    """

    support: float

    @property
    def is_stable(self) -> bool:
        """Whether a node has a support above 30 %."""
        return self.support > STABLE_SUPPORT

    def warning(self, shown: Tree) -> str:
        """Explain what an unstable tree means for the tree that is shown; empty if it is stable.

        Examples
        --------
        >>> Stability(support=0.02).warning(Tree.from_labels([[0], [0]]))
        'No node of the selected draw recurs in the other draws (highest support 2%). The table ...
        >>> Stability(support=0.9).warning(Tree.from_labels([[0], [1]]))
        ''
        """
        if self.is_stable:
            return ""
        tree = "only the root is shown" if len(shown) == 1 else "the tree shows a single draw"
        return (
            f"No node of the selected draw recurs in the other draws (highest support "
            f"{self.support:.0%}). The table may have no hierarchy; {tree}."
        )


def stability(tree: Tree) -> Stability:
    """Return the highest support of a tree's nodes; 1 if there are no nodes.

    Parameters
    ----------
    tree : Tree
        A tree whose nodes have supports, such as ``model.tree_``.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [0], [1], [1]])
    >>> noise = tree.with_support({"root": 1.0, "1": 0.1, "2": 0.2})
    >>> stability(noise), stability(noise).is_stable
    (Stability(support=0.2), False)
    """
    nodes = [node for node in tree.nodes if node.parent is not None and node.size > 1]
    return Stability(support=max((node.support or 0.0 for node in nodes), default=1.0))
