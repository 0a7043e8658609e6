"""The tree as a figure: levels are columns from left to right, leaves are rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._checks import check_share
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc._text import pluralize
from rbhmc.plots.background import Background
from rbhmc.plots.collapse import DrawnNode, hide_unsupported
from rbhmc.plots.inputs import check_axes, check_tree, new_page, page_size
from rbhmc.plots.leaf_contents import ContentStyle, Names, Pictures
from rbhmc.plots.palette import text_color_on
from rbhmc.plots.text_style import MUTED, TextStyle, text_color
from rbhmc.plots.tree_layout import (
    BADGE_HEIGHT,
    LABEL,
    SIZE_GAP,
    SUPPORT_BELOW,
    TreeLayout,
    badge_text,
    lay_out_tree,
    percent,
    zoom_layout,
)
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rbhmc.estimator import RBHMC

HEADING = TextStyle(8.0)
HEADING_GAP = 4.0  # points, between the headings of two levels
UNKNOWN_SUPPORT_WIDTH = 1.4  # points: the width of a branch without support
MIN_WIDTH, MAX_WIDTH = 0.6, 3.8  # at supports 0 and 1
OPAQUE_SUPPORT, LEAST_OPACITY = 0.5, 0.3  # nodes with less support are paler
OUTLINE_WIDTH, OUTLINE_GAP = 1.0, 0.8  # points, around the badge of a cluster
OUTLINE_LEGEND = "outlined: cluster"

Point = tuple[float, float]


def plot_tree(
    tree: "Hierarchy | RBHMC",
    *,
    images: ArrayLike | None = None,
    max_items: int = 12,
    min_support: float = 0.0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a tree with its levels as columns, the root at the left and the items at the right.

    Each node has a badge with its id, in its colour of `node_colors`; an inner node also has its
    number of items. The support of a node is the width of its branch, and is written before its
    badge or below it; a node with a support below one half is paler. If the clusters are not simply
    the leaves, their badges are outlined; a remainder has a grey badge. If items have no names,
    nodes show what sets them apart from their siblings, see `Tree.describe`: leaves always, and
    inner nodes down to the level for which there is room. On small axes less is written, in a
    smaller size, and then small nodes share a row; large axes are filled by larger letters.

    Parameters
    ----------
    tree : Tree, RBHMC or BHMC
        A tree, or a fitted model, whose presented tree is drawn.
    images : array of shape (n_items, height, width) or (n_items, height, width, 3), optional
        Pictures of the items, shown instead of their names: bytes or numbers from 0 to 1. Grey
        pictures in another range are stretched to black and white.
    max_items : int
        The number of items of a leaf that are shown; the number of the others follows.
    min_support : float
        From 0 to 1. A node with less support is not drawn: its children and its items pass to the
        node above it. Clusters are always drawn.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    matplotlib.axes.Axes
        Coordinates are points from the upper left corner, enlarged like the letters.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
    >>> ax = plot_tree(tree.with_support({"1": 0.9}), ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.texts]
    ['level 1', '3 items', '90%', '1', 'ant, bee', '2', 'cat']
    """
    tree = check_tree(tree)
    if not isinstance(max_items, int | np.integer) or max_items < 1:
        raise InvalidInput(f"max_items is {max_items!r}; it must be a whole number, at least 1")
    shown = hide_unsupported(tree, check_share(min_support, "min_support"))
    style: ContentStyle = Names(tree) if images is None else Pictures(images, tree.n_items)
    if ax is None:
        layout, zoom = lay_out_tree(shown, style, int(max_items), None), 1.0
        ax = new_page(layout.width, layout.height)
    else:
        layout, zoom = zoom_layout(shown, style, int(max_items), page_size(check_axes(ax)))
    earlier = set(ax.get_children())
    background = Background(ax, axes=False)
    known, guide = background.node_colors(tree), background.guide
    colors = {
        drawn.node.id: guide if drawn.node.is_remainder else known.get(drawn.node.id, guide)
        for drawn in layout.nodes
    }
    artist = _TreeArtist(ax, tree, layout, style, background, colors)
    artist.draw_headings()
    for drawn in layout.nodes:
        if drawn.node.parent is not None:
            artist.draw_branch_to(drawn)
        artist.draw_badge(drawn)
        if not drawn.children:
            artist.draw_contents(drawn)
    _enlarge([each for each in ax.get_children() if each not in earlier], zoom)
    ax.set(xlim=(0.0, layout.width), ylim=(layout.height, 0.0), aspect="auto")
    ax.set_axis_off()
    return ax


