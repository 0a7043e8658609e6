"""Whether a table has a hierarchy: how stable the best nodes of a tree are over the draws."""

import math
from typing import NamedTuple

from rbhmc.tree import Tree

# For noise in four and more dimensions at most 26 % of the draws have a node of the consensus
# exactly. Its highest transfer support falls with the number of items: 0.74 at most for up to 120
# items, 0.52 for more. One of the two is enough, because a missed hierarchy is worse than a
# spurious one.
STABLE_SHARE = 0.3
MAX_STABLE_SUPPORT = 0.85


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
    n_items : int
        The number of items.
    """

    exact: float
    support: float
    n_items: int

    @property
    def is_stable(self) -> bool:
        """Whether a node is in more than 30 % of the draws, or well supported.

        Well supported is above 0.5 + 3/√n_items, but at most 0.85.
        """
        well_supported = min(MAX_STABLE_SUPPORT, 0.5 + 3.0 / math.sqrt(self.n_items))
        return self.exact > STABLE_SHARE or self.support > well_supported

    def warning(self, shown: Tree) -> str:
        """Explain what an unstable tree means for the tree that is shown; empty if it is stable.

        Examples
        --------
        >>> Stability(exact=0.02, support=0.6, n_items=60).warning(Tree.from_labels([[0], [0]]))
        'No node of the tree recurs in the draws (highest support 60%, at most 2% of the draws ...
        >>> Stability(exact=0.9, support=0.95, n_items=60).warning(Tree.from_labels([[0], [1]]))
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
    (Stability(exact=0.2, support=0.7, n_items=4), False)
    """
    nodes = [
        node for node in tree.nodes if 1 < node.size <= tree.n_items / 2 and not node.is_remainder
    ]
    # A root alone is stable; a tree in which only single items leave the root is not.
    least = 1.0 if len(tree) == 1 else 0.0
    return Stability(
        exact=max((node.exact or 0.0 for node in nodes), default=least),
        support=max((node.support or 0.0 for node in nodes), default=least),
        n_items=tree.n_items,
    )
