"""Lay out a tree on a page: sizes are chosen such that everything fits and nothing overlaps.

A level is a column, and a leaf is a row. All lengths are points; y grows from the top down.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rbhmc._text import pluralize
from rbhmc.plots.collapse import REST, DrawnNode, collapse
from rbhmc.plots.leaf_contents import Content, ContentStyle
from rbhmc.plots.text_style import SMALLEST_SIZE, TextStyle
from rbhmc.tree.node import Node

LABEL = TextStyle(SMALLEST_SIZE)
MARGIN = 6.0
HEADER = 16.0
BADGE_HEIGHT = 11.0
SIZE_GAP = 4.5  # between a badge, which may have an outline, and its number of items
SUPPORT_BELOW = 9.5  # height of a support below a badge
DOT = 5.0  # width and height of a badge without text
ROW_GAP = 4.0  # between rows, and again between branches of the root
BEFORE_CONTENTS = 10.0
MAX_SPACED_ROWS = 40  # up to this number, rows of a new figure have extra space between them
MAX_WIDTH, MAX_HEIGHT = 850.0, 5400.0  # of a new figure
MAX_MENTION_LEVELS = 4  # deeper nodes are not described
ZOOMS = (1.6, 1.5, 1.4, 1.3, 1.2, 1.1)  # of a page with room to spare
MAX_NODES_SHARE = 0.65  # of the width for the nodes; the rest is for the contents of leaves


class Detail(NamedTuple):
    """The texts that are written at nodes: fewer if there is less room.

    What sets inner nodes apart is written down to the level `mentions`.
    """

    mentions: int
    sizes: bool
    support: bool
    ids: bool


# From the most to the least, with the width in which branches turn.
DETAILS = (
    *((Detail(level, True, True, True), 24.0) for level in range(MAX_MENTION_LEVELS, -1, -1)),
    (Detail(0, False, True, True), 24.0),
    (Detail(0, False, True, True), 14.0),
    (Detail(0, False, False, True), 14.0),
    (Detail(0, False, False, False), 14.0),
)


class Column(NamedTuple):
    """The x coordinates of a level: its branches turn, then run straight to the badges."""

    turn_start: float
    turn_end: float
    badge_left: float
    badge_right: float


@dataclass(frozen=True)
class TreeLayout:
    """The page, and where everything is on it."""

    width: float
    height: float
    nodes: list[DrawnNode]
    detail: Detail
    columns: dict[int, Column]  # by level
    heights: dict[str, float]  # y of each node, by id
    rows: dict[str, tuple[float, float]]  # start and end of each row, by id
    contents: dict[str, Content]  # of each row, by id
    contents_left: float

    @property
    def shown(self) -> object:
        """What is written and drawn, wherever it is."""
        return self.detail, len(self.nodes), [content.shown for content in self.contents.values()]

    def column_after(self, node: Node) -> Column:
        """Return the column in which the branches to the children of a node turn."""
        return self.columns[min(level for level in self.columns if level > node.level)]

    @cached_property
    def has_supports_below(self) -> bool:
        """Whether supports are written below badges: rows leave room for them, but columns not."""
        if self.detail.support or not self.detail.ids:
            return False
        bottoms: dict[int, float] = {}  # of the last badge or support in each column
        for node, _, _ in self.nodes:
            y = self.heights[node.id]
            if y - BADGE_HEIGHT / 2.0 < bottoms.get(node.level, 0.0):
                return False
            below = 0.0 if node.support is None else SUPPORT_BELOW
            bottoms[node.level] = y + BADGE_HEIGHT / 2.0 + below
        return max(bottoms.values()) <= self.height

    def branches_left(self, node: Node) -> float:
        """Return the x at which the branches to the children of a node start."""
        right = self.columns[node.level].badge_right
        if not self.detail.sizes or node.parent is None:
            return right
        return right + LABEL.width(pluralize(node.size, "item")) + SIZE_GAP + 2.0


def percent(share: float) -> str:
    """Write a share in percent; only 0 and 1 themselves are written as 0% and 100%.

    Examples
    --------
    >>> percent(0.934), percent(0.999), percent(1.0), percent(0.001)
    ('93%', '>99%', '100%', '<1%')
    """
    if 0.995 <= share < 1.0:
        return ">99%"
    if 0.0 < share < 0.005:
        return "<1%"
    return f"{100.0 * share:.0f}%"


def badge_text(node: Node) -> str:
    """Return the text on the badge of a node; a long id keeps its last ranks."""
    if node.parent is None:
        return pluralize(node.size, "item")
    if node.id.endswith(REST):
        return REST
    if node.is_remainder:
        return "rest"
    return node.id if len(node.id) <= 9 else "…" + node.id[-8:].partition(".")[2]


def node_heights(
    nodes: Sequence[DrawnNode], rows: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Return y of each node: the middle of its row, or between its first and its last child."""
    heights: dict[str, float] = {}
    for node, children, _ in reversed(nodes):
        first, last = (heights[children[0]], heights[children[-1]]) if children else rows[node.id]
        heights[node.id] = (first + last) / 2.0
    return heights


