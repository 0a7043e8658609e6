"""Co-occurrence: how often items share a node, by chain and level, and how uncertain that is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.plots import plot_co_occurrence_grid
from rbhmc.posterior.selection import select
from rbhmc.reproduce.intervals import Interval, between, change, change_between, mean
from rbhmc.reproduce.setting import CASE_CHAINS, Section, Setting, method_name
from rbhmc.tree import Tree


def co_occurrences(setting: Setting) -> Section:
    """Measure the maps of many chains for each of the paper's settings, and draw those of two."""
    table, effort = setting.table, setting.effort
    n_levels = table.settings["n_levels"]
    lines = [
        "With P the share of a chain's draws in which two items share their node, *uncertainty* is "
        "the mean over pairs of 4 P (1 − P), 0 where all draws agree and 1 where every pair is a "
        "coin toss; *apart* is the mean over pairs of chains of the mean difference of P. "
        f"{effort.n_chains} chains for each setting, with 95 % bootstrap intervals over chains; "
        f"the maps are of {CASE_CHAINS} chains.",
        "",
        "| setting | level | uncertainty | against BHMC | apart | against BHMC |",
        "|---|---|---|---|---|---|",
    ]
    maps = {
        name: np.array([found["together"] for found in chains])
        for name, chains in setting.measure_cases().items()
    }
    numbers: dict[str, list[dict[str, Any]]] = {}
    for name, shares in maps.items():
        numbers[name] = []
        for level in range(n_levels):
            found = compared(shares[:, level], maps["BHMC"][:, level])
            if name == "BHMC":
                found = {key: found[key] for key in ("uncertainty", "apart")}
            numbers[name].append(found)
            texts = [
                found[key].text(form) if key in found else ""
                for key, form in (
                    ("uncertainty", "{:.3f}"),
                    ("uncertainty change", "{:+.0%}"),
                    ("apart", "{:.3f}"),
                    ("apart change", "{:+.0%}"),
                )
            ]
            lines.append(f"| {name} | {level + 1} | " + " | ".join(texts) + " |")
    figures = []
    for (C, margin), draws in zip(table.cases, setting.draw_cases(), strict=True):
        best = draws.paths[select(draws.paths)]
        axes = plot_co_occurrence_grid(draws.paths, Tree.from_labels(best, names=table.names))
        figure = axes.flat[0].get_figure(root=True)
        figure.suptitle(method_name(C, margin), size=10)
        figures.append(setting.save_figure(figure, f"co-occurrence-C{C:g}-margin{margin:g}"))
    return Section("Co-occurrence", "\n".join([*lines, "", *figures]), numbers)


def compared(shares: NDArray[Any], plain: NDArray[Any]) -> dict[str, Interval]:
    """Uncertainty and distance of chains at a level, and their changes against BHMC.

    Parameters
    ----------
    shares, plain : array of shape (n_chains, n_pairs)
        How often the pairs of items share their node, of a setting and of BHMC.

    Examples
    --------
    >>> found = compared(np.array([[1.0], [0.0]]), np.array([[0.5], [0.25]]))
    >>> found["uncertainty"].value, found["uncertainty change"].value, found["apart change"].value
    (0.0, -1.0, 3.0)
    """
    unsure, plain_unsure = uncertainty(shares), uncertainty(plain)
    distances, plain_distances = apart(shares), apart(plain)
    return {
        "uncertainty": mean(unsure),
        "uncertainty change": change(unsure, plain_unsure),
        "apart": between(distances),
        "apart change": change_between(distances, plain_distances),
    }


def uncertainty(shares: NDArray[Any]) -> NDArray[Any]:
    """Mean over pairs of 4 P (1 - P), for each chain.

    Examples
    --------
    >>> uncertainty(np.array([[0.5, 1.0]]))
    array([0.5])
    """
    means: NDArray[Any] = (4.0 * shares * (1.0 - shares)).mean(axis=1)
    return means


def apart(shares: NDArray[Any]) -> NDArray[Any]:
    """Mean difference of P over pairs of items, for each pair of chains.

    Examples
    --------
    >>> apart(np.array([[0.5, 1.0], [0.5, 0.0]]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    return np.array([np.abs(shares - one).mean(axis=1) for one in shares])
