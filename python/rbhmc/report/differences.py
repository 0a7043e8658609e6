"""Which features tell a group of items from others, in the user's units."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc.report.markup import readable
from rbhmc.report.numbers import in_units
from rbhmc.tree import Node, Tree

Floats = NDArray[np.float64]

MOST = 5


class Difference(NamedTuple):
    """A feature of two groups: its name, the mean in each, and how many deviations they differ."""

    feature: str
    here: str
    there: str
    deviations: float


class Differences:
    """Compares groups of nodes by the means of their items.

    Parameters
    ----------
    tree : Tree
        The tree, with centroids.
    spread : array of shape (n_features,)
        The standard deviation of each feature, which differences are measured in.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [1.2, 4.0], [9.0, 5.1]])
    >>> tree = Tree.from_labels([[0], [0], [1]], X=X, feature_names=["legs", "eyes"])
    >>> found = Differences(tree, X.std(axis=0)).between([tree.node("1")], [tree.node("2")])
    >>> found[0]
    Difference(feature='legs', here='1.1', there='9.0', deviations=-2.1...)
    """

    def __init__(self, tree: Tree, spread: Floats) -> None:
        self.tree = tree
        self.spread = spread
        self.names = [readable(name) for name in tree.feature_names or ()]

    def from_siblings(self, node: Node) -> list[Difference]:
        """Compare a node with all of its siblings together; the root has none."""
        if node.parent is None:
            return []
        above = self.tree.node(node.parent)
        rest = [self.tree.node(child) for child in above.children if child != node.id]
        return self.between([node], rest)

    def between(self, here: Sequence[Node], there: Sequence[Node]) -> list[Difference]:
        """Compare two groups: the features with the largest differences, largest first."""
        if not self.names or not here or not there:
            return []
        one, other = self._mean(here), self._mean(there)
        varies = self.spread > 0.0
        deviations = np.zeros(len(self.names))
        np.divide(one - other, self.spread, out=deviations, where=varies)
        largest = np.argsort(-np.abs(deviations), kind="stable")[:MOST]
        return [
            Difference(
                self.names[at],
                in_units(float(one[at]), float(self.spread[at])),
                in_units(float(other[at]), float(self.spread[at])),
                float(deviations[at]),
            )
            for at in largest.tolist()
            if deviations[at] != 0.0
        ]

    def _mean(self, group: Sequence[Node]) -> Floats:
        centroids = np.array([node.centroid for node in group], np.float64)
        return np.average(centroids, axis=0, weights=[node.size for node in group])
