"""What separates nodes, feature by feature, in the user's units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput, nearest_nodes
from rbhmc._extras import require
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.support import to_csr
from rbhmc.tree import Node, Tree
from rbhmc.tree.labels import Labels

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Draws that are looked at, at the most, and features that are printed.
DRAWS = 400
MOST = 20


class Feature(NamedTuple):
    """How two groups of items differ in one column of the table.

    Attributes
    ----------
    name : str
        The column.
    difference : float
        Mean of the one group less that of the other, in the user's units: median over draws.
    low, high : float
        What holds 95 % of the draws.
    deviations : float
        The difference in standard deviations of the column over all items.
    share : float
        Of the squared deviations of all columns, this one's; they sum to 1.
    """

    name: str
    difference: float
    low: float
    high: float
    deviations: float
    share: float


class FeatureDifference(NamedTuple):
    """How the centroids of two groups of nodes differ in one column of the table.

    Attributes
    ----------
    name : str
        The column.
    mean, other_mean : float
        Its means in the two groups, in the user's units.
    std : float
        Its standard deviation over all items.
    deviations : float
        The difference of the means, in standard deviations.
    """

    name: str
    mean: float
    other_mean: float
    std: float
    deviations: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """What separates a node from others; `print` it to read it.

    Attributes
    ----------
    node : str
        The id of the node.
    others : tuple of str
        The ids of those it is compared with, taken together.
    features : tuple of Feature
        All columns, those with the largest share first.
    n_draws : int
        Draws that were looked at.
    n_apart : int
        Those of them in which node and others are apart, which the figures are from.
    """

    node: str
    others: tuple[str, ...]
    features: tuple[Feature, ...]
    n_draws: int
    n_apart: int

    def to_pandas(self) -> Any:
        """Make a `pandas.DataFrame` with a row for each feature."""
        pandas = require("pandas", "frames")
        return pandas.DataFrame(self.features, columns=Feature._fields)

    def __str__(self) -> str:
        shown = self.features[:MOST]
        width = max(len(feature.name) for feature in shown)
        lines = [
            f"{feature.name:<{width}}  {feature.difference:+.3g} ({feature.low:+.3g} to "
            f"{feature.high:+.3g})  {feature.deviations:+.1f} sd  {feature.share:.0%}"
            for feature in shown
        ]
        if len(self.features) > MOST:
            rest = sum(feature.share for feature in self.features[MOST:])
            lines.append(f"+{len(self.features) - MOST} more  {rest:.0%}")
        head = f"{self.node} less {', '.join(self.others)}"
        apart = f"apart in {self.n_apart / self.n_draws:.0%} of {self.n_draws} draws"
        return "\n".join([f"{head}: {apart}", *lines])

    def __repr__(self) -> str:
        return f"Explanation({self.node!r} against {self.others}, {len(self.features)} features)"


def explain(model: "RBHMC", node: str, other: str | None = None) -> Explanation:
    """Find the features that separate a node from its siblings, or from another node.

    In each of up to 400 draws, evenly spaced, every node that is compared is found again: the
    node of the draw with the largest Jaccard overlap. Where one of two is found within the other,
    the other is what it holds besides; where both are the same, the draw does not tell them
    apart, and is left out. The difference of the means of the two sides is taken back through
    scale and principal components to the columns of the table. Its median and 95 % interval over
    draws say how much hangs on which items belong to the node. They are about the means of these
    very items, not about those of further ones.

    With principal components, what these leave out of a column is left out of the differences.

    Parameters
    ----------
    model : RBHMC
        A fitted model.
    node : str
        The id of a node of ``model.tree_``.
    other : str, optional
        The id of another one, neither above nor below it; all siblings together where absent.

    Returns
    -------
    Explanation
        A row for each feature, sorted by the share of the separation that it accounts for: its
        squared difference, in standard deviations, of the sum over all features.

    Examples
    --------
    >>> import numpy as np, rbhmc
    >>> X = np.array([[9.0, 5.0], [9.1, 4.9], [9.2, 5.1], [9.1, 5.2], [0.0, 5.0], [0.2, 5.1]])
    >>> model = rbhmc.RBHMC(n_levels=1, n_draws=200, random_state=0).fit(X)
    >>> [leaf.items.tolist() for leaf in model.tree_.leaves]
    [[0, 1, 2, 3], [4, 5]]
    >>> print(explain(model, "1"))
    1 less 2: ...
    x0  +9 (...)  +2.1 sd  100%
    x1  ...
    """
    tree = model.tree_
    here, there = tree.node(node), _others(tree, tree.node(node), other)
    blocks = TreeBlocks(model.draws_)
    sets = to_csr([each.items for each in (here, *there)])
    changes = []
    n_draws = 0
    for block in blocks.read(blocks.step(DRAWS)):
        levels, items, _ = nearest_nodes(sets, block.trees)
        for trees, level, item in zip(block.trees, levels, items, strict=True):
            n_draws += 1
            found = [_members(trees, *place) for place in zip(level, item, strict=True)]
            change = _change(found[0], found[1:], model.prepared_)
            if change is not None:
                changes.append(change)
    names = tree.feature_names or ()
    others = tuple(each.id for each in there)
    features = _features(model, np.array(changes), tuple(names))
    return Explanation(node, others, features, n_draws, len(changes))


def compare_centroids(
    tree: Tree,
    nodes: Sequence[Node],
    others: Sequence[Node],
    feature_std: Floats,
    *,
    n_features: int = 5,
) -> list[FeatureDifference]:
    """Find the features in which two groups of nodes of a tree differ most, without any draws.

    Parameters
    ----------
    tree : Tree
        A tree with centroids, such as ``model.tree_``.
    nodes, others : sequence of Node
        The two groups. The mean of a group is taken over all its items.
    feature_std : array of shape (n_features,)
        The standard deviation of each feature over all items.
    n_features : int
        The largest number of features to return.

    Returns
    -------
    list of FeatureDifference
        The largest absolute difference in standard deviations first; features that do not differ
        are left out. Empty if a group is empty or the tree has no centroids.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [1.2, 4.0], [9.0, 5.0]])
    >>> tree = Tree.from_labels([[0], [0], [1]], X=X, feature_names=["legs", "eyes"])
    >>> compare_centroids(tree, [tree.node("1")], [tree.node("2")], X.std(axis=0))[0]
    FeatureDifference(name='legs', mean=1.1, other_mean=9.0, std=3.7..., deviations=-2.1...)
    """
    if tree.feature_names is None or not nodes or not others:
        return []
    mean, other_mean = _mean_centroid(nodes), _mean_centroid(others)
    deviations = _standardize(mean - other_mean, feature_std)
    largest = np.argsort(-np.abs(deviations), kind="stable")[:n_features]
    columns = (mean, other_mean, feature_std, deviations)
    return [
        FeatureDifference(tree.feature_names[at], *(float(column[at]) for column in columns))
        for at in largest.tolist()
        if deviations[at] != 0.0
    ]


def _mean_centroid(nodes: Sequence[Node]) -> Floats:
    centroids = np.array([node.centroid for node in nodes], np.float64)
    return np.average(centroids, axis=0, weights=[node.size for node in nodes])


def _standardize(differences: Floats, feature_std: Floats) -> Floats:
    """Divide differences by standard deviations; 0 for constant features."""
    deviations = np.zeros(len(differences))
    np.divide(differences, feature_std, out=deviations, where=feature_std > 0.0)
    return deviations


def _others(tree: Tree, node: Node, other: str | None) -> list[Node]:
    if other is None:
        if node.parent is None:
            raise InvalidInput("the root has no siblings; give a node below it, or two nodes")
        return list(tree.siblings_of(node.id))
    found = tree.node(other)
    if np.intersect1d(node.items, found.items).size:
        raise InvalidInput(
            f"node {node.id!r} and node {other!r} share items, since one holds the other; give two "
            "nodes that are apart"
        )
    return [found]


def _members(tree: Labels, level: int, item: int) -> Mask:
    """Find the items that share an item's node at a level; the root is level 0."""
    if level == 0:
        return np.ones(tree.shape[1], np.bool_)
    labels = tree[level - 1]
    same: Mask = labels == labels[item]
    return same