def _enlarge(drawn: list[Any], zoom: float) -> None:
    """Enlarge the letters and lines of what was drawn, whose places are enlarged by the axes."""
    if zoom == 1.0:
        return
    for artist in drawn:
        if hasattr(artist, "set_fontsize"):
            artist.set_fontsize(zoom * artist.get_fontsize())
        elif hasattr(artist, "set_linewidth"):
            artist.set_linewidth(zoom * artist.get_linewidth())


@dataclass(frozen=True)
class _TreeArtist:
    """Draws the parts of a tree where the layout puts them."""

    ax: "Axes"
    tree: Hierarchy
    layout: TreeLayout
    style: ContentStyle
    background: Background
    colors: Mapping[str, str]

    def draw_headings(self) -> None:
        """Write "level 1" above each column, or only its number; explain the outline."""
        middles = {
            level: (column.badge_left + column.badge_right) / 2.0
            for level, column in self.layout.columns.items()
            if level
        }
        texts = [f"level {level}" for level in middles]
        halves = np.array([HEADING.width(text) / 2.0 for text in texts])
        gaps = np.diff(list(middles.values())) - halves[:-1] - halves[1:]
        if (gaps < HEADING_GAP).any():
            texts = [str(level) for level in middles]
        used = 0.0
        for middle, text in zip(middles.values(), texts, strict=True):
            half = HEADING.width(text) / 2.0
            if middle - half > used:
                HEADING.write(self.ax, middle, 12.0, text, ha="center", alpha=MUTED)
                used = middle + half + HEADING_GAP
        left = max(used + HEADING_GAP, self.layout.contents_left)
        room = self.layout.width - left
        if not self.tree.clusters_are_leaves and HEADING.width(OUTLINE_LEGEND) < room:
            HEADING.write(self.ax, left, 12.0, OUTLINE_LEGEND, alpha=MUTED)

    def draw_branch_to(self, drawn: DrawnNode) -> None:
        """Draw the branch from the parent, with the support before the badge or below it."""
        node, layout = drawn.node, self.layout
        parent = self.tree.node(str(node.parent))
        turn = layout.column_after(parent)
        y = layout.heights[node.id]
        right = layout.columns[node.level].badge_left
        share = node.support
        if share is not None and layout.detail.support:
            self.write(right - 4.0, y, percent(share), ha="right", alpha=MUTED)
            right -= LABEL.width(percent(share)) + 6.0
        elif share is not None and layout.has_supports_below:
            middle = (right + layout.columns[node.level].badge_right) / 2.0
            below = y + (BADGE_HEIGHT + SUPPORT_BELOW) / 2.0
            self.write(middle, below, percent(share), ha="center", alpha=MUTED)
        draw_branch(
            self.ax,
            (turn.turn_start, layout.heights[parent.id]),
            (turn.turn_start, turn.turn_end),
            (right, y),
            color=self.colors[node.id],
            alpha=opacity(share),
            width=branch_width(share),
        )

    def draw_badge(self, drawn: DrawnNode) -> None:
        """Draw the badge of a node with its id, and its number of items after it."""
        node, layout = drawn.node, self.layout
        column, y = layout.columns[node.level], layout.heights[node.id]
        color = self.background.fade(self.colors[node.id], opacity(node.support))
        is_outlined = node.is_cluster and not self.tree.clusters_are_leaves
        width = column.badge_right - column.badge_left
        height = BADGE_HEIGHT if layout.detail.ids else width
        # Beyond a gap, since a line in the colour of the text cannot be seen beside a dark badge.
        outline = require("matplotlib.patheffects", "plots").withStroke(
            linewidth=2.0 * (OUTLINE_GAP + OUTLINE_WIDTH), foreground=text_color()
        )
        self.ax.add_patch(
            require("matplotlib.patches", "plots").FancyBboxPatch(
                (column.badge_left, y - height / 2.0),
                width,
                height,
                boxstyle=f"round,pad=0,rounding_size={min(width, height) / 2.0 - 0.01}",
                facecolor=color,
                edgecolor=self.background.color if is_outlined else "none",
                linewidth=2.0 * OUTLINE_GAP,
                path_effects=[outline] if is_outlined else None,
                clip_on=False,
                zorder=3,
            )
        )
        if layout.detail.ids:
            middle = (column.badge_left + column.badge_right) / 2.0
            ink = text_color_on(color)
            self.write(middle, y, badge_text(node), ha="center", color=ink, zorder=4)
        if drawn.children:
            self.ax.plot(
                [layout.branches_left(node), layout.column_after(node).turn_start],
                [y, y],
                color=self.colors[node.id],
                alpha=opacity(node.support),
                linewidth=branch_width(node.support),
                solid_capstyle="butt",
                clip_on=False,
            )
        if layout.detail.sizes and drawn.children and node.parent is not None:
            self.write(column.badge_right + SIZE_GAP, y, pluralize(node.size, "item"), alpha=MUTED)
            if node.level <= layout.detail.mentions and node.id in self.style.mentions:
                text = self.style.mentions[node.id]
                below = y + BADGE_HEIGHT / 2.0 + self.style.label.height(text) / 2.0 + 1.0
                self.style.label.write(self.ax, column.badge_left, below, text, alpha=MUTED)

    def draw_contents(self, drawn: DrawnNode) -> None:
        """Draw a line from a row's badge to its items, a bar in its colour, and the items."""
        id, layout = drawn.node.id, self.layout
        top, bottom = layout.rows[id]
        content, middle, left = layout.contents[id], layout.heights[id], layout.contents_left
        start = layout.columns[drawn.node.level].badge_right
        guide = self.background.guide
        self.ax.plot([start, left - 5.0], [middle, middle], color=guide, linewidth=0.8, zorder=0)
        self.ax.plot(
            [left - 5.0] * 2,
            [top, bottom],
            color=self.colors[id],
            linewidth=2.5,
            solid_capstyle="butt",
        )
        content.draw(self.ax, left, middle - content.height / 2.0)

    def write(self, x: float, y: float, text: str, **settings: Any) -> None:
        """Write a label."""
        LABEL.write(self.ax, x, y, text, **settings)


