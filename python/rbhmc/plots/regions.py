"""The regions of a plane in which each node's discriminant has the highest score."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc._checks import check_numbers
from rbhmc._core import InvalidInput
from rbhmc.plots.inputs import Array, check_ids
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

Discriminants = Mapping[str, Array]


def node_discriminants(tree: Hierarchy, draws: Sequence[Array] | None) -> dict[str, Array] | None:
    """Return the mean over draws of each node's discriminant, by id.

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
    first_of_level = np.concatenate([[1], 1 + np.cumsum(n_labels)])
    if mean.ndim != 2 or len(mean) != first_of_level[-1]:
        raise InvalidInput(
            f"discriminants have shape {mean.shape}; they must have a row for each of the "
            f"{first_of_level[-1]} nodes of the raw tree"
        )
    rows = {
        node.id: mean[first_of_level[node.level - 1] + tree.paths[node.items[0], node.level - 1]]
        for node in tree.nodes
        if node.parent is not None
    }
    return {id: row for id, row in rows.items() if np.isfinite(row).all()}


def check_discriminants(
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
    check_ids("discriminants", discriminants, tree)
    return {
        id: check_numbers(vector, f"discriminants[{id!r}]", (n_dims,))
        for id, vector in discriminants.items()
    }


class Boundary(NamedTuple):
    """The boundary of one sibling's region, where its lead is 0.

    Attributes
    ----------
    lead : array of shape (height, width)
        Its score less the best score of its siblings; NaN outside the region of their parent.
    level : int
        The level of the siblings.
    """

    lead: Array
    level: int


def find_regions(
    grid: Array, points: Array, tree: Hierarchy, level: int, discriminants: Discriminants
) -> tuple[NDArray[np.object_], list[Boundary]]:
    """Assign each point of a plane, from the root down, to the sibling of the highest score.

    The score of node z is η_z·x, where x has the coordinates of the plane in its first two
    components, and in the others the mean of the items of the node that splits.

    Parameters
    ----------
    grid : array of shape (height, width, 2)
        The first two coordinates of the plane.
    points : array of shape (n_items, n_dims)
        The prepared items.
    tree : Tree
        Their tree.
    level : int
        The last level.
    discriminants : mapping of str to array of shape (n_dims,)
        Vectors by node id; a node whose children lack them is not divided.

    Returns
    -------
    winners : array of str of shape (height, width)
        The id of the node of each point.
    boundaries : list of Boundary
        The boundary of each sibling.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [1]])
    >>> grid = np.array([[[-1.0, 0.0], [1.0, 0.0]]])
    >>> vectors = {"1": np.array([-1.0, 0.0]), "2": np.array([1.0, 0.0])}
    >>> find_regions(grid, np.zeros((2, 2)), tree, 1, vectors)[0].tolist()
    [['1', '2']]
    """
    winners = np.full(grid.shape[:2], "root", dtype=object)
    boundaries: list[Boundary] = []
    for node in tree.nodes:
        children = [tree.node(child) for child in node.children]
        known = all(child.id in discriminants for child in children)
        region = winners == node.id
        if not children or children[0].level > level or not known or not region.any():
            continue
        scores = _scores(grid, points[node.items].mean(axis=0), children, discriminants)
        winners[region] = np.array(node.children, dtype=object)[scores.argmax(axis=0)][region]
        for number in range(len(children)):
            lead = scores[number] - np.delete(scores, number, axis=0).max(axis=0)
            boundaries.append(Boundary(np.where(region, lead, np.nan), children[0].level))
    return winners, boundaries


def _scores(grid: Array, mean: Array, children: list[Node], discriminants: Discriminants) -> Array:
    """Return the scores of siblings, of shape (n_siblings, height, width)."""
    vectors = np.stack([discriminants[child.id] for child in children])
    of_plane: Array = np.einsum("kd,hwd->khw", vectors[:, :2], grid)
    of_others = vectors[:, 2:] @ mean[2:]
    return of_plane + of_others[:, None, None]