def lay_out_tree(
    shown: Sequence[Node], style: ContentStyle, max_items: int, size: tuple[float, float] | None
) -> TreeLayout:
    """Lay out nodes of a tree on a page of a given width and height, or of a suitable size."""
    width, height = size or (MAX_WIDTH, MAX_HEIGHT)
    available = height - HEADER - 2.0 * MARGIN

    def make_draft(max_rows: int | None) -> _Draft:
        nodes = collapse(shown, max_rows)
        detail, columns, contents_left = _fit_columns(nodes, style, width)
        contents_width = width - contents_left - MARGIN
        if size is None:
            contents_width = min(contents_width, style.max_width)
        return _Draft(nodes, detail, columns, contents_left, contents_width)

    draft = make_draft(None)
    contents = _fit_contents(draft, style, max_items, available)
    if contents is None:
        n_rows = bisect_right(
            range(1, sum(node.is_leaf for node in shown)),
            available,
            key=lambda n: _total_height(make_draft(n).smallest_contents(style)),
        )
        draft = make_draft(max(n_rows, 1))
        # The page may be too small for a single line.
        contents = _fit_contents(draft, style, max_items, available)
        contents = contents or draft.smallest_contents(style)
    used = _total_height(contents)
    if size is None:
        width = draft.contents_left + max(content.width for content in contents.values()) + MARGIN
        height = used + HEADER + 2.0 * MARGIN
        if len(contents) <= MAX_SPACED_ROWS:
            height += ROW_GAP * len(contents)
    spare = max(0.0, height - HEADER - 2.0 * MARGIN - used)
    rows = _place_rows(contents, spare / len(contents))
    return TreeLayout(
        width,
        height,
        draft.nodes,
        draft.detail,
        draft.columns,
        node_heights(draft.nodes, rows),
        rows,
        contents,
        draft.contents_left,
    )


def zoom_layout(
    shown: Sequence[Node], style: ContentStyle, max_items: int, size: tuple[float, float]
) -> tuple[TreeLayout, float]:
    """Lay out nodes on a page; return also how much larger all of it can be drawn.

    A page with room to spare is laid out as a smaller one that shows as much.
    """
    layout = lay_out_tree(shown, style, max_items, size)
    for zoom in ZOOMS:
        smaller = lay_out_tree(shown, style, max_items, (size[0] / zoom, size[1] / zoom))
        if smaller.shown == layout.shown:
            return smaller, zoom
    return layout, 1.0


