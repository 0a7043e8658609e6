"""The dendrogram of a model: merges of items by height, with the clusters in their colours.

The root is at the left and the items are rows at the right. All lengths are points; y grows from
the top down.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import is_valid_linkage

from rbhmc._checks import check_array, check_numbers
from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.plots.background import Background
from rbhmc.plots.inputs import Array, check_axes, check_tree, is_model, new_page, page_size
from rbhmc.plots.text_style import MUTED, SMALLEST_SIZE, TextStyle, text_color
from rbhmc.tree.description import describe_nodes
from rbhmc.tree.hierarchy import Hierarchy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rbhmc.estimator import RBHMC

Numbers = NDArray[np.intp]

ROW_HEIGHT, MIN_ROW_HEIGHT = 9.5, 7.6  # of an item with a name
MAX_NAMED_ITEMS = 150  # in a new figure
WIDTH, HEIGHT = 500.0, 480.0  # of a new figure; its height if items have no names
MAX_NAME, MAX_DESCRIPTION = 90.0, 160.0
MIN_SHARE_OF_LETTERS = 0.75  # of a description that is shown
TOP, BOTTOM, PADDING = 16.0, 26.0, 6.0
HEADING = TextStyle(8.0)


class Links(NamedTuple):
    """The merges of a linkage in the order of rows.

    Attributes
    ----------
    order : array of shape (n,)
        The leaves of the linkage from the top down.
    rows : array of shape (n - 1, 2)
        The rows of the two parts of each merge; a part of several leaves is between its own parts.
    heights : array of shape (n - 1, 3)
        The heights of the two parts and of the merge.
    """

    order: Numbers
    rows: Array
    heights: Array


def plot_dendrogram(
    source: "RBHMC | ArrayLike",
    tree: Hierarchy | None = None,
    *,
    items: ArrayLike | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a dendrogram with its root at the left, its items at the right, and clusters coloured.

    Merges within a cluster have its colour of `node_colors`; those above the clusters are grey. A
    dashed line shows the cut: branches may be cut at different heights.

    Parameters
    ----------
    source : RBHMC, BHMC, or array of shape (n - 1, 4)
        A fitted model with a ``dendrogram_``, or a linkage matrix of SciPy.
    tree : Tree, optional
        The tree whose clusters are coloured, and whose order the items follow as far as the merges
        allow; by default the tree of the model. Without a tree all merges are grey.
    items : array of int of shape (n,), optional
        The items of the tree that the linkage merges, if they are a sample; by default the
        ``dendrogram_items_`` of the model, or all items.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default, a new figure of suitable size.

    Returns
    -------
    matplotlib.axes.Axes
        Items have names where these fit; otherwise clusters have their ids and descriptions, see
        `Tree.describe`. Coordinates are points from the upper left corner.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from rbhmc import Tree
    >>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
    >>> ax = plot_dendrogram([[0, 1, 0.2, 2], [2, 3, 0.9, 3]], tree, ax=Figure().add_subplot())
    >>> [text.get_text() for text in ax.texts]
    ['ant', 'bee', 'cat', 'dashed: the cut into clusters', '0.9', '0', 'height: 1 − similarity']
    """
    linkage = source
    if is_model(source):
        if not hasattr(source, "dendrogram_"):
            raise InvalidInput(
                "the model has no dendrogram_; give a linkage matrix and a tree, such as "
                "model.tree_.to_linkage() and model.tree_"
            )
        linkage = source.dendrogram_
        if not len(linkage):
            raise InvalidInput("a dendrogram needs at least two items; the model has one")
        tree = source.tree_ if tree is None else tree
        items = getattr(source, "dendrogram_items_", None) if items is None else items
    merges = _check_linkage(linkage)
    tree = None if tree is None else check_tree(tree)
    chosen = _check_items(items, len(merges) + 1, tree)
    rank = np.arange(len(chosen)) if tree is None else np.argsort(tree.item_order)[chosen]
    links = place_links(merges, rank)
    size = None if ax is None else page_size(check_axes(ax))
    layout = _DendrogramLayout(links, chosen, tree, size)
    if ax is None:
        ax = new_page(layout.width, layout.height)
    labels = np.full(len(chosen), -1) if tree is None else tree.labels[chosen]
    layout.draw_merges(ax, merge_clusters(merges, labels))
    layout.draw_cut(ax, cut_heights(merges, labels))
    layout.draw_clusters(ax)
    layout.write_names(ax)
    layout.write_notes(ax)
    layout.draw_scale(ax)
    ax.set(xlim=(0.0, layout.width), ylim=(layout.height, 0.0), aspect="auto")
    ax.set_axis_off()
    return ax


