"""The tree as a figure: levels are columns from left to right, leaves are rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.plots.blocks import Blocks, NameBlocks, PictureBlocks
from rbhmc.plots.branches import draw_branch
from rbhmc.plots.canvas import INCH, checked_axes, new_figure, size_of
from rbhmc.plots.checks import checked_images, checked_shares, checked_tree
from rbhmc.plots.fold import Shown
from rbhmc.plots.palette import FAINT, ink_on, node_colors
from rbhmc.plots.plan import LABEL, PILL, Plan, percent, planned, sign
from rbhmc.plots.words import QUIET, Type
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.text import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rbhmc.estimator import RBHMC

HEAD = Type(8.0)
PLAIN = 1.4  # width of a branch of unknown support
THIN, THICK = 0.6, 3.8  # of supports 0 and 1


def plot_tree(
    tree: "Hierarchy | RBHMC",
    *,
    support: Mapping[str, float] | None = None,
    images: ArrayLike | None = None,
    max_items: int = 12,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a tree with its levels as columns, the root at the left and the items at the right.

    Each node has a sign with its id, in its colour of `palette.node_colors`; an inner one says
    how many items it has. Where the axes that are given are too small, names are written smaller
    and fewer of them, and then nodes with few items are folded into one row.

    Parameters
    ----------
    tree : Tree, RBHMC or BHMC
        A tree, or a fitted model, whose selected tree is drawn.
    support : mapping of str to float, optional
        How sure each node is, from 0 to 1, by id: the width of its branch, and written at it.
        What the nodes themselves say where absent.
    images : array of shape (n_items, height, width) or (n_items, height, width, 3), optional
        Pictures of the items, which are shown in place of their names.
    max_items : int
        How many items of a leaf are shown; how many more there are follows.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of suitable size where absent.

    Returns
    -------
    matplotlib.axes.Axes
        In points, counted from the left upper corner.

    Raises
    ------
    InvalidInput
        Where support names other nodes, or images are not one for each item.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
    >>> ax = plot_tree(tree, support={"1": 0.9}, ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.texts]
    ['level 1', '3 items', '90%', '1', 'ant, bee', '2', 'cat']
    """
    tree = checked_tree(tree)
    shares = checked_shares(tree, support)
    if not isinstance(max_items, int | np.integer) or max_items < 1:
        raise InvalidInput(f"max_items is {max_items!r}; it must be a whole number, at least 1")
    blocks: Blocks = NameBlocks(tree.names)
    if images is not None:
        blocks = PictureBlocks(checked_images(images, tree.n_items))
    room = None if ax is None else size_of(checked_axes(ax))
    plan = planned(tree, shares, blocks, int(max_items), room)
    if ax is None:
        figure = new_figure(plan.width / INCH, plan.height / INCH, layout="none")
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    colors = {each.node.id: FAINT for each in plan.shown} | node_colors(tree)
    pen = _Pen(ax, plan, colors, shares)
    pen.levels()
    for each in plan.shown:
        if each.node.parent is not None:
            pen.branch(each)
        pen.sign(each)
        if not each.children:
            pen.row(each)
    ax.set(xlim=(0.0, plan.width), ylim=(plan.height, 0.0), aspect="auto")
    ax.set_axis_off()
    return ax


@dataclass(frozen=True)
class _Pen:
    """Draws the parts of a tree where the plan says."""

    ax: "Axes"
    plan: Plan
    colors: Mapping[str, str]
    shares: Mapping[str, float]

    def levels(self) -> None:
        """Write the number of each level above its column, without a word where that is narrow."""
        used = 0.0
        for level, column in self.plan.columns.items():
            middle = (column.sign + column.after) / 2.0
            for words in (f"level {level}", str(level)) if level else ():
                half = HEAD.width(words) / 2.0
                if middle - half > used:
                    HEAD.write(self.ax, middle, 12.0, words, ha="center", alpha=QUIET)
                    used = middle + half + 4.0
                    break

    def branch(self, each: Shown) -> None:
        """Draw the way from the parent: a turn just after it, then straight to the node."""
        node, plan = each.node, self.plan
        above = plan.by_id[str(node.parent)].node
        turn = plan.columns[min(level for level in plan.columns if level > above.level)]
        start, end = plan.middle[above.id], plan.middle[node.id]
        stop = plan.columns[node.level].sign
        share = self.shares.get(node.id)
        if share is not None and plan.detail.support:
            self.write(stop - 4.0, end, percent(share), ha="right", alpha=QUIET)
            stop -= LABEL.width(percent(share)) + 6.0
        draw_branch(
            self.ax,
            (plan.out(above), start),
            (turn.curve, turn.straight),
            (stop, end),
            color=self.colors[node.id],
            width=PLAIN if share is None else THIN + (THICK - THIN) * share,
        )

    def sign(self, each: Shown) -> None:
        """Draw the sign of a node with its id, and the number of items after it."""
        node, plan = each.node, self.plan
        column, y, color = plan.columns[node.level], plan.middle[node.id], self.colors[node.id]
        width = column.after - column.sign
        height = PILL if plan.detail.ids else width
        self.ax.add_patch(
            require("matplotlib.patches", "plots").FancyBboxPatch(
                (column.sign, y - height / 2.0),
                width,
                height,
                boxstyle=f"round,pad=0,rounding_size={min(width, height) / 2.0 - 0.01}",
                facecolor=color,
                edgecolor="none",
                clip_on=False,
                zorder=3,
            )
        )
        if plan.detail.ids:
            middle = (column.sign + column.after) / 2.0
            self.write(middle, y, sign(node), ha="center", color=ink_on(color), zorder=4)
        if plan.detail.sizes and each.children and node.parent is not None:
            self.write(column.after + 3.0, y, count(node.size), alpha=QUIET)

    def row(self, each: Shown) -> None:
        """Lead from a leaf to its items, and show them."""
        id, plan = each.node.id, self.plan
        top, bottom = plan.rows[id]
        block, middle, left = plan.blocks[id], plan.middle[id], plan.names_at
        start = plan.columns[each.node.level].after
        self.ax.plot([start, left - 5.0], [middle, middle], color=FAINT, linewidth=0.8, zorder=0)
        self.ax.plot(
            [left - 5.0] * 2,
            [top, bottom],
            color=self.colors[id],
            linewidth=2.5,
            solid_capstyle="butt",
        )
        block.draw(self.ax, left, middle - block.height / 2.0)

    def write(self, x: float, y: float, text: str, **settings: Any) -> None:
        """Write a label."""
        LABEL.write(self.ax, x, y, text, **settings)