class _Draft(NamedTuple):
    """A layout before its heights are known."""

    nodes: list[DrawnNode]
    detail: Detail
    columns: dict[int, Column]
    contents_left: float
    contents_width: float

    def make_contents(self, style: ContentStyle, max_items: int, size: int) -> dict[str, Content]:
        """Show up to `max_items` items of each row, from the first row to the last."""
        return {
            drawn.node.id: style.make(drawn, max_items, self.contents_width, size)
            for drawn in self.nodes
            if not drawn.children
        }

    def smallest_contents(self, style: ContentStyle) -> dict[str, Content]:
        """Show one item of each row in the smallest size."""
        return self.make_contents(style, 1, style.n_sizes - 1)


def _fit_columns(
    nodes: list[DrawnNode], style: ContentStyle, width: float
) -> tuple[Detail, dict[int, Column], float]:
    """Write as much at nodes as leaves enough width to the contents of leaves."""
    max_right = MAX_NODES_SHARE * width
    for detail, turn in DETAILS:
        columns, right = _place_columns(nodes, style, detail, turn)
        if right <= max_right:
            break
    else:
        each = (max_right - MARGIN) / len(columns)
        columns, right = _place_columns(nodes, style, detail, max(each - DOT, each / 2.0))
    return detail, columns, right + BEFORE_CONTENTS


def _place_columns(
    nodes: list[DrawnNode], style: ContentStyle, detail: Detail, turn: float
) -> tuple[dict[int, Column], float]:
    columns: dict[int, Column] = {}
    right = MARGIN
    for level in sorted({drawn.node.level for drawn in nodes}):
        here = [drawn for drawn in nodes if drawn.node.level == level]
        turn_start = right
        turn_end = turn_start + (turn if columns else 0.0)
        left = turn_end
        if detail.support and columns:
            known = [drawn.node.support for drawn in here if drawn.node.support is not None]
            left += max((LABEL.width(percent(share)) + 8.0 for share in known), default=0.0)
        text_width = max(LABEL.width(badge_text(drawn.node)) + 8.0 for drawn in here)
        right = left + (max(text_width, BADGE_HEIGHT) if detail.ids else min(DOT, turn))
        columns[level] = Column(turn_start, turn_end, left, right)
        if detail.sizes and len(columns) > 1:
            sizes = [pluralize(drawn.node.size, "item") for drawn in here if drawn.children]
            right += max((LABEL.width(size) + SIZE_GAP + 3.0 for size in sizes), default=0.0)
        if 1 <= level <= detail.mentions:
            mentions = [style.mentions.get(drawn.node.id, "") for drawn in here if drawn.children]
            right = max([right, *(left + style.label.width(text) + 6.0 for text in mentions)])
    return columns, right


def _fit_contents(
    draft: _Draft, style: ContentStyle, max_items: int, available: float
) -> dict[str, Content] | None:
    """Show items as large, and then as many, as fit; None if one item of each row does not."""
    for size in range(style.n_sizes):
        contents = draft.make_contents(style, max_items, size)
        if _total_height(contents) <= available:
            return contents
    n_items = bisect_right(
        range(1, max_items),
        available,
        key=lambda n: _total_height(draft.make_contents(style, n, style.n_sizes - 1)),
    )
    return draft.make_contents(style, n_items, style.n_sizes - 1) if n_items else None


def _total_height(contents: Mapping[str, Content]) -> float:
    return max(end for _, end in _place_rows(contents, 0.0).values()) - MARGIN - HEADER


def _place_rows(contents: Mapping[str, Content], extra: float) -> dict[str, tuple[float, float]]:
    """Return start and end of each row, with extra space around each; branches have gaps."""
    branches = [id.partition(".")[0] for id in contents]
    n_rows = Counter(branches)
    rows: dict[str, tuple[float, float]] = {}
    y = MARGIN + HEADER - ROW_GAP - extra / 2.0
    above = branches[0]
    for (id, content), branch in zip(contents.items(), branches, strict=True):
        has_gap = branch != above and max(n_rows[branch], n_rows[above]) > 1
        y += ROW_GAP + extra + (ROW_GAP if has_gap else 0.0)
        height = max(content.height, BADGE_HEIGHT)
        rows[id] = (y, y + height)
        y += height
        above = branch
    return rows
