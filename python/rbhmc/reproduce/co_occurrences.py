"""Co-occurrence: how often items share a node, by chain and level, and how uncertain that is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.metrics import co_occurrence
from rbhmc.plots import plot_co_occurrence_grid
from rbhmc.reproduce.setting import CASE_CHAINS, Section, Setting, method_name
from rbhmc.selection import select
from rbhmc.tree import Tree


def co_occurrences(setting: Setting) -> Section:
    """Compare the maps of two chains for each of the paper's settings."""
    table = setting.table
    every = setting.draw_cases()
    n_levels = table.settings["n_levels"]
    lines = [
        "With P the share of draws in which two items share their node, *uncertainty* is the mean "
        "over pairs of 4 P (1 − P), 0 where all draws agree and 1 where every pair is a coin toss; "
        "*apart* is the mean difference of P between the two chains.",
        "",
        "| setting | "
        + " | ".join(f"level {n}: uncertainty, apart" for n in range(1, n_levels + 1))
        + " |",
        "|" + "---|" * (n_levels + 1),
    ]
    numbers: list[dict[str, Any]] = []
    figures = []
    for (C, margin), draws in zip(table.cases, every, strict=True):
        row: dict[str, Any] = {"C": C, "margin": margin, "uncertainty": [], "apart": []}
        for level in range(1, n_levels + 1):
            maps = [co_occurrence(draws.paths[chain], level) for chain in range(CASE_CHAINS)]
            row["uncertainty"].append(float(np.mean([uncertainty(one) for one in maps])))
            row["apart"].append(float(pairs(np.abs(maps[0] - maps[1])).mean()))
        numbers.append(row)
        cells = zip(row["uncertainty"], row["apart"], strict=True)
        lines.append(
            f"| {method_name(C, margin)} | "
            + " | ".join(f"{sure:.3f}, {apart:.3f}" for sure, apart in cells)
            + " |"
        )
        best = draws.paths[select(draws.paths)]
        axes = plot_co_occurrence_grid(draws.paths, Tree.from_labels(best, names=table.names))
        figure = axes.flat[0].get_figure(root=True)
        figure.suptitle(method_name(C, margin), size=10)
        figures.append(setting.save_figure(figure, f"co-occurrence-C{C:g}-margin{margin:g}"))
    return Section("Co-occurrence", "\n".join([*lines, "", *figures]), numbers)


def uncertainty(together: NDArray[np.floating[Any]]) -> float:
    """Mean over pairs of 4 P (1 - P).

    Examples
    --------
    >>> uncertainty(np.array([[1.0, 0.5], [0.5, 1.0]]))
    1.0
    """
    shares = pairs(together)
    return float((4.0 * shares * (1.0 - shares)).mean())


def pairs(matrix: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Entries of a symmetric matrix above its diagonal.

    Examples
    --------
    >>> pairs(np.array([[1.0, 0.25], [0.25, 1.0]]))
    array([0.25])
    """
    return matrix[np.triu_indices(len(matrix), k=1)]
