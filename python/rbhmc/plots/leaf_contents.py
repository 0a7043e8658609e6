"""The contents of a leaf: names of its items or a description in lines, or pictures in rows.

Lengths are points, and the y axis points down; a content is drawn from its upper left corner. A
style makes contents in `n_sizes` sizes, from the largest, of at most `max_width` in a new figure.
Its `mentions` are the features that set nodes apart, by id, in its smallest style, `label`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rbhmc._text import pluralize
from rbhmc.plots.collapse import DrawnNode
from rbhmc.plots.text_style import MUTED, SMALLEST_SIZE, TextStyle
from rbhmc.plots.thumbnails import Bytes, make_thumbnails, tile
from rbhmc.tree.description import Descriptions, add_count, describe_nodes, lists_items
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE_SPACING = 1.3  # from line to line, in font sizes
MIN_NAME, MAX_NAME = 40.0, 150.0  # points for one name
MAX_MENTION = 125.0  # points for the feature that is written at an inner node
GAP = 12  # the gap between pictures is this fraction of their shorter side


def count_hidden(drawn: DrawnNode, n_hidden: int) -> str:
    """Write how many items are not shown: all of them, or some more."""
    kind = "other item" if drawn.node.is_remainder else "item"
    text = pluralize(n_hidden, kind) if n_hidden == drawn.node.size else f"+{n_hidden}"
    return text + (f" ({drawn.n_leaves} leaves)" if drawn.n_leaves > 1 else "")


@dataclass(frozen=True)
class NameLines:
    """Names in lines."""

    lines: list[str]
    style: TextStyle
    width: float
    height: float

    @property
    def shown(self) -> tuple[str, float]:
        """What is shown, in which size, however it is broken into lines."""
        return " ".join(self.lines), self.style.size

    def draw(self, ax: "Axes", x: float, y: float) -> None:
        """Write the lines, one below the other."""
        spacing = self.height / len(self.lines)
        for number, line in enumerate(self.lines):
            self.style.write(ax, x, y + (number + 0.5) * spacing, line)


class Names:
    """Shows items by their names; items without names by what sets their leaf apart."""

    max_width = 330.0

    def __init__(self, tree: Hierarchy) -> None:
        self.tree = tree
        self.descriptions = Descriptions() if tree.has_names else describe_nodes(tree)
        mentions = [text for each in self.descriptions.values() for text in each.mentions]
        texts = [*tree.names, *mentions, "…+,() other leaves items 0123456789"]
        self.styles = [TextStyle(size, texts) for size in (8.5, 8.0, 7.5, SMALLEST_SIZE)]
        self.n_sizes = len(self.styles)
        self.label = self.styles[-1]
        self.mentions = {
            id: self.label.shorten(each.mentions[0], MAX_MENTION)
            for id, each in self.descriptions.items()
            if each.mentions
        }

    def make(self, drawn: DrawnNode, max_items: int, width: float, size: int) -> NameLines:
        """Wrap the first names and the number of the others."""
        style = self.styles[size]
        node = drawn.node
        if not (self.tree.has_names or lists_items(self.tree, node)):
            described = self.descriptions.get(node.id)
            mentions = described.mentions if described else []
            count = count_hidden(drawn, node.size)
            if style.width(count) > width:  # the number of leaves may be missing, that of items not
                count = pluralize(node.size, "item")
            if max_items == 1:  # one line, with the first feature that fits
                mentions = [text for text in mentions if style.width(f"{count}: {text}") <= width]
            parts = [style.shorten(text, width) for text in mentions[:max_items]]
            if parts and max_items > 1 and style.width(f"{count}: {parts[0]}") > width:
                # The number of items has its own line, and counts as a part.
                return _set_lines([f"{count}:", *style.wrap(parts[: max_items - 1], width)], style)
            parts = [style.shorten(part, width) for part in add_count(count, parts)]
            return _set_lines(style.wrap(parts, width), style)
        items = node.items[:max_items].tolist()
        n_hidden = node.size - len(items)
        ending = [count_hidden(drawn, n_hidden)] if n_hidden else []
        name_width = width
        if n_hidden and max_items == 1:  # name and number must fit in one line
            name_width = width - style.width(f", {ending[0]}") - 1.0
            if name_width < MIN_NAME:
                ending = [f"+{n_hidden}"]
                name_width = width - style.width(f", {ending[0]}") - 1.0
        names = [
            style.shorten(self.tree.names[item] or '""', min(MAX_NAME, name_width))
            for item in items
        ]
        return _set_lines(style.wrap(names + ending, width), style)


def _set_lines(lines: list[str], style: TextStyle) -> NameLines:
    """Set lines with a spacing for the highest letters."""
    spacing = max(LINE_SPACING * style.size, *(1.1 * style.height(line) for line in lines))
    widest = max(style.width(line) for line in lines)
    return NameLines(lines, style, widest, spacing * len(lines))


@dataclass(frozen=True)
class PictureRows:
    """Pictures in rows, drawn as one image, and the number of the others after the last row."""

    pixels: Bytes
    ending: str
    style: TextStyle
    width: float
    height: float
    image_width: float
    row_height: float
    last_row_width: float

    @property
    def shown(self) -> tuple[str, float]:
        """How many pictures are not shown, and the size of the others."""
        return self.ending, self.row_height

    def draw(self, ax: "Axes", x: float, y: float) -> None:
        """Draw the image and the ending."""
        extent = (x, x + self.image_width, y + self.height, y)
        ax.imshow(self.pixels, extent=extent, aspect="auto", zorder=2)
        if self.ending:
            left, middle = x + self.last_row_width, y + self.height - self.row_height / 2.0
            self.style.write(ax, left, middle, self.ending, alpha=MUTED)


class Pictures:
    """Shows items by pictures, all in one range of shades."""

    max_width = 400.0

    def __init__(self, images: ArrayLike, n_items: int) -> None:
        pixels = make_thumbnails(images, n_items)
        if pixels.shape[3] == 1:
            pixels = np.repeat(pixels, 3, axis=3)
        if pixels.shape[3] == 3:  # opaque, so that only the gaps are transparent
            opaque = np.full((*pixels.shape[:3], 1), 255, np.uint8)
            pixels = np.concatenate([pixels, opaque], axis=3)
        self.pixels = pixels
        self.sides = (26.0, 21.0, 16.0, 12.0)  # points
        self.label = TextStyle(SMALLEST_SIZE)
        self.mentions: dict[str, str] = {}
        self.n_sizes = len(self.sides)

    def make(self, drawn: DrawnNode, max_items: int, width: float, size: int) -> PictureRows:
        """Set the first pictures in rows of equal length, except the last."""
        items = drawn.node.items[:max_items]
        n_hidden = drawn.node.size - len(items)
        ending = count_hidden(drawn, n_hidden) if n_hidden else ""
        ending_width = self.label.width(ending) + 8.0 if n_hidden else 0.0
        tall, wide = self.pixels.shape[1:3]
        cell_width = self.sides[size] * min(wide / tall, 2.0)
        cell_height = cell_width * tall / wide
        n_rows = -(-len(items) // max(1, int((width - ending_width) // cell_width)))
        n_columns = -(-len(items) // n_rows)
        return PictureRows(
            tile(self.pixels[items], n_columns, gap=max(1, min(tall, wide) // GAP)),
            ending,
            self.label,
            width=n_columns * cell_width + ending_width,
            height=n_rows * cell_height,
            image_width=n_columns * cell_width,
            row_height=cell_height,
            last_row_width=(len(items) - n_columns * (n_rows - 1)) * cell_width + 4.0,
        )


Content = NameLines | PictureRows
ContentStyle = Names | Pictures
