"""Whether a table has a hierarchy: how stable the best nodes of a tree are over the draws."""

from typing import NamedTuple

from rbhmc.tree import Tree

# For noise in four and more dimensions at most 17 % of the draws have a node of the consensus
# exactly, and its highest transfer support is 0.3 to 0.74; tables with groups have clusters above
# 0.85. One of the two is enough, because a missed hierarchy is worse than a spurious one.
STABLE_SHARE = 0.3
STABLE_SUPPORT = 0.85


class Stability(NamedTuple):
    """How well the best nodes of a tree recur.

    Single items do not count, nor nodes that hold more than half of the items, which are close to
    the root of every draw.

    Attributes
    ----------
    exact : float
        The largest share of draws that contain a node of the tree exactly.
    support : float
        The largest transfer support of a node.
    """

    exact: float
    support: float

    @property
    def is_stable(self) -> bool:
        """Whether a node is in more than 30 % of the draws, or has a support above 0.85."""
        return self.exact > STABLE_SHARE or self.support > STABLE_SUPPORT

    def warning(self, shown: Tree) -> str:
        """Explain what an unstable tree means for the tree that is shown; empty if it is stable.

        Examples
        --------
        >>> Stability(exact=0.02, support=0.6).warning(Tree.from_labels([[0], [0]]))
        'No node of the tree recurs in the draws (highest support 60%, at most 2% of the draws ...
        >>> Stability(exact=0.9, support=0.95).warning(Tree.from_labels([[0], [1]]))
        ''
        """
        if self.is_stable:
            return ""
        tree = "only the root is shown" if len(shown) == 1 else "the tree shows a single draw"
        return (
            f"No node of the tree recurs in the draws (highest support {self.support:.0%}, at most "
            f"{self.exact:.0%} of the draws have a node exactly). The table may have no hierarchy; "
            f"{tree}."
        )


def stability(tree: Tree) -> Stability:
    """Return how well the best nodes of a tree recur; 1 and 1 if there are no nodes.

    Parameters
    ----------
    tree : Tree
        A tree whose nodes have supports, such as ``model.tree_``.

    Examples
    --------
    >>> tree = Tree.from_labels([[0], [0], [1], [1]])
    >>> noise = tree.with_support(
    ...     {"root": 1.0, "1": 0.6, "2": 0.7}, exact={"root": 1.0, "1": 0.1, "2": 0.2}
    ... )
    >>> stability(noise), stability(noise).is_stable
    (Stability(exact=0.2, support=0.7), False)
    """
    nodes = [
        node for node in tree.nodes if 1 < node.size <= tree.n_items / 2 and not node.is_remainder
    ]
    # A root alone is stable; a tree in which only single items leave the root is not.
    least = 1.0 if len(tree) == 1 else 0.0
    return Stability(
        exact=max((node.exact or 0.0 for node in nodes), default=least),
        support=max((node.support or 0.0 for node in nodes), default=least),
    )
