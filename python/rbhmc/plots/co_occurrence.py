"""How often items were together at a level."""

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rbhmc._core import InvalidInput
from rbhmc.metrics import co_occurrence
from rbhmc.plots.canvas import INCH, checked_axes, new_figure, size_of
from rbhmc.plots.checks import Array, as_numbers, checked_level, checked_tree, is_model
from rbhmc.plots.fonts import families
from rbhmc.plots.heat_map import TREE, WORDS, draw_heat_map, draw_tree_beside, spans
from rbhmc.plots.layout import item_order
from rbhmc.plots.words import SMALL, Type
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

    from rbhmc.estimator import RBHMC

MOST_NAMES = 60
ROW, LEAST_ROW = 9.5, 7.6  # points for an item with a name
LONGEST = 90.0  # points for a name
ABOVE, AROUND, IDS = 40.0, 5.0, 30.0  # points for the colour bar, for air, for ids of nodes
LEAST_BAR = 150.0  # points for its words


def plot_co_occurrence(
    source: "RBHMC | ArrayLike",
    tree: Hierarchy | None = None,
    *,
    level: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a co-occurrence matrix with its items in the order of the tree, which stands beside it.

    Parameters
    ----------
    source : RBHMC, BHMC, or array of shape (n_items, n_items)
        A fitted model, or shares from 0 to 1, as of `rbhmc.metrics.co_occurrence`.
    tree : Tree, optional
        A tree of the same items; the selected tree of a model unless given.
    level : int, optional
        The level of the matrix: its nodes are framed, and the map has it as its title. 1 for a
        model unless given.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of suitable size where absent.

    Returns
    -------
    matplotlib.axes.Axes
        An item has width and height 1; the tree stands left of 0. Up to 60 items have names where
        there is room for them, otherwise nodes have their ids.

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
    if is_model(source):
        tree = checked_tree(source if tree is None else tree)
        level = checked_level(1 if level is None else level, tree)
        matrix: ArrayLike = co_occurrence(source.draws_, level)
    else:
        tree = checked_tree(tree)
        level = None if level is None else checked_level(level, tree)
        matrix = source
    shares = _checked_matrix(matrix, tree.n_items)
    room = None if ax is None else size_of(checked_axes(ax))
    page = _Page(tree, room)
    if ax is None:
        figure = new_figure(page.width / INCH, page.height / INCH, layout="none")
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    image = draw_heat_map(ax, shares, tree, level)
    draw_tree_beside(ax, tree)
    page.open(ax)
    if page.has_names:
        page.write_names(ax)
    else:
        page.write_ids(ax, level)
    if level is not None:
        Type(10.0).write(ax, *page.corner, f"level {level}", va="bottom")
    if page.side >= LEAST_BAR:
        page.write_bar(ax, image)
    return ax


class _Page:
    """A map with all that belongs to it, inside the axes, on a page of given or suitable size."""

    def __init__(self, tree: Hierarchy, room: tuple[float, float] | None) -> None:
        self.tree = tree
        few = tree.n_items <= MOST_NAMES
        self.type = Type(SMALL, tuple(families(tree.names)) if few else ())
        words = LONGEST if room is None else min(LONGEST, 0.2 * min(room))
        names = [tree.names[item] or '""' for item in item_order(tree)] if few else []
        self.names = [self.type.shortened(name, words) for name in names]
        widest = max((self.type.width(name) for name in self.names), default=0.0)
        self.has_names = few
        self.set_words(widest, widest)
        if room is None:
            self.side = max(220.0, tree.n_items * ROW) if few else 400.0
            self.width = self.side * (1.0 + TREE) + self.beside + AROUND
            self.height = self.side + ABOVE + self.below
            return
        self.width, self.height = room
        self.set_side()
        if few and self.side / tree.n_items < LEAST_ROW:
            self.has_names = False
            self.set_words(IDS, 0.0)
            self.set_side()

    def set_words(self, beside: float, below: float) -> None:
        """Leave room for words of some width at the right of the map and below it."""
        self.beside, self.below = max(beside, IDS) + 2.0 * AROUND, below + 2.0 * AROUND

    def set_side(self) -> None:
        """Make the map as large as the page allows."""
        across = (self.width - self.beside - AROUND) / (1.0 + TREE)
        self.side = max(1.0, min(across, self.height - ABOVE - self.below))

    @property
    def point(self) -> float:
        """A point in items."""
        return self.tree.n_items / self.side

    @property
    def corner(self) -> tuple[float, float]:
        """Where words above the tree start."""
        return (AROUND - self.left) * self.point, -8.0 * self.point

    @property
    def left(self) -> float:
        """Points from the left side of the page to the map."""
        return AROUND + TREE * self.side

    def open(self, ax: "Axes") -> None:
        """Set the limits of the axes such that the map is where it should be."""
        right, bottom = self.width - self.left, self.height - ABOVE
        ax.set(
            xlim=(-self.left * self.point, right * self.point),
            ylim=(bottom * self.point, -ABOVE * self.point),
            aspect="equal",  # also where the axes change their size later
        )

    def write_names(self, ax: "Axes") -> None:
        """Write the items' names at the right of the map and below it."""
        end = self.tree.n_items + AROUND * self.point
        for number, name in enumerate(self.names):
            self.type.write(ax, end, number + 0.5, name)
            self.type.write(ax, number + 0.5, end, name, rotation=90, ha="center", va="top")

    def write_ids(self, ax: "Axes", level: int | None) -> None:
        """Write ids at the right of nodes that are as high as a line."""
        for id, (start, end) in spans(self.tree, level).items():
            if end - start >= LEAST_ROW * self.point:
                x = self.tree.n_items + AROUND * self.point
                self.type.write(ax, x, (start + end) / 2.0, id)

    def write_bar(self, ax: "Axes", image: "AxesImage") -> None:
        """Draw the colour bar above the map, since words stand on its other sides."""
        left, bottom = self.left / self.width, 1.0 - (ABOVE - 8.0) / self.height
        strip = ax.inset_axes((left, bottom, self.side / self.width, 6.0 / self.height))
        bar = ax.figure.colorbar(image, cax=strip, orientation="horizontal", ticks=[0.0, 0.5, 1.0])
        bar.outline.set_linewidth(0.5)
        strip.tick_params(
            labelsize=SMALL,
            length=2,
            pad=1,
            top=True,
            labeltop=True,
            bottom=False,
            labelbottom=False,
        )
        strip.set_title(WORDS, size=SMALL, pad=3)


def _checked_matrix(matrix: ArrayLike, n_items: int) -> Array:
    shares = as_numbers(matrix, "matrix", (n_items, n_items))
    if shares.min() < -1e-9 or shares.max() > 1.0 + 1e-9:
        raise InvalidInput(
            f"matrix goes from {shares.min():.4g} to {shares.max():.4g}; it must hold shares of "
            "draws, from 0 to 1"
        )
    return shares
