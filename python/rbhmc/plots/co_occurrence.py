"""The co-occurrence of items: a heat map in the order of the tree, beside the tree.

An item has width and height 1; the map starts at 0, and the tree is left of it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._checks import check_numbers
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.metrics import co_occurrence
from rbhmc.plots.background import Background
from rbhmc.plots.collapse import collapse
from rbhmc.plots.inputs import (
    Array,
    check_axes,
    check_tree,
    choose_level,
    is_model,
    new_page,
    page_size,
)
from rbhmc.plots.text_style import MUTED, SMALLEST_SIZE, TextStyle
from rbhmc.plots.tree import draw_branch
from rbhmc.plots.tree_layout import node_heights
from rbhmc.posterior.similarity import similarity
from rbhmc.tree.description import Description, describe_nodes
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.image import AxesImage

    from rbhmc.estimator import RBHMC

TREE_WIDTH = 0.3  # in widths of the map
SHARE_LABEL = "share of draws together"
SIMILARITY_LABEL = "similarity of two items"
MAX_MAP_ITEMS = 5_000  # a map of more items, whose matrix would take 200 MB, shows a sample

# Lengths in points.
MAX_NAMED_ITEMS = 60
ROW_HEIGHT, MIN_ROW_HEIGHT = 9.5, 7.6  # of an item with a name
MAX_NAME = 90.0
BAR_HEIGHT, PADDING, ID_WIDTH = 40.0, 5.0, 30.0
MIN_BAR_WIDTH = 150.0  # of the colour bar with its label
NOTE = TextStyle(8.0)


def plot_co_occurrence(
    source: "RBHMC | ArrayLike",
    tree: Hierarchy | None = None,
    *,
    level: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a co-occurrence matrix with its items in the order of a tree, which is left of it.

    Of more than 5,000 items every k-th in the order of the tree is shown, which a note says.

    Parameters
    ----------
    source : RBHMC, BHMC, or array of shape (n_items, n_items)
        A fitted model, or shares from 0 to 1 as `rbhmc.metrics.co_occurrence` returns them.
    tree : Tree, optional
        A tree of the same items; by default, the presented tree of the model.
    level : int, optional
        The level of the tree whose nodes are framed; -1 is the last. By default the clusters are,
        or level 1 if these are the leaves. See `model_shares` for the matrix of a model.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    matplotlib.axes.Axes
        Up to 60 items have names if these fit; otherwise nodes have their ids, and in wide axes
        what sets them apart, see `Tree.describe`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [1], [1]], names=["ant", "bee", "cat"])
    >>> matrix = [[1.0, 0.1, 0.0], [0.1, 1.0, 0.9], [0.0, 0.9, 1.0]]
    >>> ax = plot_co_occurrence(matrix, tree, level=1, ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.texts]
    ['bee', 'bee', 'cat', 'cat', 'ant', 'ant', 'level 1']
    """
    tree = check_tree(source if is_model(source) and tree is None else tree)
    level, nodes, title = choose_level(level, tree)
    items = sample_items(tree)
    if is_model(source):
        shares = model_shares(source, level, items)
    else:
        shares = _check_matrix(source, tree.n_items)[np.ix_(items, items)]
    note = ""
    if len(items) < tree.n_items:
        note = f"a sample of {len(items):,} of {tree.n_items:,} items"
    layout = _MapLayout(tree, None if ax is None else page_size(check_axes(ax)), note)
    if ax is None:
        ax = new_page(layout.width, layout.height)
    image = draw_heat_map(ax, shares, tree, nodes)
    draw_tree_beside(ax, tree)
    layout.set_limits(ax)
    if layout.has_names:
        layout.write_names(ax)
    else:
        layout.write_ids(ax, nodes)
    TextStyle(10.0).write(ax, *layout.title_position, title, va="bottom")
    if layout.side >= MIN_BAR_WIDTH:
        is_similarity = is_model(source) and hasattr(source, "dendrogram_")
        layout.draw_color_bar(ax, image, SIMILARITY_LABEL if is_similarity else SHARE_LABEL)
    return ax