def _check_linkage(linkage: object) -> Array:
    merges = check_numbers(linkage, "linkage", ("n - 1", 4))
    try:
        is_valid_linkage(merges, throw=True, name="linkage")
    except ValueError as error:
        raise InvalidInput(f"linkage is not a linkage matrix of SciPy: {error}") from error
    # SciPy accepts fractions, negative heights, and a cluster that is merged twice.
    parts, n = merges[:, :2], len(merges) + 1
    known = n + np.arange(len(merges))[:, None]
    if not ((parts == np.floor(parts)) & (parts >= 0) & (parts < known)).all():
        raise InvalidInput("linkage is not a linkage matrix of SciPy: it merges unknown clusters")
    if len(np.unique(parts)) < parts.size:
        raise InvalidInput("linkage is not a linkage matrix of SciPy: it merges a cluster twice")
    sizes = [*[1] * n, *merges[:, 3].tolist()]
    if any(sizes[n + i] != sizes[int(a)] + sizes[int(b)] for i, (a, b) in enumerate(parts)):
        raise InvalidInput("linkage is not a linkage matrix of SciPy: the sizes do not add up")
    if merges[:, 2].min() < 0.0:
        raise InvalidInput("linkage is not a linkage matrix of SciPy: a height is negative")
    return merges


def _check_items(items: ArrayLike | None, n: int, tree: Hierarchy | None) -> Numbers:
    n_items = n if tree is None else tree.n_items
    chosen = check_array(np.arange(n) if items is None else items, "items")
    if chosen.shape != (n,) or (items is None and n != n_items):
        raise InvalidInput(
            f"linkage merges {n} items, and items has shape {chosen.shape}, of {n_items} items of "
            "the tree; items must name the item of each leaf of the linkage"
        )
    if chosen.dtype.kind not in "iu" or chosen.min() < 0 or chosen.max() >= n_items:
        raise InvalidInput(f"items must hold whole numbers from 0 to {n_items - 1}")
    return chosen.astype(np.intp)


def place_links(merges: Array, rank: Numbers) -> Links:
    """Order the leaves such that no lines cross, and the part with the first rank is on top.

    Examples
    --------
    >>> merges = np.array([[0.0, 1.0, 0.2, 2.0], [2.0, 3.0, 0.9, 3.0]])
    >>> place_links(merges, np.array([2, 1, 0])).order
    array([2, 1, 0])
    """
    n = len(merges) + 1
    parts = merges[:, :2].astype(np.intp)
    first = np.concatenate([rank, np.zeros(n - 1, rank.dtype)])
    size = np.concatenate([np.ones(n, np.intp), merges[:, 3].astype(np.intp)])
    for number, (a, b) in enumerate(parts, start=n):
        first[number] = min(first[a], first[b])
    start = np.zeros(2 * n - 1, np.intp)  # the first row of each part
    for number in range(2 * n - 2, n - 1, -1):
        upper, lower = sorted(parts[number - n].tolist(), key=lambda part: first[part])
        start[upper] = start[number]
        start[lower] = start[number] + size[upper]
    row = np.concatenate([start[:n] + 0.5, np.zeros(n - 1)])
    for number, (a, b) in enumerate(parts, start=n):
        row[number] = (row[a] + row[b]) / 2.0
    height = np.concatenate([np.zeros(n), merges[:, 2]])
    return Links(
        np.argsort(start[:n]),
        row[parts],
        np.concatenate([height[parts], merges[:, 2:3]], axis=1),
    )


def merge_clusters(merges: Array, labels: Numbers) -> Numbers:
    """Return the cluster of each merge, given that of each leaf; -1 if it joins several.

    Examples
    --------
    >>> merges = np.array([[0.0, 1.0, 0.2, 2.0], [2.0, 3.0, 0.9, 3.0]])
    >>> merge_clusters(merges, np.array([4, 4, 1]))
    array([ 4, -1])
    """
    n = len(labels)
    found = np.concatenate([labels, np.zeros(n - 1, labels.dtype)])
    for number, (a, b) in enumerate(merges[:, :2].astype(np.intp), start=n):
        found[number] = found[a] if found[a] == found[b] else -1
    return found[n:]