def _change(here: Mask, others: list[Mask], table: Floats) -> Floats | None:
    """Subtract the mean of the rows of other nodes from that of a node's; None if not apart.

    Two nodes of a draw are the same, or one holds the other, or they share nothing.
    """
    others = [other for other in others if not np.array_equal(other, here)]
    if not others:
        return None
    within = [other for other in others if not (other & ~here).any()]
    here = here & ~np.logical_or.reduce([np.zeros_like(here), *within])
    there = np.logical_or.reduce(others) & ~here
    if not here.any():
        return None
    change: Floats = table[here].mean(axis=0) - table[there].mean(axis=0)
    return change


def _features(model: "RBHMC", changes: Floats, names: tuple[str, ...]) -> tuple[Feature, ...]:
    back = model.preparation_.inverse_transform
    nothing = np.zeros((1, model.prepared_.shape[1]))
    if len(changes):
        in_units = back(changes) - back(nothing)
        low, middle, high = np.quantile(in_units, [0.025, 0.5, 0.975], axis=0)
    else:
        low = middle = high = np.full(len(names), np.nan)
    deviations = _standardize(middle, model.feature_std_)
    squares = deviations**2
    shares = squares / total if (total := squares.sum()) > 0.0 else squares
    order = np.argsort(-shares, kind="stable")
    columns = (middle, low, high, deviations, shares)
    return tuple(
        Feature(names[at], *(float(column[at]) for column in columns)) for at in order.tolist()
    )
