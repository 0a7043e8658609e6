"""Invalid arguments are refused with what is allowed; importing the plots needs no matplotlib."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from plots.figures import TREE, axes
from rbhmc import InvalidInput

EYE = np.eye(8)
PLANE = np.zeros((8, 2))
# Imported without types, since a type checker would refuse most of these calls.
plots: Any = importlib.import_module("rbhmc.plots")

BAD: dict[str, tuple[Callable[[], object], str]] = {
    "paths instead of a tree": (
        lambda: plots.plot_tree([[0], [1]]),
        "tree is a list; it must be a Tree, such as model.tree_",
    ),
    "matrix without a tree": (
        lambda: plots.plot_co_occurrence(EYE),
        "tree is a NoneType; it must be a Tree, such as model.tree_",
    ),
    "not axes": (
        lambda: plots.plot_tree(TREE, ax="here"),
        "ax is a str; it must be matplotlib",
    ),
    "max_items 0": (lambda: plots.plot_tree(TREE, max_items=0), "max_items is 0; it must be"),
    "max_items 1.5": (lambda: plots.plot_tree(TREE, max_items=1.5), "max_items is 1.5; it must be"),
    "min_support 2": (
        lambda: plots.plot_tree(TREE, min_support=2),
        "min_support is 2; it must be from 0 to 1",
    ),
    "too few pictures": (
        lambda: plots.plot_tree(TREE, images=np.zeros((7, 4, 4))),
        r"images has shape \(7, 4, 4\); it must have shape \(8, height, width\)",
    ),
    "pictures above 1": (
        lambda: plots.plot_tree(TREE, images=np.full((8, 4, 4, 3), 7.0)),
        "images goes from 7.0 to 7.0; channels must be bytes, or from 0",
    ),
    "pictures of text": (
        lambda: plots.plot_tree(TREE, images=np.full((8, 4, 4), "x")),
        "images holds values that are not finite numbers",
    ),
    "matrix of other items": (
        lambda: plots.plot_co_occurrence(np.eye(7), TREE),
        r"matrix has shape \(7, 7\); it must have shape \(8, 8\)",
    ),
    "counts instead of shares": (
        lambda: plots.plot_co_occurrence(5 * EYE, TREE),
        "it must hold shares of draws",
    ),
    "NaN in the matrix": (
        lambda: plots.plot_co_occurrence(np.where(EYE, np.nan, 0.0), TREE),
        r"matrix\[0, 0\] is nan; it must be finite",
    ),
    "level 0": (
        lambda: plots.plot_co_occurrence(EYE, TREE, level=0),
        "level is 0; it must be a whole",
    ),
    "level 3": (lambda: plots.plot_plane(PLANE, TREE, level=3), "level is 3; .* from 1 to 2"),
    "level True": (lambda: plots.plot_plane(PLANE, TREE, level=True), "level is True; it must be"),
    "not a figure": (
        lambda: plots.plot_traces({"cdll": [[1.0]]}, ["cdll"], figure=axes()),
        "figure is a Axes; it must be a matplotlib figure",
    ),
    "unknown trace": (
        lambda: plots.plot_traces({"cdll": [[1.0]]}, ["x"], figure=Figure()),
        "draws has no 'x'; it has cdll",
    ),
    "unknown trace, names with commas": (
        lambda: plots.plot_traces({"nodes, level 1": [[1.0]], "loss": [[1.0]]}, ["nodes"]),
        "draws has no 'nodes'; it has nodes, level 1; loss",
    ),
    "name instead of names": (
        lambda: plots.plot_traces({"cdll": [[1.0]]}, "cdll"),
        "names is 'cdll'; it must list",
    ),
    "one-dimensional traces": (
        lambda: plots.plot_traces({"cdll": [1.0]}, ["cdll"]),
        r"cdll has shape \(1,\); it must have shape \(n_chains, n_draws\)",
    ),
    "one column": (
        lambda: plots.plot_plane(np.zeros((8, 1)), TREE),
        "points has one column; it must have at least two",
    ),
    "too few points": (
        lambda: plots.plot_plane(np.zeros((7, 2)), TREE),
        r"points has shape \(7, 2\); it must have shape \(8, n_dims\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_arguments_are_refused_with_what_is_allowed(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(InvalidInput, match=message):
        call()


def test_matplotlib_is_only_needed_to_draw() -> None:
    code = """
import sys
sys.modules["matplotlib"] = None
from rbhmc import Tree, plots
tree = Tree.from_labels([[0], [1]])
assert plots.node_colors(tree)["1"] == "#0F5288"
try:
    plots.plot_tree(tree)
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "rbhmc[plots]"' in done.stdout
