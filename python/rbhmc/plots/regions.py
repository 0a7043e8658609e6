"""The regions of a plane in which each node's discriminant has the highest score."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._text import visible_name
from rbhmc.plots.inputs import Array
from rbhmc.predictive import learn_predictive
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

# The chain that draws the discriminants of the presented tree, which is held fixed.
DISCRIMINANT_DRAWS = {"n_draws": 50, "n_warmup": 50, "thin": 1}


def learn_discriminants(model: Any) -> tuple[dict[str, Array], float]:
    """Draw the discriminants of a model's tree; return their means by id, and the intercept κ.

    With an intercept, the last entry of a discriminant multiplies κ. There are no discriminants if
    C = 0.
    """
    if model.C == 0.0:
        return {}, 0.0
    tree = model.tree_
    settings = model._sampler_settings(model.preparation_) | {"n_levels": tree.n_levels}
    found = learn_predictive(model.prepared_, tree.paths, settings, **DISCRIMINANT_DRAWS)
    return node_discriminants(tree, found.parameters.discriminants), found.settings["intercept"]


def plane_of(model: Any) -> tuple[Array, list[str]]:
    """Return a rotation whose first two columns span the plane to look at, and their names.

    Two columns are shown as they are. A table of more columns without principal components is
    rotated to its own: the first two of its columns are rarely the plane to look at.
    """
    prepared, preparation = model.prepared_, model.preparation_
    pca = preparation.pca_
    if pca is None and prepared.shape[1] <= 2:
        names = model.tree_.feature_names
        shown = [visible_name(names[at]) if names else "" for at in preparation.order_]
        return np.eye(prepared.shape[1]), shown
    centred = prepared - prepared.mean(axis=0)
    variances, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1]
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.sign(axes[largest, np.arange(len(axes))])
    total = float(variances.sum()) or 1.0
    shares = variances[::-1] / total if pca is None else pca.explained_variance_ratio_
    return axes, [
        f"Component {number} ({share:.0%} of the variance)"
        for number, share in enumerate(shares[:2].tolist(), start=1)
    ]


def extend(points: Array, intercept: float) -> Array:
    """Append the intercept κ to every point, if there is one.

    Examples
    --------
    >>> extend(np.array([[1.0, 2.0]]), 0.5)
    array([[1. , 2. , 0.5]])
    """
    if intercept == 0.0:
        return points
    return np.column_stack([points, np.full(len(points), intercept)])


def node_discriminants(tree: Hierarchy, draws: Sequence[Array] | None) -> dict[str, Array]:
    """Return the mean over draws of each node's discriminant η_z, by id; empty without draws.

    The rows of a draw are all nodes, the root first and then level by level in the order of their
    labels, as in ``Sampler.tree["discriminants"]``. Nodes without siblings have none.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [1], [1]])
    >>> draws = [np.array([[np.nan], [1.0], [2.0]]), np.array([[np.nan], [3.0], [2.0]])]
    >>> node_discriminants(tree, draws)
    {'1': array([2.]), '2': array([2.])}
    """
    if draws is None:
        return {}
    mean = np.mean(draws, axis=0)
    n_labels = tree.paths.max(axis=0) + 1
    first_of_level = np.concatenate([[1], 1 + np.cumsum(n_labels)])
    rows = {
        node.id: mean[first_of_level[node.level - 1] + tree.paths[node.items[0], node.level - 1]]
        for node in tree.nodes[1:]
    }
    return {id: row for id, row in rows.items() if np.isfinite(row).all()}


def find_regions(
    grid: Array,
    points: Array,
    tree: Hierarchy,
    nodes: Sequence[Node],
    discriminants: Mapping[str, Array],
) -> tuple[NDArray[np.object_], list[tuple[int, Array]]]:
    """Assign each point of a plane, from the root down, to the sibling of the highest score.

    The score of node z is η_z·x, where x has the coordinates of the plane in its first two
    components, in the others the mean of the items of the node that splits, and last the
    intercept. A node whose children lack discriminants is not divided.

    Parameters
    ----------
    grid : array of shape (height, width, 2)
        The first two coordinates of the plane.
    points : array of shape (n_items, n_dims)
        The prepared items, extended by the intercept.
    tree : Tree
    nodes : sequence of Node
        Nodes that hold every item once, such as those of a level; they are not divided.
    discriminants : mapping of str to array
        η_z by the id of a node.

    Returns
    -------
    winners : array of str of shape (height, width)
        The id of the node of each point.
    leads : list of (int, array of shape (height, width))
        For each sibling its level, and its score less the best score of its siblings: 0 at its
        boundary, NaN outside the region of their parent.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [1]])
    >>> grid = np.array([[[-1.0, 0.0], [1.0, 0.0]]])
    >>> vectors = {"1": np.array([-1.0, 0.0]), "2": np.array([1.0, 0.0])}
    >>> find_regions(grid, np.zeros((2, 2)), tree, tree.leaves, vectors)[0].tolist()
    [['1', '2']]
    """
    winners = np.full(grid.shape[:2], "root", dtype=object)
    leads: list[tuple[int, Array]] = []
    undivided = {node.id for node in nodes}
    for node in tree.nodes:
        known = all(child in discriminants for child in node.children)
        region = winners == node.id
        if node.id in undivided or not node.children or not known or not region.any():
            continue
        vectors = np.stack([discriminants[child] for child in node.children])
        of_others = vectors[:, 2:] @ points[node.items, 2:].mean(axis=0)
        scores = np.einsum("kd,hwd->khw", vectors[:, :2], grid) + of_others[:, None, None]
        winners[region] = np.array(node.children, dtype=object)[scores.argmax(axis=0)][region]
        for number in range(len(scores)):
            lead = scores[number] - np.delete(scores, number, axis=0).max(axis=0)
            leads.append((tree.level_range(node)[1] + 1, np.where(region, lead, np.nan)))
    return winners, leads
