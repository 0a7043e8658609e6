"""How a tree is set on a page: sizes chosen such that everything fits and nothing overlaps.

All lengths are points; heights are counted from the top.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rbhmc.plots.blocks import Block, Blocks
from rbhmc.plots.fold import REST, Shown, unfolded
from rbhmc.plots.layout import middles
from rbhmc.plots.words import SMALL, Type
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node
from rbhmc.tree.text import count

LABEL = Type(SMALL)
MARGIN = 6.0
HEADER = 16.0
PILL = 11.0  # height of the sign of a node
DOT = 5.0  # its width and height where there is no room for words
GAP = 4.0  # between rows, and again between branches of the root
BEFORE_NAMES = 10.0
FEW = 40  # rows that have air between them
WIDEST, TALLEST = 850.0, 5400.0  # of a page of our own choice


class Detail(NamedTuple):
    """What is said about nodes: less where there is less room."""

    sizes: bool
    support: bool
    ids: bool


# With the width that branches turn in.
DETAILS = (
    (Detail(True, True, True), 24.0),
    (Detail(False, True, True), 24.0),
    (Detail(False, True, True), 14.0),
    (Detail(False, False, True), 14.0),
    (Detail(False, False, False), 14.0),
)


class Column(NamedTuple):
    """Where the nodes of a level stand."""

    curve: float  # branches from the level above turn between here …
    straight: float  # … and here
    sign: float  # the left side of signs
    after: float  # their right side


@dataclass(frozen=True)
class Plan:
    """Where everything goes."""

    width: float
    height: float
    shown: list[Shown]
    detail: Detail
    columns: dict[int, Column]
    middle: dict[str, float]
    rows: dict[str, tuple[float, float]]
    blocks: dict[str, Block]
    names_at: float

    @cached_property
    def by_id(self) -> dict[str, Shown]:
        """The nodes by id."""
        return {each.node.id: each for each in self.shown}

    def out(self, node: Node) -> float:
        """Where the branches of an inner node start: after the words that follow its sign."""
        after = self.columns[node.level].after
        if not self.detail.sizes or node.parent is None:
            return after
        return after + LABEL.width(count(node.size)) + 5.0


def percent(share: float) -> str:
    """Write a share in percent, never rounded to certainty.

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


def sign(node: Node) -> str:
    """Give the words on a node's sign; a long id keeps its last ranks.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> [sign(node) for node in Tree.from_labels([[0], [0], [1]])]
    ['3 items', '1', '2']
    """
    if node.parent is None:
        return count(node.size)
    if node.id.endswith(REST):
        return REST
    return node.id if len(node.id) <= 9 else "…" + node.id[-8:].partition(".")[2]


def planned(
    tree: Hierarchy,
    shares: Mapping[str, float],
    blocks: Blocks,
    max_items: int,
    room: tuple[float, float] | None,
) -> Plan:
    """Lay a tree out on a page of a given size, or of one that suits it.

    Parameters
    ----------
    tree : Tree
        The tree.
    shares : mapping of str to float
        The support of nodes, by id.
    blocks : Blocks
        How items are shown.
    max_items : int
        How many of a leaf are shown at most.
    room : (float, float), optional
        Width and height of the page.
    """
    width, height = room or (WIDEST, TALLEST)
    tall = height - HEADER - 2.0 * MARGIN

    def drawn(most_rows: int | None) -> _Draft:
        """Set no more than so many rows."""
        shown = unfolded(tree, most_rows)
        detail, columns, names_at = _across(shown, shares, width)
        names_width = width - names_at - MARGIN
        if room is None:
            names_width = min(names_width, blocks.width)
        return _Draft(shown, detail, columns, names_at, names_width)

    draft = drawn(None)
    made = _fitted(draft, blocks, max_items, tall)
    if made is None:
        fits, too_many = 1, len(tree.leaves)
        while too_many - fits > 1:
            tried = (fits + too_many) // 2
            least = drawn(tried).made(blocks, 1, blocks.n_steps - 1)
            fits, too_many = (tried, too_many) if _height(least) <= tall else (fits, tried)
        draft = drawn(fits)
        made = _fitted(draft, blocks, max_items, tall)
    if made is None:  # a page too small for a single line
        made = draft.made(blocks, 1, blocks.n_steps - 1)
    if room is None:
        width = draft.names_at + max(block.width for block in made.values()) + MARGIN
        height = _height(made) + HEADER + 2.0 * MARGIN
        if len(made) <= FEW:
            height += GAP * len(made)
    spare = max(0.0, height - HEADER - 2.0 * MARGIN - _height(made))
    rows = _rows(made, spare / len(made))
    middle = middles(draft.shown, rows)
    return Plan(
        width,
        height,
        draft.shown,
        draft.detail,
        draft.columns,
        middle,
        rows,
        made,
        draft.names_at,
    )


