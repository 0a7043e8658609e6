"""What stands at a leaf: the names of its items in lines, or their pictures in rows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rbhmc.plots.fold import Shown
from rbhmc.plots.fonts import families
from rbhmc.plots.words import QUIET, SMALL, Type

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAD = 1.3  # from line to line, in sizes of the letters
SHORTEST, LONGEST = 40.0, 150.0  # points for one name
SHADES = 64  # pixels a side: more are lost at the size of a thumbnail


class Block(Protocol):
    """Something of a known size that can be drawn, the y axis pointing down."""

    @property
    def width(self) -> float:
        """In points."""

    @property
    def height(self) -> float:
        """In points."""

    def draw(self, ax: "Axes", x: float, y: float) -> None:
        """Draw with the left upper corner at (x, y)."""


class Blocks(Protocol):
    """A way to show the items of a leaf, large at step 0 and smaller after it."""

    n_steps: int
    width: float  # that is wide enough to read and narrow enough for a page

    def block(self, shown: Shown, most: int, width: float, step: int) -> Block:
        """Show up to `most` items, no wider than `width`."""


def more(shown: Shown, n_left: int) -> str:
    """Say how many items are not shown.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> from rbhmc.plots.fold import unfolded
    >>> root = unfolded(Tree.from_labels([[0], [0], [1]]), 1)[0]
    >>> more(root, 2)
    '+2 (2 leaves)'
    """
    return f"+{n_left}" + (f" ({shown.n_leaves} leaves)" if shown.n_leaves > 1 else "")


@dataclass(frozen=True)
class Lines:
    """Names in lines."""

    lines: list[str]
    type: Type
    width: float
    height: float

    def draw(self, ax: "Axes", x: float, y: float) -> None:
        """Write the lines one below the other."""
        lead = self.height / len(self.lines)
        for number, line in enumerate(self.lines):
            self.type.write(ax, x, y + (number + 0.5) * lead, line)


class NameBlocks:
    """The names of a tree's items, in one font for all."""

    width = 330.0

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        fonts = tuple(families([*names, "…+,() leaves0123456789"]))
        self.types = [Type(size, fonts) for size in (8.5, 8.0, 7.5, SMALL)]
        self.n_steps = len(self.types)

    def block(self, shown: Shown, most: int, width: float, step: int) -> Lines:
        """Wrap the first names, and how many more there are."""
        type = self.types[step]
        items = shown.node.items[:most].tolist()
        rest = shown.node.size - len(items)
        last = [more(shown, rest)] if rest else []
        room = width
        if rest and most == 1:  # one line is to be enough
            room = width - type.width(f", {last[0]}") - 1.0
            if room < SHORTEST:
                last = [f"+{rest}"]
                room = width - type.width(f", {last[0]}") - 1.0
        names = [self.names[item] or '""' for item in items]
        parts = [type.shortened(name, min(LONGEST, room)) for name in names]
        lines = type.wrapped(parts + last, width)
        lead = max(LEAD * type.size, *(1.1 * type.height(line) for line in lines))
        return Lines(lines, type, max(type.width(line) for line in lines), lead * len(lines))


@dataclass(frozen=True)
class Mosaic:
    """Pictures in rows, as one image."""

    pixels: NDArray[np.uint8]
    more: str
    type: Type
    width: float
    height: float
    image_width: float
    row: float  # height of a row
    last: float  # width of the last one

    def draw(self, ax: "Axes", x: float, y: float) -> None:
        """Draw the image, and how many pictures are missing after its last row."""
        extent = (x, x + self.image_width, y + self.height, y)
        ax.imshow(self.pixels, extent=extent, aspect="auto", zorder=2)
        if self.more:
            self.type.write(
                ax, x + self.last, y + self.height - self.row / 2.0, self.more, alpha=QUIET
            )


class PictureBlocks:
    """Pictures of the items, all in one scale of shades."""

    width = 400.0

    def __init__(self, images: NDArray[Any]) -> None:
        self.pixels = as_bytes(images)
        self.sizes = (26.0, 21.0, 16.0, 12.0)  # points a side
        self.type = Type(SMALL)
        self.n_steps = len(self.sizes)

    def block(self, shown: Shown, most: int, width: float, step: int) -> Mosaic:
        """Set the first pictures in rows, with a seam of one twelfth between them."""
        items = shown.node.items[:most]
        rest = shown.node.size - len(items)
        words = more(shown, rest) if rest else ""
        after = self.type.width(words) + 8.0 if rest else 0.0
        side = self.sizes[step]
        tall, wide = self.pixels.shape[1:3]
        cell_width = side * min(wide / tall, 2.0)
        row = cell_width * tall / wide
        n_rows = -(-len(items) // max(1, int((width - after) // cell_width)))
        across = -(-len(items) // n_rows)  # rows of equal length, but for the last
        pixels = mosaic(self.pixels[items], across)
        return Mosaic(
            pixels,
            words,
            self.type,
            width=across * cell_width + after,
            height=n_rows * row,
            image_width=across * cell_width,
            row=row,
            last=(len(items) - across * (n_rows - 1)) * cell_width + 4.0,
        )


def as_bytes(images: NDArray[Any]) -> NDArray[np.uint8]:
    """Bring pictures to four channels of bytes, the darkest shade of all black, and not too large.

    Examples
    --------
    >>> as_bytes(np.array([[[0.0, 2.0]]])).tolist()
    [[[[0, 0, 0, 255], [255, 255, 255, 255]]]]
    """
    step = max(1, -(-max(images.shape[1:3]) // SHADES))
    images = images[:, ::step, ::step]
    if images.ndim == 3:
        shades = images.astype(np.float64)
        low, high = shades.min(), shades.max()
        shades = (shades - low) / (high - low) if high > low else np.zeros_like(shades)
        images = np.repeat(shades[..., None], 3, axis=3)
    if images.dtype != np.uint8:
        images = np.round(255.0 * images).astype(np.uint8)
    if images.shape[3] == 4:
        return images
    opaque = np.full((*images.shape[:3], 1), 255, np.uint8)
    return np.concatenate([images, opaque], axis=3)


def mosaic(pictures: NDArray[np.uint8], across: int) -> NDArray[np.uint8]:
    """Set pictures in rows, with transparent seams.

    Examples
    --------
    >>> mosaic(np.full((3, 12, 12, 4), 255, np.uint8), 2).shape
    (26, 26, 4)
    """
    n, tall, wide, _ = pictures.shape
    seam = max(1, min(tall, wide) // 12)
    down = -(-n // across)
    sheet = np.zeros((down * (tall + seam), across * (wide + seam), 4), np.uint8)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, across)
        top, left = row * (tall + seam), column * (wide + seam)
        sheet[top : top + tall, left : left + wide] = picture
    return sheet
