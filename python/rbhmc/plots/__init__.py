"""Figures of trees and of their posterior, drawn with matplotlib.

Every function draws on the given axes or figure, or opens a new figure, and returns the axes; none
calls ``pyplot.show``. A node has the same colour in all figures, see `node_colors`.

Examples
--------
>>> from matplotlib.figure import Figure
>>> from rbhmc import Tree, plots
>>> tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
>>> plots.plot_tree(tree, ax=Figure().add_subplot()).texts[-1].get_text()
'cat'
"""

from rbhmc.plots.co_occurrence import plot_co_occurrence
from rbhmc.plots.dendrogram import plot_dendrogram
from rbhmc.plots.palette import node_colors
from rbhmc.plots.plane import plot_plane
from rbhmc.plots.traces import plot_traces
from rbhmc.plots.tree import plot_tree
from rbhmc.plots.tuning import plot_tuning

__all__ = [
    "node_colors",
    "plot_co_occurrence",
    "plot_dendrogram",
    "plot_plane",
    "plot_traces",
    "plot_tree",
    "plot_tuning",
]