def opacity(support: float | None) -> float:
    """Return the opacity of a node: less than 1 if its support is known and below one half.

    Examples
    --------
    >>> opacity(0.9), opacity(None), opacity(0.0)
    (1.0, 1.0, 0.3)
    """
    if support is None or support >= OPAQUE_SUPPORT:
        return 1.0
    return LEAST_OPACITY + (1.0 - LEAST_OPACITY) * support / OPAQUE_SUPPORT


def branch_width(support: float | None) -> float:
    """Return the width of the branch to a node, in points."""
    if support is None:
        return UNKNOWN_SUPPORT_WIDTH
    return MIN_WIDTH + (MAX_WIDTH - MIN_WIDTH) * support


def draw_branch(
    ax: "Axes",
    start: Point,
    turn: Point,
    end: Point,
    *,
    color: str,
    width: float,
    alpha: float = 1.0,
) -> None:
    """Draw a branch between two points (x, y), which curves between the two x of `turn`."""
    path = require("matplotlib.path", "plots").Path
    first, last = turn
    half = (first + last) / 2.0
    points = [start, (first, start[1]), (half, start[1]), (half, end[1]), (last, end[1]), end]
    codes = [path.MOVETO, path.LINETO, path.CURVE4, path.CURVE4, path.CURVE4, path.LINETO]
    ax.add_patch(
        require("matplotlib.patches", "plots").PathPatch(
            path(points, codes),
            fill=False,
            edgecolor=color,
            alpha=alpha,
            linewidth=width,
            capstyle="butt",
            clip_on=False,
        )
    )
