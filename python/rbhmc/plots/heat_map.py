"""A matrix of shares with items in the order of a tree, frames around nodes, the tree beside it.

An item has width and height 1; the map starts at 0, the tree stands left of it.
"""

from typing import TYPE_CHECKING

import numpy as np

from rbhmc._extras import require
from rbhmc.plots.branches import draw_branch
from rbhmc.plots.checks import Array
from rbhmc.plots.fold import unfolded
from rbhmc.plots.layout import item_order, item_rows, middles, nodes_at
from rbhmc.plots.palette import NEUTRAL, node_colors
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

TREE = 0.3  # width of the tree, in widths of the map
SHADES = ("#FFFFFF", "#DDE3EA", "#8FA1B5", "#40566E", "#16273A")  # from 0 to 1
WORDS = "share of draws together"


def draw_heat_map(ax: "Axes", shares: Array, tree: Hierarchy, level: int | None) -> "AxesImage":
    """Draw the map, and frames around the nodes of a level."""
    n = tree.n_items
    order = item_order(tree)
    colors = node_colors(tree)
    shades = require("matplotlib.colors", "plots").LinearSegmentedColormap.from_list("", SHADES)
    image = ax.imshow(
        shares[np.ix_(order, order)], extent=(0, n, n, 0), cmap=shades, vmin=0.0, vmax=1.0
    )
    frames = {} if level is None else spans(tree, level)
    _frame(ax, 0.0, n, NEUTRAL, 0.6)
    for id, (start, end) in frames.items():
        _frame(ax, start, end, colors[id], 1.6)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return image


def _frame(ax: "Axes", start: float, end: float, color: str, width: float) -> None:
    ax.add_patch(
        require("matplotlib.patches", "plots").Rectangle(
            (start, start),
            end - start,
            end - start,
            fill=False,
            edgecolor=color,
            linewidth=width,
            joinstyle="miter",
            clip_on=False,
        )
    )


def draw_tree_beside(ax: "Axes", tree: Hierarchy) -> None:
    """Draw the branches of a tree, and a bar along the items of each leaf."""
    rows = item_rows(tree)
    middle = middles(unfolded(tree), rows)
    colors = node_colors(tree)
    levels = sorted({node.level for node in tree.nodes})
    width = TREE * tree.n_items
    step = 0.9 * width / len(levels)
    at = {level: number * step - 0.97 * width for number, level in enumerate(levels)}
    for node in tree.nodes:
        color = colors[node.id]
        if node.parent is not None:
            start = at[tree.node(node.parent).level]
            end = -0.05 * width if node.is_leaf else at[node.level]
            draw_branch(
                ax,
                (start, middle[node.parent]),
                (start, start + 0.9 * step),
                (end, middle[node.id]),
                color=color,
                width=1.2,
            )
        if node.is_leaf:
            first, last = rows[node.id]
            ax.plot(
                [-0.035 * width] * 2,
                [first + 0.1, last - 0.1],
                color=color,
                linewidth=2.5,
                solid_capstyle="butt",
                clip_on=False,
            )


def spans(tree: Hierarchy, level: int | None) -> dict[str, tuple[float, float]]:
    """Find the rows of the nodes of a level, or of the leaves.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]])
    >>> spans(tree, 1)
    {'1': (0.0, 2.0), '2': (2.0, 3.0)}
    """
    leaves = item_rows(tree)
    if level is None:
        return leaves
    places = {int(item): float(row) for row, item in enumerate(item_order(tree))}
    # Items of a node are neighbours in this order.
    starts = {
        node.id: min(places[int(item)] for item in node.items) for node in nodes_at(tree, level)
    }
    return {id: (start, start + tree.node(id).size) for id, start in starts.items()}
