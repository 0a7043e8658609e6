"""Helpers for tests of figures: trees of several sizes, and the boxes of texts in a figure."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray

from rbhmc.tree import Tree
from tree.cases import many_labels

NAMES = ["eagle", "owl", "robin", "salmon", "finch", "trout", "ant", "wren"]
PATHS = np.array([[0, 0], [0, 0], [0, 1], [1, 2], [0, 1], [1, 2], [2, 3], [0, 1]])
TREE = Tree.from_labels(PATHS, names=NAMES)


def tree_of(n_items: int, seed: int = 0) -> Tree:
    """Make a tree of three levels with names."""
    widths = [4, 3, max(2, n_items // 50)]
    names = [f"item {number}" for number in range(n_items)]
    return Tree.from_labels(many_labels(n_items, widths, seed), names=names)


def support_of(tree: Tree) -> dict[str, float]:
    rng = np.random.default_rng(0)
    return {node.id: float(rng.beta(4.0, 1.0)) for node in tree.nodes}


def axes(width: float = 6.0, height: float = 4.0) -> Axes:
    """Make axes of a figure that pyplot does not manage."""
    return Figure(figsize=(width, height)).add_subplot()


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def text_boxes(figure: Any) -> tuple[list[Text], NDArray[np.float64]]:
    """Return all visible texts of a figure, and their boxes in pixels: left, bottom, right, top."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    texts: list[Text] = []
    for ax in figure.findobj(Axes):
        texts += ax.texts
        if ax.get_legend():
            texts += ax.get_legend().get_texts()
        if ax.axison:
            texts += [ax.title, ax.xaxis.label, ax.yaxis.label]
            for axis in (ax.xaxis, ax.yaxis):
                low, high = sorted(axis.get_view_interval())
                marks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
                texts += [label for at, label in marks if low <= at <= high]
    texts = [text for text in texts if text.get_visible() and text.get_text().strip()]
    renderer = canvas.get_renderer()
    # The extent of an annotation would include its arrow.
    boxes = [Text.get_window_extent(text, renderer).extents for text in texts]
    return texts, np.array(boxes)


def assert_clear(figure: Any) -> None:
    """Check that no texts overlap by more than a pixel, are cut off, or are too small to read."""
    texts, boxes = text_boxes(figure)
    left, bottom, right, top = boxes.T
    over = (
        (left[:, None] < right - 1.0)
        & (right[:, None] - 1.0 > left)
        & (bottom[:, None] < top - 1.0)
        & (top[:, None] - 1.0 > bottom)
    )
    np.fill_diagonal(over, False)
    pairs = [(texts[a].get_text(), texts[b].get_text()) for a, b in np.argwhere(over)]
    assert pairs == []
    width, height = figure.canvas.get_width_height()
    inside = (left >= -0.5) & (bottom >= -0.5) & (right <= width + 0.5) & (top <= height + 0.5)
    assert inside.all(), [
        text.get_text() for text, fine in zip(texts, inside, strict=True) if not fine
    ]
    assert min(float(text.get_fontsize()) for text in texts) >= 7.0
