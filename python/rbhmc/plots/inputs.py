"""Check what a caller passes to a figure: a model or a tree, numbers, and where to draw."""

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rbhmc._checks import check_level
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import Node

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from rbhmc.estimator import RBHMC

Array = NDArray[np.float64]

POINTS_PER_INCH = 72.0


def is_model(source: object) -> "TypeGuard[RBHMC]":
    """Return whether an argument is a model; raise NotFittedError if it is not fitted."""
    if not hasattr(source, "fit"):
        return False
    check_is_fitted(source)
    return True


def check_tree(tree: object) -> Hierarchy:
    """Return a tree, or the presented tree of a fitted model."""
    if is_model(tree):
        return tree.tree_
    if not isinstance(tree, Hierarchy):
        raise InvalidInput(
            f"tree is a {type(tree).__name__}; it must be a Tree, such as model.tree_"
        )
    return tree


def choose_level(level: int | None, tree: Hierarchy) -> tuple[int, tuple[Node, ...], str]:
    """Return a level, its nodes and its name; without a level, the clusters, or level 1.

    The clusters are shown if they are not simply the leaves. A tree that is the root alone has one
    group.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0, 0], [0, 1], [1, 2]], clusters=[0, 0, 1])
    >>> choose_level(None, tree)[2], choose_level(-1, tree)[2]
    ('clusters', 'level 2')
    """
    if level is None and not tree.clusters_are_leaves:
        return 1, tree.clusters, "clusters"
    number = check_level(1 if level is None else level, tree.n_levels)
    title = "one group" if tree.root.is_leaf else f"level {number}"
    return number, tree.nodes_at(number), title


def figure_or_new(figure: Any, width: float, height: float) -> "Figure | SubFigure":
    """Return the given figure, or a new one, whose size is in inches."""
    if figure is None:
        return new_figure(width, height)
    if not isinstance(figure, require("matplotlib.figure", "plots").FigureBase):
        raise InvalidInput(
            f"figure is a {type(figure).__name__}; it must be a matplotlib figure, or None for a "
            "new one"
        )
    given: Figure | SubFigure = figure
    return given


def new_figure(width: float, height: float, layout: str = "constrained") -> "Figure":
    """Open a figure with pyplot, so that notebooks and ``pyplot.show()`` display it."""
    figure: Figure = require("matplotlib.pyplot", "plots").figure(
        figsize=(width, height), layout=layout
    )
    return figure


def new_page(width: float, height: float) -> "Axes":
    """Open axes that fill a new figure, whose size is in points."""
    size = (width / POINTS_PER_INCH, height / POINTS_PER_INCH)
    return new_figure(*size, layout="none").add_axes((0.0, 0.0, 1.0, 1.0))


def check_axes(ax: Any) -> "Axes":
    """Check that the argument is matplotlib axes."""
    if not isinstance(ax, require("matplotlib.axes", "plots").Axes):
        raise InvalidInput(
            f"ax is a {type(ax).__name__}; it must be matplotlib axes, or None for new ones"
        )
    given: Axes = ax
    return given


def axes_size(ax: "Axes") -> tuple[float, float]:
    """Return the current width and height of axes, in points."""
    # The root figure, also of axes in a subfigure; get_figure(root=True) needs matplotlib 3.10.
    figure = ax.figure.figure
    box = ax.get_window_extent()
    points_per_pixel = POINTS_PER_INCH / figure.dpi
    return box.width * points_per_pixel, box.height * points_per_pixel


def page_size(ax: "Axes") -> tuple[float, float]:
    """Return the width and height of axes, in points, that will have no ticks or labels.

    A layout engine, such as "constrained", moves axes only when the figure is drawn; it is run
    here, so that texts are fitted to the final size.
    """
    ax.set_axis_off()
    figure: Any = ax.figure.figure
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
    return axes_size(ax)
