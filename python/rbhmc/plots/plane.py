"""The items in the plane of two components, with the boundaries between siblings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._checks import check_numbers
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.plots.background import Background
from rbhmc.plots.inputs import (
    Array,
    axes_size,
    check_axes,
    check_tree,
    choose_level,
    is_model,
    new_figure,
)
from rbhmc.plots.palette import text_color_on
from rbhmc.plots.regions import extend, find_regions, learn_discriminants, plane_of
from rbhmc.plots.text_style import MUTED, SMALLEST_SIZE, TextStyle
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rbhmc.estimator import RBHMC

N_CELLS = 320  # of the shaded plane along its longer side
MAX_NAMED_ITEMS = 80
DOT = 5.0  # points: the diameter of an item
MAX_NAME = 70.0  # points
LABEL = TextStyle(SMALLEST_SIZE + 0.5)
# Directions from a point to its label, from the best.
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))

Point = tuple[float, float]
Limits = tuple[Point, Point]


def plot_plane(
    source: "RBHMC | ArrayLike",
    tree: Hierarchy | None = None,
    *,
    level: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the items by their first two principal components, in the colours of their nodes.

    A table of two columns is drawn as it is.

    For a model with C > 0, the plane is shaded by the node whose score a new item would maximise,
    from the root down to the shown nodes. The discriminants are means over draws given the tree,
    see `rbhmc.plots.regions`. The other components of the item are set to the mean of the node that
    splits; items differ in these too, so that some are on the other side of a boundary.

    Parameters
    ----------
    source : RBHMC, BHMC, or array of shape (n_items, n_dims)
        A fitted model, or prepared items with at least two dimensions.
    tree : Tree, optional
        A tree of the same items; by default, the presented tree of the model.
    level : int, optional
        The level whose nodes are shown, from 1; -1 is the last. By default the clusters are shown,
        or level 1 if these are the leaves.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    matplotlib.axes.Axes
        Ids of nodes and names of items are written where there is room.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from rbhmc import Tree
    >>> points = np.array([[0.0, 0.0], [9.0, 1.0], [9.0, 2.0]])
    >>> tree = Tree.from_labels([[0], [1], [1]], names=["ant", "bee", "cat"])
    >>> ax = plot_plane(points, tree, ax=Figure().add_subplot())
    >>> sorted(text.get_text() for text in ax.texts)
    ['1', '2', 'ant', 'bee', 'cat']
    """
    vectors: dict[str, Array] = {}
    points, intercept = source, 0.0
    names = ["Component 1", "Component 2"]
    if is_model(source):
        axes, names = plane_of(source)
        points = source.prepared_ @ axes
        if tree is None:
            tree = source.tree_
            vectors, intercept = learn_discriminants(source)
            n = len(axes)
            vectors = {id: np.append(each[:n] @ axes, each[n:]) for id, each in vectors.items()}
    tree = check_tree(tree)
    _, nodes, _ = choose_level(level, tree)
    table = check_numbers(points, "points", (tree.n_items, "n_dims"))
    if table.shape[1] < 2:
        raise InvalidInput("points has one column; it must have at least two, to span a plane")
    ax = new_figure(6.5, 5.2).add_subplot() if ax is None else check_axes(ax)
    size = axes_size(ax)
    limits = _find_limits(table[:, :2], *size)
    ax.set(xlim=limits[0], ylim=limits[1], aspect="equal")
    background = Background(ax)
    colors = background.node_colors(tree)
    shaded = _shade_regions(ax, limits, extend(table, intercept), tree, nodes, vectors)
    if shaded and table.shape[1] > 2:
        title = "boundaries at the means of the other components"
        ax.set_title(title, size=SMALLEST_SIZE, alpha=MUTED)
    for node in nodes:
        ax.scatter(
            table[node.items, 0],
            table[node.items, 1],
            s=DOT**2,
            color=colors[node.id],
            edgecolor=background.color,
            linewidth=0.6,
            zorder=3,
        )
    labels = _PlaneLabels(ax, limits, size, table[:, :2])
    for node in sorted(nodes, key=lambda node: -node.size):
        labels.write_id(node, colors[node.id])
    if tree.n_items <= MAX_NAMED_ITEMS:
        labels.write_names(tree.names, shaded)
    for label, name in zip((ax.xaxis.label, ax.yaxis.label), names, strict=True):
        label.set_text(name)
        TextStyle(9.0, [name]).apply_to(label)
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _find_limits(points: Array, width: float, height: float) -> Limits:
    """Return limits with a margin around the points and one scale for both axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2.0
    span = 1.16 * np.maximum(high - low, 1e-9 * np.maximum(1.0, np.abs(middle)))
    unit = float(max(span[0] / width, span[1] / height))
    half = np.array([width, height]) * unit / 2.0
    (left, bottom), (right, top) = middle - half, middle + half
    return (float(left), float(right)), (float(bottom), float(top))


def _shade_regions(
    ax: "Axes",
    limits: Limits,
    table: Array,
    tree: Hierarchy,
    nodes: Sequence[Node],
    vectors: Mapping[str, Array],
) -> bool:
    """Shade the region of each node and draw the boundaries; return whether there are any."""
    (left, right), (bottom, top) = limits
    cell = max(right - left, top - bottom) / N_CELLS
    x = np.linspace(left, right, max(2, round((right - left) / cell)))
    y = np.linspace(bottom, top, max(2, round((top - bottom) / cell)))
    grid = np.stack(np.meshgrid(x, y), axis=2)
    winners, leads = find_regions(grid, table, tree, nodes, vectors)
    if not leads:
        return False
    to_rgb = require("matplotlib.colors", "plots").to_rgb
    background = Background(ax)
    colors = background.node_colors(tree)
    shades = {id: to_rgb(background.fade(colors[id], 0.2)) for id in set(winners.ravel())}
    ax.imshow(
        np.array([[shades[id] for id in row] for row in winners]),
        extent=(left, right, bottom, top),
        origin="lower",
        zorder=0,
    )
    for child_level, lead in leads:
        if np.nanmin(lead) < 0.0 < np.nanmax(lead):
            width = 1.6 / child_level
            ax.contour(x, y, lead, levels=[0.0], colors=[background.neutral], linewidths=width)
    ax.set(xlim=limits[0], ylim=limits[1])
    return True


class _PlaneLabels:
    """Writes ids and names beside the points such that no label hides another."""

    def __init__(
        self, ax: "Axes", limits: Limits, size: tuple[float, float], points: Array
    ) -> None:
        self.ax, self.background = ax, Background(ax).color
        self.points = points
        low = np.array([limits[0][0], limits[1][0]])
        scale = size[0] / (limits[0][1] - limits[0][0])
        self.positions = (points - low) * scale  # in points of the page
        dots = np.hstack([self.positions - DOT / 2.0, self.positions + DOT / 2.0])
        self.free = FreeSpace(*size, dots)
        self.free_of_labels = FreeSpace(*size, np.empty((0, 4)))

    def write_id(self, node: Node, color: str) -> None:
        """Write the id of a node beside its central item, if need be over other points."""
        own = self.positions[node.items]
        central = int(np.argmin(((own - own.mean(axis=0)) ** 2).sum(axis=1)))
        position: Point = own[central].tolist()
        size = LABEL.width(node.id) + 7.0, LABEL.size + 6.0
        middle = self.free.take_beside(*position, *size, [4.0, 9.0, 15.0, 22.0])
        if middle is not None:
            self.free_of_labels.take(middle, *size)
        else:
            middle = self.free_of_labels.take_beside(*position, *size, [4.0, 9.0, 15.0])
            if middle is None:
                return
            self.free.take(middle, *size)
        box = {"boxstyle": "round,pad=0.3", "facecolor": color, "edgecolor": self.background}
        settings = {"color": text_color_on(color), "bbox": box, "zorder": 5}
        self._write(node.id, int(node.items[central]), middle, LABEL, settings)

    def write_names(self, names: tuple[str, ...], shaded: bool) -> None:
        """Write the names of the items for which there is room."""
        style = TextStyle(SMALLEST_SIZE, names)
        settings: dict[str, Any] = {}
        if shaded:  # an outline keeps names readable on boundaries
            stroke = require("matplotlib.patheffects", "plots").withStroke
            outline = stroke(linewidth=2.0, foreground=self.background)
            settings = {"color": text_color_on(self.background), "path_effects": [outline]}
        for item, name in enumerate(names):
            short = style.shorten(name, MAX_NAME)
            size = style.width(short) + 1.0, 1.2 * style.size
            distances = [DOT / 2.0 + 1.0, DOT / 2.0 + 4.0]
            x, y = self.positions[item].tolist()
            middle = self.free.take_beside(x, y, *size, distances)
            if middle is not None:
                self._write(short, item, middle, style, settings)

    def _write(
        self, text: str, item: int, middle: Point, style: TextStyle, settings: dict[str, Any]
    ) -> None:
        """Write a text whose middle has a position on the page, relative to an item."""
        x, y = self.positions[item].tolist()
        note = self.ax.annotate(
            text,
            (float(self.points[item, 0]), float(self.points[item, 1])),
            xytext=(middle[0] - x, middle[1] - y),
            textcoords="offset points",
            ha="center",
            va="center",
            **settings,
        )
        style.apply_to(note)


class FreeSpace:
    """The free part of a page; lengths are points, and y points up.

    Examples
    --------
    >>> free = FreeSpace(100.0, 50.0, np.array([[0.0, 0.0, 40.0, 20.0]]))
    >>> free.take_beside(20.0, 30.0, 30.0, 10.0, [4.0])
    (39.0, 30.0)
    """

    def __init__(self, width: float, height: float, taken: Array) -> None:
        # Taken boxes are rows: left, bottom, right, top.
        self.width, self.height, self.taken = width, height, taken

    def take(self, middle: Point, width: float, height: float) -> None:
        """Take a box, free or not."""
        self.taken = np.vstack([self.taken, _box_around(middle, width, height)])

    def take_beside(
        self, x: float, y: float, width: float, height: float, distances: list[float]
    ) -> Point | None:
        """Take a free box beside a point, as near as possible, and return its middle."""
        for distance in distances:
            for right, up in DIRECTIONS:
                middle = (
                    x + right * (distance + width / 2.0),
                    y + up * (distance + height / 2.0),
                )
                if self._is_free(_box_around(middle, width, height)):
                    self.take(middle, width, height)
                    return middle
        return None

    def _is_free(self, box: Array) -> bool:
        left, bottom, right, top = box
        if left < 0.0 or bottom < 0.0 or right > self.width or top > self.height:
            return False
        taken = self.taken
        overlaps_x = (taken[:, 0] < right) & (taken[:, 2] > left)
        overlaps_y = (taken[:, 1] < top) & (taken[:, 3] > bottom)
        return not bool((overlaps_x & overlaps_y).any())


def _box_around(middle: Point, width: float, height: float) -> Array:
    return np.array([-width, -height, width, height]) / 2.0 + (*middle, *middle)