def cut_heights(merges: Array, labels: Numbers) -> dict[int, float]:
    """Return a height at which each cluster is cut off, between its own and that of its parent.

    One height for all, if there is one that cuts off exactly the clusters. Empty if a cluster is
    not a part of the linkage, or the only one.

    Examples
    --------
    >>> merges = np.array([[0.0, 1.0, 0.2, 2.0], [2.0, 3.0, 0.8, 3.0]])
    >>> cut_heights(merges, np.array([4, 4, 1]))
    {1: 0.5, 4: 0.5}
    """
    n = len(labels)
    found = np.concatenate([labels, merge_clusters(merges, labels)])
    heights = np.concatenate([np.zeros(n), merges[:, 2]])
    spans: dict[int, tuple[float, float]] = {}
    for number, parts in enumerate(merges[:, :2].astype(np.intp), start=n):
        for part in parts.tolist():
            cluster = int(found[part])
            if cluster == -1 or found[number] == cluster:
                continue
            if cluster in spans:
                return {}
            spans[cluster] = (float(heights[part]), float(heights[number]))
    low = max((low for low, _ in spans.values()), default=0.0)
    high = min((high for _, high in spans.values()), default=0.0)
    if low < high:
        return dict.fromkeys(sorted(spans), (low + high) / 2.0)
    return {cluster: sum(spans[cluster]) / 2.0 for cluster in sorted(spans)}