def sample_items(tree: Hierarchy, max_items: int | None = None) -> NDArray[np.intp]:
    """Return the items in the order of the tree: all, or every k-th if there are too many.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> sample_items(Tree.from_labels([[0], [1], [0], [1], [0]]), max_items=2)
    array([0, 4])
    """
    most = MAX_MAP_ITEMS if max_items is None else max_items
    order = tree.item_order
    if len(order) <= most:
        return order
    return order[np.arange(most) * len(order) // most]


def model_shares(model: "RBHMC", level: int, items: NDArray[np.intp]) -> Array:
    """Return the co-occurrence of some items of a fitted model.

    If the tree of the model is one of its draws, it is the co-occurrence at the level. The levels
    of a consensus tree (of a model with a ``dendrogram_``) are not those of the draws; then it is
    the similarity from which the tree was made, see `rbhmc.posterior.similarity`.

    Parameters
    ----------
    model : RBHMC or BHMC
    level : int
        A level of the tree.
    items : array of int
        The items, in the order of the result.
    """
    draws = model.draws_
    if hasattr(model, "dendrogram_"):
        ordered = np.sort(items)
        found = similarity(draws, ordered)
        places = np.searchsorted(ordered, items)
        return found.all[np.ix_(places, places)] / found.n_all
    if len(items) < draws.n_items:
        return co_occurrence(draws.paths[:, :, items], level)
    return co_occurrence(draws, level)[np.ix_(items, items)]


def _check_matrix(matrix: ArrayLike, n_items: int) -> Array:
    shares = check_numbers(matrix, "matrix", (n_items, n_items))
    if shares.min() < -1e-9 or shares.max() > 1.0 + 1e-9:
        raise InvalidInput(
            f"matrix goes from {shares.min():.4g} to {shares.max():.4g}; it must hold shares of "
            "draws, from 0 to 1"
        )
    return shares


def draw_heat_map(ax: "Axes", shares: Array, tree: Hierarchy, nodes: Sequence[Node]) -> "AxesImage":
    """Draw the map of items in the order of the tree, and frames around nodes."""
    n, background = tree.n_items, Background(ax)
    colors = background.node_colors(tree)
    shades = make_color_map(background.shades)
    image = ax.imshow(shares, extent=(0, n, n, 0), cmap=shades, vmin=0.0, vmax=1.0)
    _draw_frame(ax, 0.0, n, background.neutral, 0.6)
    for id, (start, end) in node_spans(nodes).items():
        _draw_frame(ax, start, end, colors[id], 1.6)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    return image


def make_color_map(shades: Sequence[str]) -> "Colormap":
    """Return a colour map through shades at equal distances."""
    colors = require("matplotlib.colors", "plots")
    found: Colormap = colors.LinearSegmentedColormap.from_list("", shades)
    return found


def _draw_frame(ax: "Axes", start: float, end: float, color: str, width: float) -> None:
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
    """Draw the branches of a tree left of the map, and a bar along the items of each leaf."""
    spans = node_spans(tree.leaves)
    heights = node_heights(collapse(tree.nodes), spans)
    colors = Background(ax).node_colors(tree)
    levels = sorted({node.level for node in tree.nodes})
    width = TREE_WIDTH * tree.n_items
    step = 0.9 * width / len(levels)
    x_of_level = {level: number * step - 0.97 * width for number, level in enumerate(levels)}
    for node in tree.nodes:
        color = colors[node.id]
        if node.parent is not None:
            start = x_of_level[tree.node(node.parent).level]
            end = -0.05 * width if node.is_leaf else x_of_level[node.level]
            draw_branch(
                ax,
                (start, heights[node.parent]),
                (start, start + 0.9 * step),
                (end, heights[node.id]),
                color=color,
                width=1.2,
            )
        if node.is_leaf:
            first, last = spans[node.id]
            ax.plot(
                [-0.035 * width] * 2,
                [first + 0.1, last - 0.1],
                color=color,
                linewidth=2.5,
                solid_capstyle="butt",
                clip_on=False,
            )


def node_spans(nodes: Sequence[Node]) -> dict[str, tuple[float, float]]:
    """Return the range of items of nodes that partition the items, in the order of the tree."""
    ends = np.cumsum([node.size for node in nodes], dtype=np.float64).tolist()
    return {
        node.id: (start, end)
        for node, start, end in zip(nodes, [0.0, *ends[:-1]], ends, strict=True)
    }


class _MapLayout:
    """The map and its texts inside the axes, on a page of a given or a suitable size, in points."""

    def __init__(self, tree: Hierarchy, size: tuple[float, float] | None, note: str) -> None:
        self.tree, self.note = tree, note
        few = tree.has_names and tree.n_items <= MAX_NAMED_ITEMS
        self.style = TextStyle(SMALLEST_SIZE, tree.names if few else ())
        max_name = MAX_NAME if size is None else min(MAX_NAME, 0.2 * min(size))
        names = [tree.names[item] or '""' for item in tree.item_order] if few else []
        self.names = [self.style.shorten(name, max_name) for name in names]
        widest = max((self.style.width(name) for name in self.names), default=0.0)
        self.has_names = few
        self.reserve(widest, NOTE.height(note) if note else widest)
        if size is None:
            self.side = max(220.0, tree.n_items * ROW_HEIGHT) if few else 400.0
            self.width = self.side * (1.0 + TREE_WIDTH) + self.beside + PADDING
            self.height = self.side + BAR_HEIGHT + self.below
            return
        self.width, self.height = size
        self.set_side()
        if few and self.side / tree.n_items < MIN_ROW_HEIGHT:
            self.has_names = False
            self.reserve(ID_WIDTH, 0.0)
            self.set_side()

    def reserve(self, beside: float, below: float) -> None:
        """Reserve room for texts at the right of the map and below it."""
        self.beside = max(beside, ID_WIDTH) + 2.0 * PADDING
        self.below = below + 2.0 * PADDING

    def set_side(self) -> None:
        """Make the map as large as the page allows."""
        across = (self.width - self.beside - PADDING) / (1.0 + TREE_WIDTH)
        self.side = max(1.0, min(across, self.height - BAR_HEIGHT - self.below))

    @property
    def point(self) -> float:
        """The length of a point, in items."""
        return self.tree.n_items / self.side

    @property
    def left(self) -> float:
        """The distance from the left edge of the page to the map."""
        return PADDING + TREE_WIDTH * self.side

    @property
    def title_position(self) -> tuple[float, float]:
        """The lower left corner of the title, in items: above the tree."""
        return (PADDING - self.left) * self.point, -8.0 * self.point

    def set_limits(self, ax: "Axes") -> None:
        """Set the limits of the axes such that the map is in its place."""
        right, bottom = self.width - self.left, self.height - BAR_HEIGHT
        ax.set(
            xlim=(-self.left * self.point, right * self.point),
            ylim=(bottom * self.point, -BAR_HEIGHT * self.point),
            aspect="equal",  # the map stays square if the axes change their size later
        )

    def write_names(self, ax: "Axes") -> None:
        """Write the names of the items at the right of the map and below it."""
        end = self.tree.n_items + PADDING * self.point
        for number, name in enumerate(self.names):
            self.style.write(ax, end, number + 0.5, name)
            self.style.write(ax, number + 0.5, end, name, rotation=90, ha="center", va="top")

    def write_ids(self, ax: "Axes", nodes: Sequence[Node]) -> None:
        """Write ids at the right of the map, with descriptions that fit, and the note."""
        if self.note:
            y = self.tree.n_items + PADDING * self.point
            NOTE.write(ax, 0.0, y, self.note, va="top", alpha=MUTED)
        x = self.tree.n_items + PADDING * self.point
        written: list[float] = []
        spans = node_spans(nodes)
        described = describe_nodes(self.tree)
        indent = max(map(self.style.width, spans)) + PADDING
        room = self.width - self.left - self.side - indent - 2.0 * PADDING
        for id in sorted(spans, key=lambda id: spans[id][0] - spans[id][1]):
            y = sum(spans[id]) / 2.0
            if all(abs(y - other) >= MIN_ROW_HEIGHT * self.point for other in written):
                self.style.write(ax, x, y, id)
                written.append(y)
                if text := self.fit_description(described[id], room):
                    self.style.write(ax, x + indent * self.point, y, text, alpha=MUTED)

    def fit_description(self, described: Description, room: float) -> str:
        """Return the number of items of a node with the first feature that fits beside it."""
        count = described.count
        texts = [*(f"{count}: {mention}" for mention in described.mentions), count]
        return next((text for text in texts if self.style.width(text) <= room), "")

    def draw_color_bar(self, ax: "Axes", image: "AxesImage", label: str) -> None:
        """Draw the colour bar above the map, since texts are on the other sides."""
        left, bottom = self.left / self.width, 1.0 - (BAR_HEIGHT - 8.0) / self.height
        strip = ax.inset_axes((left, bottom, self.side / self.width, 6.0 / self.height))
        bar = ax.figure.colorbar(image, cax=strip, orientation="horizontal", ticks=[0.0, 0.5, 1.0])
        bar.outline.set_linewidth(0.5)
        strip.tick_params(
            labelsize=SMALLEST_SIZE,
            length=2,
            pad=1,
            top=True,
            labeltop=True,
            bottom=False,
            labelbottom=False,
        )
        strip.set_title(label, size=SMALLEST_SIZE, pad=5)
