"""Which features separate nodes, in the user's units."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rbhmc._core import InvalidInput, best_jaccard
from rbhmc._extras import require
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.support import to_csr
from rbhmc.tree import Node, Tree
from rbhmc.tree.differences import standardize
from rbhmc.tree.labels import Labels

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MAX_DRAWS = 400
MAX_PRINTED_FEATURES = 20


class Feature(NamedTuple):
    """How two groups of items differ in one feature, over the draws.

    Attributes
    ----------
    name : str
        The feature.
    difference : float
        The difference of the two groups' means in the user's units: its median over draws.
    low, high : float
        The central 95 % interval of the difference over draws.
    deviations : float
        The difference in standard deviations of the feature over all items.
    share : float
        Its share of the sum of squared deviations over all features.
    """

    name: str
    difference: float
    low: float
    high: float
    deviations: float
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Which features separate a node from others; `print` it to read it.

    Attributes
    ----------
    node : str
        The id of the node.
    others : tuple of str
        The ids of the nodes that it is compared with, taken together.
    features : tuple of Feature
        All features, the largest share first.
    n_draws : int
        The number of draws considered.
    n_apart : int
        The number of these in which the two groups differ, from which all numbers are computed.
    """

    node: str
    others: tuple[str, ...]
    features: tuple[Feature, ...]
    n_draws: int
    n_apart: int

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row for each feature."""
        pandas = require("pandas", "frames")
        return pandas.DataFrame(self.features, columns=Feature._fields)

    def __str__(self) -> str:
        shown, rest = self.features[:MAX_PRINTED_FEATURES], self.features[MAX_PRINTED_FEATURES:]
        width = max(len(feature.name) for feature in shown)
        lines = [
            f"{feature.name:<{width}}  {feature.difference:+.3g} ({feature.low:+.3g} to "
            f"{feature.high:+.3g})  {feature.deviations:+.1f} sd  {feature.share:.0%}"
            for feature in shown
        ]
        if rest:
            lines.append(f"+{len(rest)} more  {sum(feature.share for feature in rest):.0%}")
        heading = f"{self.node} less {', '.join(self.others)}"
        apart = f"apart in {self.n_apart / self.n_draws:.0%} of {self.n_draws} draws"
        return "\n".join([f"{heading}: {apart}", *lines])

    def __repr__(self) -> str:
        return f"Explanation({self.node!r} against {self.others}, {len(self.features)} features)"


def explain(model: "RBHMC", node: str, other: str | None = None) -> Explanation:
    """Find the features that separate a node from its siblings, or from another node.

    In each of up to 400 evenly spaced draws, every compared node is matched to the node of the draw
    with the largest Jaccard overlap. If one match lies within the other, it is compared with the
    rest of the other; if both are equal, the draw does not separate the nodes and is left out. The
    difference of the two groups' means is transformed back, through principal components and
    scale, to the columns of the table. Its median and 95 % interval over draws show how much
    depends on which items belong to the node. They describe the means of these items, not of new
    ones.

    With principal components, the part of a column that they discard is missing from the
    differences.

    Parameters
    ----------
    model : RBHMC
        A fitted model.
    node : str
        The id of a node of ``model.tree_``.
    other : str, optional
        The id of another node, neither above nor below it. The default is all siblings together.

    Returns
    -------
    Explanation
        One row for each feature, sorted by its share of the separation: its squared difference in
        standard deviations, relative to the sum over all features.

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
    check_is_fitted(model)
    tree = model.tree_
    own = tree.node(node)
    others = _find_others(tree, own, other)
    blocks = TreeBlocks(model.draws_)
    sets = to_csr([each.items for each in (own, *others)])
    differences = []
    n_draws = 0
    for block in blocks.read(every=blocks.thinning(MAX_DRAWS)):
        levels, items, _ = best_jaccard(sets, block.trees)
        for labels, level, item in zip(block.trees, levels, items, strict=True):
            n_draws += 1
            matches = [_members(labels, *place) for place in zip(level, item, strict=True)]
            difference = _mean_difference(matches[0], matches[1:], model.prepared_)
            if difference is not None:
                differences.append(difference)
    features = _rank_features(model, np.array(differences))
    ids = tuple(each.id for each in others)
    return Explanation(node, ids, features, n_draws, len(differences))


def _find_others(tree: Tree, node: Node, other: str | None) -> list[Node]:
    if other is None:
        if node.parent is None:
            raise InvalidInput("the root has no siblings; give a node below it, or two nodes")
        return list(tree.siblings_of(node.id))
    second = tree.node(other)
    if np.intersect1d(node.items, second.items).size:
        raise InvalidInput(
            f"node {node.id!r} and node {other!r} share items, because one contains the other; "
            "give two disjoint nodes"
        )
    return [second]


def _members(labels: Labels, level: int, item: int) -> Mask:
    """Return which items share an item's node at a level of a draw; level 0 is the root."""
    if level == 0:
        return np.ones(labels.shape[1], np.bool_)
    members: Mask = labels[level - 1] == labels[level - 1, item]
    return members


def _mean_difference(own: Mask, others: list[Mask], table: Floats) -> Floats | None:
    """Return the mean of a node's rows less the mean of other nodes' rows; None if not apart.

    Two nodes of a draw are equal, or one contains the other, or they are disjoint.
    """
    others = [other for other in others if not np.array_equal(other, own)]
    if not others:
        return None
    within = [other for other in others if not (other & ~own).any()]
    own = own & ~np.logical_or.reduce([np.zeros_like(own), *within])
    rest = np.logical_or.reduce(others) & ~own
    if not own.any():
        return None
    difference: Floats = table[own].mean(axis=0) - table[rest].mean(axis=0)
    return difference


def _rank_features(model: "RBHMC", differences: Floats) -> tuple[Feature, ...]:
    """Transform differences of prepared rows to the user's units and sort them by their share."""
    names = model.tree_.feature_names or ()
    if len(differences):
        origin = np.zeros((1, model.prepared_.shape[1]))
        transform = model.preparation_.inverse_transform
        in_units = transform(differences) - transform(origin)
        low, middle, high = np.quantile(in_units, [0.025, 0.5, 0.975], axis=0)
    else:
        low = middle = high = np.full(len(names), np.nan)
    deviations = standardize(middle, model.feature_std_)
    squares = deviations**2
    shares = squares / total if (total := squares.sum()) > 0.0 else squares
    columns = (middle, low, high, deviations, shares)
    return tuple(
        Feature(names[at], *(float(column[at]) for column in columns))
        for at in np.argsort(-shares, kind="stable").tolist()
    )