class _DendrogramLayout:
    """Where the merges, bars and names are, on a page of a given or a suitable size."""

    def __init__(
        self,
        links: Links,
        chosen: Numbers,
        tree: Hierarchy | None,
        size: tuple[float, float] | None,
    ) -> None:
        self.links, self.tree = links, tree
        self.items = chosen[links.order]
        n = len(chosen)
        self.width, self.height = size or (WIDTH, HEIGHT)
        if size is None and n <= MAX_NAMED_ITEMS:
            self.height = max(HEIGHT / 4.0, n * ROW_HEIGHT) + TOP + BOTTOM
        self.row_height = max(1.0, self.height - TOP - BOTTOM) / n
        self.runs = self.find_runs()
        self.has_names = self.row_height >= MIN_ROW_HEIGHT and (tree is None or tree.has_names)
        if self.has_names:
            texts = [str(item) if tree is None else tree.names[item] or '""' for item in self.items]
            labels = [[text] for text in texts]
        else:
            labels = self.describe_runs()
        # What is beside the rows: the name of each item, or the lines of each run.
        self.style = TextStyle(SMALLEST_SIZE, [text for lines in labels for text in lines])
        max_label = min(MAX_NAME if self.has_names else MAX_DESCRIPTION, 0.3 * self.width)
        self.labels = [self.shorten_lines(lines, max_label) for lines in labels]
        beside = [self.style.width(text) for lines in self.labels for text in lines]
        self.right = self.width - max(beside, default=0.0) - 3.0 * PADDING
        self.highest = float(links.heights.max()) or 1.0
        self.notes: list[str] = []
        if tree is not None and n < tree.n_items:
            self.notes.append(f"a sample of {n:,} of {tree.n_items:,} items")

    def shorten_lines(self, lines: list[str], width: float) -> list[str]:
        """Shorten the lines of a label; leave out descriptions of which too little would remain."""
        short = [self.style.shorten(text, width) for text in lines]
        return short[:2] + [
            cut
            for cut, whole in zip(short[2:], lines[2:], strict=True)
            if len(cut) >= MIN_SHARE_OF_LETTERS * len(whole)
        ]

    def x(self, height: Array) -> Array:
        """Return the x of heights: the highest at the left."""
        return PADDING + (self.right - PADDING) * (1.0 - height / self.highest)

    def y(self, row: Array) -> Array:
        """Return the y of rows."""
        return TOP + row * self.row_height

    def draw_merges(self, ax: "Axes", clusters: Numbers) -> None:
        """Draw each merge as a bracket: along one part, across, and back along the other."""
        rows, heights = self.y(self.links.rows), self.x(self.links.heights)
        x = heights[:, [0, 2, 2, 1]]
        y = rows[:, [0, 0, 1, 1]]
        background = Background(ax, axes=False)
        colors = [background.neutral]
        if self.tree is not None:
            of_node = background.node_colors(self.tree)
            palette = [*(of_node[node.id] for node in self.tree.clusters), *colors]
            colors = [palette[cluster] for cluster in clusters]
        lines = require("matplotlib.collections", "plots").LineCollection(
            np.stack([x, y], axis=2),
            colors=colors,
            # Brackets of few rows would run together if their lines were wide.
            linewidths=(np.abs(rows[:, 1] - rows[:, 0]) / 3.0).clip(0.3, 1.2),
            capstyle="butt",
            clip_on=False,
        )
        ax.add_collection(lines, autolim=False)

    def draw_cut(self, ax: "Axes", heights: dict[int, float]) -> None:
        """Draw the cut as a dashed line from the top down, which steps from cluster to cluster."""
        if not heights:
            return
        x = [self.x(np.array(heights[cluster])) for cluster, _, _ in self.runs for _ in range(2)]
        y = [self.y(np.array(row)) for _, start, end in self.runs for row in (start, end)]
        dashes = (0, (4, 3))
        ax.plot(x, y, color=text_color(), linewidth=0.9, linestyle=dashes, clip_on=False)
        self.notes.append("dashed: the cut into clusters")

    def find_runs(self) -> list[tuple[int, int, int]]:
        """Return runs of rows of the same cluster: the cluster, the first row, and the end."""
        if self.tree is None:
            return []
        labels = self.tree.labels[self.items]
        starts = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist()]
        ends = [*starts[1:], len(labels)]
        return [(int(labels[a]), a, b) for a, b in zip(starts, ends, strict=True)]

    def describe_runs(self) -> list[list[str]]:
        """Return the id of the cluster of each run, and as much of its description as fits."""
        if self.tree is None:
            return []
        described = describe_nodes(self.tree)
        labels = []
        for cluster, start, end in self.runs:
            id = self.tree.clusters[cluster].id
            n_lines = max(1, int((end - start) * self.row_height / MIN_ROW_HEIGHT))
            labels.append([id, described[id].count, *described[id].mentions][:n_lines])
        return labels

    def draw_clusters(self, ax: "Axes") -> None:
        """Draw a bar along the items of each cluster, and its description if items have no names.

        A cluster without room for a line has no text.
        """
        if self.tree is None:
            return
        colors = Background(ax, axes=False).node_colors(self.tree)
        free_from = 0.0
        for run, (cluster, start, end) in enumerate(self.runs):
            node = self.tree.clusters[cluster]
            gap = min(0.1, 0.5 / self.row_height) if end - start == 1 else 0.1
            top, bottom = self.y(np.array([start + gap, end - gap])).tolist()
            ax.plot(
                [self.right + PADDING] * 2,
                [top, bottom],
                color=colors[node.id],
                linewidth=2.5,
                solid_capstyle="butt",
                clip_on=False,
            )
            lines = [] if self.has_names else self.labels[run]
            y = (top + bottom - len(lines) * MIN_ROW_HEIGHT) / 2.0
            if y >= free_from:
                for number, line in enumerate(lines):
                    middle = y + (number + 0.5) * MIN_ROW_HEIGHT
                    self.style.write(ax, self.right + 2.0 * PADDING, middle, line)
                free_from = y + len(lines) * MIN_ROW_HEIGHT

    def write_names(self, ax: "Axes") -> None:
        """Write the names of the items, if they fit."""
        for row, lines in enumerate(self.labels if self.has_names else ()):
            y = float(self.y(np.array(row + 0.5)))
            self.style.write(ax, self.right + 2.0 * PADDING, y, lines[0])

    def write_notes(self, ax: "Axes") -> None:
        """Write what the dashed line is, and of how many items a sample, as far as they fit."""
        if not self.notes:
            return
        text = "; ".join(self.notes)
        if HEADING.width(text) > self.width - 2.0 * PADDING:
            text = self.notes[0]
        HEADING.write(ax, PADDING, TOP / 2.0, text, alpha=MUTED)

    def draw_scale(self, ax: "Axes") -> None:
        """Draw the scale of heights below the merges, from the highest to 0."""
        y = self.height - BOTTOM + 8.0
        ax.plot([PADDING, self.right], [y, y], color=text_color(), linewidth=0.6, clip_on=False)
        self.style.write(ax, PADDING, y + 8.0, f"{self.highest:.3g}", alpha=MUTED)
        self.style.write(ax, self.right, y + 8.0, "0", ha="right", alpha=MUTED)
        text = "height: 1 − similarity" if self.highest <= 1.0 else "height"
        ends = 2.0 * self.style.width(f"{self.highest:.3g}") + 4.0 * PADDING
        if self.style.width(text) < self.right - PADDING - ends:
            middle = (PADDING + self.right) / 2.0
            self.style.write(ax, middle, y + 8.0, text, ha="center", alpha=MUTED)
