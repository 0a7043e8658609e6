"""Which parts of a plane discriminants give to which nodes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput
from rbhmc.plots.checks import Array, as_numbers
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

Discriminants = Mapping[str, Array]


def node_discriminants(tree: Hierarchy, draws: Sequence[Array] | None) -> dict[str, Array] | None:
    """Average draws of discriminants, and name them by node.

    Parameters
    ----------
    tree : Tree
        The tree that was held fixed.
    draws : sequence of arrays of shape (n_nodes, n_dims), or None
        Rows are the nodes of the raw tree, the root first and then level by level in the order
        of their labels, as in ``Sampler.tree["discriminants"]``.

    Returns
    -------
    dict of str to array, or None
        Vectors of the nodes that have siblings; None without draws.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [1], [1]])
    >>> draws = [np.array([[np.nan], [1.0], [2.0]]), np.array([[np.nan], [3.0], [2.0]])]
    >>> node_discriminants(tree, draws)
    {'1': array([2.]), '2': array([2.])}
    """
    if draws is None:
        return None
    mean = np.mean(draws, axis=0)
    n_labels = tree.paths.max(axis=0) + 1
    first = np.concatenate([[1], 1 + np.cumsum(n_labels)])
    if mean.ndim != 2 or len(mean) != first[-1]:
        raise InvalidInput(
            f"discriminants have shape {mean.shape}; they must have a row for each of the "
            f"{first[-1]} nodes of the raw tree"
        )
    rows = {
        node.id: mean[first[node.level - 1] + tree.paths[node.items[0], node.level - 1]]
        for node in tree.nodes
        if node.parent is not None
    }
    return {id: row for id, row in rows.items() if np.isfinite(row).all()}


def checked_discriminants(
    discriminants: Mapping[str, Array] | None, tree: Hierarchy, n_dims: int
) -> dict[str, Array]:
    """Check vectors by node id."""
    if discriminants is None:
        return {}
    if not isinstance(discriminants, Mapping):
        raise InvalidInput(
            f"discriminants is a {type(discriminants).__name__}; it must map node ids to vectors "
            f"of {n_dims} numbers"
        )
    ids = {node.id for node in tree.nodes}
    for id in discriminants:
        if id not in ids:
            raise InvalidInput(f"discriminants names node {id!r}, which the tree does not have")
    return {
        id: as_numbers(vector, f"discriminants[{id!r}]", (n_dims,))
        for id, vector in discriminants.items()
    }


class Border(NamedTuple):
    """Where one of several siblings wins."""

    lead: Array  # over the best of the others; NaN where their parent has lost
    level: int


def regions(
    grid: Array, points: Array, tree: Hierarchy, level: int, discriminants: Discriminants
) -> tuple[NDArray[np.object_], list[Border]]:
    """Send each point of a plane down the tree, to the sibling of the highest score.

    Other coordinates of the plane are those of the mean of the items of the node that splits.

    Parameters
    ----------
    grid : array of shape (height, width, 2)
        The plane's first two coordinates.
    points : array of shape (n_items, n_dims)
        The prepared items.
    tree : Tree
        Their tree.
    level : int
        How far down to go.
    discriminants : mapping of str to array of shape (n_dims,)
        Vectors by node id; nodes whose children lack them do not split.

    Returns
    -------
    won : array of str of shape (height, width)
        The id of the node that each point goes to.
    borders : list of Border
        The lead of each sibling over the best of the others.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [1]])
    >>> grid = np.array([[[-1.0, 0.0], [1.0, 0.0]]])
    >>> vectors = {"1": np.array([-1.0, 0.0]), "2": np.array([1.0, 0.0])}
    >>> regions(grid, np.zeros((2, 2)), tree, 1, vectors)[0].tolist()
    [['1', '2']]
    """
    won = np.full(grid.shape[:2], "root", dtype=object)
    borders: list[Border] = []
    for node in tree.nodes:
        children = [tree.node(child) for child in node.children]
        known = all(child.id in discriminants for child in children)
        here = won == node.id
        if not children or children[0].level > level or not known or not here.any():
            continue
        scores = _scores(grid, points[node.items].mean(axis=0), children, discriminants)
        won[here] = np.array(node.children, dtype=object)[scores.argmax(axis=0)][here]
        for number in range(len(children)):
            lead = scores[number] - np.delete(scores, number, axis=0).max(axis=0)
            borders.append(Border(np.where(here, lead, np.nan), children[0].level))
    return won, borders


def _scores(grid: Array, mean: Array, children: list[Node], discriminants: Discriminants) -> Array:
    """Scores of the siblings, of shape (n_siblings, height, width)."""
    vectors = np.stack([discriminants[child.id] for child in children])
    rest = vectors[:, 2:] @ mean[2:]
    within: Array = np.einsum("kd,hwd->khw", vectors[:, :2], grid)
    return within + rest[:, None, None]