class _Draft(NamedTuple):
    """A plan before heights are known."""

    shown: list[Shown]
    detail: Detail
    columns: dict[int, Column]
    names_at: float
    names_width: float

    def made(self, blocks: Blocks, most: int, step: int) -> dict[str, Block]:
        """Show up to `most` items of each row, in the order of the rows."""
        rows = [each for each in self.shown if not each.children]
        return {each.node.id: blocks.block(each, most, self.names_width, step) for each in rows}


def _across(
    shown: list[Shown], shares: Mapping[str, float], width: float
) -> tuple[Detail, dict[int, Column], float]:
    """Say as much about nodes as leaves a third of the page to the names."""
    most = 0.65 * width
    for detail, curve in DETAILS:
        columns, end = _columns(shown, shares, detail, curve)
        if end <= most:
            break
    else:
        each = (most - MARGIN) / len(columns)
        columns, end = _columns(shown, shares, detail, max(each - DOT, each / 2.0))
    return detail, columns, end + BEFORE_NAMES


def _columns(
    shown: list[Shown], shares: Mapping[str, float], detail: Detail, curve: float
) -> tuple[dict[int, Column], float]:
    columns: dict[int, Column] = {}
    end = MARGIN
    for level in sorted({each.node.level for each in shown}):
        here = [each for each in shown if each.node.level == level]
        start = end
        straight = start + (curve if columns else 0.0)
        left = straight
        if detail.support and columns:
            known = [shares[each.node.id] for each in here if each.node.id in shares]
            left += max((LABEL.width(percent(share)) + 8.0 for share in known), default=0.0)
        words = max(LABEL.width(sign(each.node)) + 8.0 for each in here)
        after = left + (max(words, PILL) if detail.ids else min(DOT, curve))
        end = after
        if detail.sizes and columns:
            inner = [LABEL.width(count(each.node.size)) + 6.0 for each in here if each.children]
            end += max(inner, default=0.0)
        columns[level] = Column(start, straight, left, after)
    return columns, end


def _fitted(draft: _Draft, blocks: Blocks, max_items: int, tall: float) -> dict[str, Block] | None:
    """Make blocks as large as fit, and of as many items; None where even one item does not."""
    for step in range(blocks.n_steps):
        made = draft.made(blocks, max_items, step)
        if _height(made) <= tall:
            return made
    fits, too_many = 0, max_items
    best = None
    while too_many - fits > 1:
        tried = (fits + too_many) // 2
        made = draft.made(blocks, tried, blocks.n_steps - 1)
        if _height(made) <= tall:
            fits, best = tried, made
        else:
            too_many = tried
    return best


def _height(made: Mapping[str, Block]) -> float:
    return max(end for _, end in _rows(made, 0.0).values()) - MARGIN - HEADER


def _rows(made: Mapping[str, Block], extra: float) -> dict[str, tuple[float, float]]:
    """Start and end of each row, from the top down; branches of several rows stand apart."""
    branches = [id.partition(".")[0] for id in made]
    n_rows = Counter(branches)
    rows: dict[str, tuple[float, float]] = {}
    y = MARGIN + HEADER - GAP - extra
    above = branches[0]
    for (id, block), branch in zip(made.items(), branches, strict=True):
        apart = branch != above and max(n_rows[branch], n_rows[above]) > 1
        y += GAP + extra + (GAP if apart else 0.0)
        height = max(block.height, PILL)
        rows[id] = (y, y + height)
        y += height
        above = branch
    return rows
