"""The items in the plane of two components, with the boundaries that discriminants draw."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.plots.canvas import axes_for, size_of
from rbhmc.plots.checks import Array, as_numbers, checked_level, checked_tree, is_model
from rbhmc.plots.layout import nodes_at
from rbhmc.plots.palette import NEUTRAL, node_colors, tint
from rbhmc.plots.plane_words import DOT, Limits, PlaneWords
from rbhmc.plots.regions import checked_discriminants, node_discriminants, regions
from rbhmc.plots.words import QUIET, SMALL
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rbhmc.estimator import RBHMC

FINE = 320  # cells of the plane on its longer side
MOST_NAMES = 80


def plot_plane(
    source: "RBHMC | ArrayLike",
    tree: Hierarchy | None = None,
    *,
    level: int = 1,
    discriminants: Mapping[str, Array] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the items by two components, in the colours of their nodes at a level.

    With discriminants, the plane is shaded by the node that a new item there would score highest
    at, from the root down to the level. Its other components are taken to be those of the mean of
    the node that splits; items differ in these too, so that some lie beyond a boundary.

    Parameters
    ----------
    source : RBHMC, BHMC, or array of shape (n_items, n_dims)
        A fitted model, or prepared items of at least two dimensions.
    tree : Tree, optional
        Their tree; the selected tree of a model unless given.
    level : int
        The level whose nodes are shown, from 1; -1 are the leaves.
    discriminants : mapping of str to array of shape (n_dims,), optional
        The vectors of nodes by id. Nodes whose children lack them are not divided. For a model:
        the means of its discriminants given its tree, unless given.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of suitable size where absent.

    Returns
    -------
    matplotlib.axes.Axes
        Ids of nodes and names of items stand where there is room.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from rbhmc import Tree
    >>> points = np.array([[0.0, 0.0], [9.0, 1.0], [9.0, 2.0]])
    >>> tree = Tree.from_labels([[0], [1], [1]], names=["ant", "bee", "cat"])
    >>> vectors = {"1": np.array([1.0, 0.0]), "2": np.array([-1.0, 0.0])}
    >>> ax = plot_plane(points, tree, discriminants=vectors, ax=Figure().add_subplot())
    >>> sorted(text.get_text() for text in ax.texts)
    ['1', '2', 'ant', 'bee', 'cat']
    """
    points = source
    if is_model(source):
        if tree is None and discriminants is None:
            discriminants = node_discriminants(
                source.tree_, source._predictive.parameters.discriminants
            )
        points = source.prepared_
        tree = source.tree_ if tree is None else tree
    tree = checked_tree(tree)
    wanted = checked_level(level, tree)
    table = as_numbers(points, "points", (tree.n_items, "n_dims"))
    if table.shape[1] < 2:
        raise InvalidInput("points has one column; it must have two at least, to span a plane")
    vectors = checked_discriminants(discriminants, tree, table.shape[1])
    ax = axes_for(ax, 6.5, 5.2)
    width, height = size_of(ax)
    limits = _limits(table[:, :2], width, height)
    ax.set(xlim=limits[0], ylim=limits[1], aspect="equal")
    colors = node_colors(tree)
    shaded = _shade(ax, limits, table, tree, wanted, vectors)
    if shaded and table.shape[1] > 2:
        ax.set_title("boundaries at the means of the other components", size=SMALL, alpha=QUIET)
    nodes = nodes_at(tree, wanted)
    for node in nodes:
        ax.scatter(
            table[node.items, 0],
            table[node.items, 1],
            s=DOT**2,
            color=colors[node.id],
            edgecolor="white",
            linewidth=0.6,
            zorder=3,
        )
    words = PlaneWords(ax, limits, (width, height), table[:, :2])
    for node in sorted(nodes, key=lambda node: -node.size):
        words.write_id(node, colors[node.id])
    if tree.n_items <= MOST_NAMES:
        words.write_names(tree.names, shaded)
    ax.set(xlabel="component 1", ylabel="component 2")
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _limits(points: Array, width: float, height: float) -> Limits:
    """Choose limits with air around the points, such that a unit is as long in x as in y."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2.0
    span = 1.16 * np.maximum(high - low, 1e-9 * np.maximum(1.0, np.abs(middle)))
    unit = float(max(span[0] / width, span[1] / height))
    half = np.array([width, height]) * unit / 2.0
    (left, bottom), (right, top) = middle - half, middle + half
    return (float(left), float(right)), (float(bottom), float(top))


def _shade(
    ax: "Axes",
    limits: Limits,
    table: Array,
    tree: Hierarchy,
    level: int,
    vectors: Mapping[str, Array],
) -> bool:
    """Shade the plane by the nodes that win, with lines where siblings meet; say if any do."""
    (left, right), (bottom, top) = limits
    cell = max(right - left, top - bottom) / FINE
    x = np.linspace(left, right, max(2, round((right - left) / cell)))
    y = np.linspace(bottom, top, max(2, round((top - bottom) / cell)))
    won, borders = regions(np.stack(np.meshgrid(x, y), axis=2), table, tree, level, vectors)
    if not borders:
        return False
    to_rgb = require("matplotlib.colors", "plots").to_rgb
    colors = node_colors(tree)
    shades = {id: to_rgb(tint(colors[id], 0.2)) for id in set(won.ravel())}
    ax.imshow(
        np.array([[shades[id] for id in row] for row in won]),
        extent=(left, right, bottom, top),
        origin="lower",
        zorder=0,
    )
    for border in borders:
        if np.nanmin(border.lead) < 0.0 < np.nanmax(border.lead):
            width = 1.6 / border.level
            ax.contour(x, y, border.lead, levels=[0.0], colors=[NEUTRAL], linewidths=width)
    ax.set(xlim=limits[0], ylim=limits[1])
    return True
