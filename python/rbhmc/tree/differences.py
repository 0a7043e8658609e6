"""How the means of groups of items differ, feature by feature.

Two groups differ in a feature by the difference of their means, in standard deviations of the
feature over all items. If the mean of a node lies between those of its siblings, the distance to
the nearest of them counts too.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rbhmc.tree.hierarchy import Hierarchy
    from rbhmc.tree.node import Node

Floats = NDArray[np.float64]

MAX_COMPARED_FEATURES = 5


class FeatureDifference(NamedTuple):
    """How the means of two groups of items differ in one feature.

    Attributes
    ----------
    name : str
        The feature.
    mean, other_mean : float
        Its means in the two groups, in the user's units.
    std : float
        Its standard deviation over all items.
    deviations : float
        The difference of the means, in standard deviations.
    is_binary : bool
        Whether the feature holds only 0 and 1, so that a mean is a share of items.
    gap : float
        If the mean of the first group lies between those of other nodes, the distance to the
        nearest of them, in standard deviations; otherwise 0.
    """

    name: str
    mean: float
    other_mean: float
    std: float
    deviations: float
    is_binary: bool
    gap: float = 0.0

    @property
    def strength(self) -> float:
        """How well the feature sets the first group apart, in standard deviations."""
        return max(abs(self.deviations), self.gap)

    @property
    def is_between(self) -> bool:
        """Whether the first group is set apart by lying between others, rather than by its mean."""
        return self.gap > abs(self.deviations)


def compare_centroids(
    tree: "Hierarchy", nodes: "Sequence[Node]", others: "Sequence[Node]"
) -> list[FeatureDifference]:
    """Find the five features in which two groups of nodes of a tree differ most, without draws.

    Parameters
    ----------
    tree : Tree
        A tree with centroids, such as ``model.tree_``.
    nodes, others : sequence of Node
        The two groups. The mean of a group is taken over all its items.

    Returns
    -------
    list of FeatureDifference
        The largest absolute difference in standard deviations first; features that do not differ
        are left out. Empty if a group is empty or the tree has no centroids.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> X = np.array([[1.0, 5.0], [1.2, 4.0], [9.0, 5.0]])
    >>> tree = Tree.from_labels([[0], [0], [1]], X=X, feature_names=["legs", "eyes"])
    >>> compare_centroids(tree, [tree.node("1")], [tree.node("2")])[0]
    FeatureDifference(name='legs', mean=1.1, other_mean=9.0, std=3.7..., deviations=-2.1..., ...)
    """
    if tree.features is None or not nodes or not others:
        return []
    return list(rank_features(tree, _mean_centroid(nodes), _mean_centroid(others)))


def standardize(differences: Floats, std: Floats) -> Floats:
    """Divide differences by standard deviations; 0 for constant features.

    Examples
    --------
    >>> standardize(np.array([3.0, 3.0]), np.array([2.0, 0.0]))
    array([1.5, 0. ])
    """
    deviations = np.zeros(len(differences))
    np.divide(differences, std, out=deviations, where=std > 0.0)
    return deviations


def rank_features(
    tree: "Hierarchy", mean: Floats, other_mean: Floats, gaps: Floats | None = None
) -> tuple[FeatureDifference, ...]:
    """Return the features that differ most; of equal ones, those that are higher."""
    assert tree.features is not None
    names, std, is_binary = tree.features
    with np.errstate(over="ignore"):
        deviations = standardize(mean - other_mean, std)
        gap = np.zeros(len(std)) if gaps is None else standardize(gaps, std)
    # Indicators of the two values of a column differ equally, up to rounding.
    strength = np.maximum(np.abs(deviations), gap).round(9)
    order = np.lexsort((deviations < 0.0, -strength))[:MAX_COMPARED_FEATURES]
    return tuple(
        FeatureDifference(
            names[at],
            float(mean[at]),
            float(other_mean[at]),
            float(std[at]),
            float(deviations[at]),
            bool(is_binary[at]),
            float(gap[at]),
        )
        for at in order.tolist()
        if max(abs(deviations[at]), gap[at]) > 0.0
    )


def rest_mean(parent: "Node", node: "Node") -> Floats:
    """Return the mean of the other items of a parent, c_o, by n_p c_p = n c + n_o c_o."""
    assert parent.centroid is not None
    assert node.centroid is not None
    with np.errstate(over="ignore"):
        difference = (parent.centroid - node.centroid) * (node.size / (parent.size - node.size))
        rest = parent.centroid + difference
    largest = np.finfo(np.float64).max
    return np.clip(rest, -largest, largest)


def gaps_between(means: Floats) -> Floats:
    """Return the distance of each mean to the nearest other, by column; 0 for lowest and highest.

    Examples
    --------
    >>> gaps_between(np.array([[1.0], [9.0], [4.0]])).tolist()
    [[0.0], [0.0], [3.0]]
    """
    gaps = np.zeros_like(means)
    if len(means) > 2:
        order = np.argsort(means, axis=0, kind="stable")
        with np.errstate(over="ignore"):
            steps = np.diff(np.take_along_axis(means, order, axis=0), axis=0)
        np.put_along_axis(gaps, order[1:-1], np.minimum(steps[:-1], steps[1:]), axis=0)
    return gaps


def _mean_centroid(nodes: "Sequence[Node]") -> Floats:
    centroids = np.array([node.centroid for node in nodes], np.float64)
    return np.average(centroids, axis=0, weights=[node.size for node in nodes])
