"""The paper's five experiments, each a function that returns a section of the page."""

import itertools
from typing import Any

import numpy as np
from arviz_stats import base
from numpy.typing import NDArray

from paper.experiment import (
    N_AVERAGED_DRAWS,
    N_SHOWN_CHAINS,
    Experiment,
    Section,
    method_name,
    new_figure,
)
from paper.figures import plot_co_occurrence_grid, plot_f_measure, plot_sensitivity
from paper.intervals import (
    Interval,
    change,
    change_between_chains,
    contrast,
    difference,
    mean,
    mean_between_chains,
)
from paper.studies import StudyRun
from rbhmc.metrics import aid, aod, dendrogram_purity, f_measure, is_singular
from rbhmc.plots import plot_traces, plot_tree
from rbhmc.posterior.selection import select
from rbhmc.tree import Tree

# The traces.
TRACE_STRENGTHS = (0.01, 0.1, 1.0)
TRACE_MARGINS = (0.1, 1.0, 10.0)
N_TRACE_CHAINS = 4
TRACE_THIN = 10
# The sensitivity map.
STRENGTHS = (1e-3, 1e-2, 1e-1, 1.0)
MARGINS = (1e-2, 1e-1, 1.0, 10.0)
# "skip" leaves out nodes with one item, which otherwise count 0.
DISTANCES = ("aid", "aod", "aid skip", "aod skip")
Values = dict[str, list[float]]


def convergence(experiment: Experiment) -> Section:
    """Trace four chains for each setting, and compare their second halves by R-hat."""
    cells = [(0.0, 1.0), *itertools.product(TRACE_STRENGTHS, TRACE_MARGINS)]
    n_sweeps = experiment.effort.n_trace
    n_draws = n_sweeps // TRACE_THIN
    every = experiment.draw(
        cells,
        N_TRACE_CHAINS,
        n_warmup=0,
        n_draws=n_draws,
        thin=TRACE_THIN,
        folder=experiment.folder / "chains",
    )
    lines = [
        f"{N_TRACE_CHAINS} chains of {n_sweeps:,} sweeps from the prior; R-hat is of their second "
        "halves, and *settled* is the first sweep from which the mean over chains stays within two "
        "standard deviations of the second halves.",
        "",
        "| setting | RCDLL | R-hat | settled | CDLL | R-hat |",
        "|---|---|---|---|---|---|",
    ]
    numbers, figures = [], []
    for (C, margin), draws in zip(cells, every, strict=True):
        name = method_name(C, margin)
        row = {"C": C, "margin": margin, "settled": settled(draws.rcdll) * TRACE_THIN}
        for key in ("rcdll", "cdll"):
            half = getattr(draws, key)[:, n_draws // 2 :]
            row[key] = float(half.mean())
            row[f"{key} rhat"] = rhat(half)
        numbers.append(row)
        lines.append(
            f"| {name} | {row['rcdll']:.1f} | {row['rcdll rhat']:.3f} | {row['settled']:,} "
            f"| {row['cdll']:.1f} | {row['cdll rhat']:.3f} |"
        )
        figure = new_figure(9.0, 3.2)
        plot_traces(draws, figure=figure)
        figure.suptitle(f"{name}: a draw is {TRACE_THIN} sweeps", size=10)
        figures.append(experiment.save_figure(figure, f"traces-C{C:g}-margin{margin:g}"))
    return Section("Convergence", "\n".join([*lines, "", *figures]), numbers)


def rhat(values: NDArray[np.float64]) -> float:
    """Return the rank-normalised split R-hat of values of shape (n_chains, n_draws)."""
    stats: Any = base
    return float(stats.array_stats.rhat(values, method="rank"))


def settled(values: NDArray[np.float64]) -> int:
    """Return the first draw from which the mean over chains stays near the second halves.

    Examples
    --------
    >>> settled(np.array([[0.0, 0.0, 9.0, 9.0, 9.1, 8.9, 9.2, 8.8]]))
    2
    """
    half = values[:, values.shape[1] // 2 :]
    outside = np.abs(values.mean(axis=0) - half.mean()) > 2.0 * half.std()
    # The second half counts as settled.
    outside[values.shape[1] // 2 :] = False
    return int(np.flatnonzero(outside)[-1]) + 1 if outside.any() else 0


def sensitivity(experiment: Experiment) -> Section:
    """Compute the change of AID and AOD against BHMC over a grid of strengths and margins."""
    effort = experiment.effort
    grid = [{"C": C, "margin": margin} for C in STRENGTHS for margin in MARGINS]
    runs = experiment.measure_grid([{"C": 0.0}, *grid])
    plain = values_of(runs, {"C": 0.0})
    lines = [
        f"{effort.n_repeats} chains for each setting, {effort.n_warmup:,} sweeps of warm-up, then "
        f"every {effort.thin}th of {effort.n_sweeps:,} sweeps; without draws that are one single "
        "path. Change of the mean against BHMC, with a 95 % bootstrap interval over chains. Nodes "
        "with one item count 0; the columns with \\* leave them out.",
        "",
        f"BHMC: AID {np.mean(plain['aid']):.3f}, AOD {np.mean(plain['aod']):.3f}, "
        f"{np.mean(plain['singular']):.2%} of draws singular.",
        "",
        "| C | margin | AID | AOD | AID\\* | AOD\\* | singular |",
        "|---|---|---|---|---|---|---|",
    ]
    rows: list[dict[str, Any]] = []
    for cell in grid:
        values = values_of(runs, cell)
        row: dict[str, Any] = {**cell, "singular": float(np.mean(values["singular"]))}
        for key in DISTANCES:
            row[key] = change(values[key], plain[key]) if values[key] and plain[key] else None
        rows.append(row)
        texts = [row[key].text("{:+.1%}") if row[key] else "no such draw" for key in DISTANCES]
        lines.append(
            f"| {cell['C']:g} | {cell['margin']:g} | {' | '.join(texts)} | {row['singular']:.2%} |"
        )
    lines += ["", _sensitivity_maps(experiment, rows)]
    numbers = {
        "BHMC": {key: float(np.mean(values)) for key, values in plain.items() if values},
        "cells": rows,
        "trends": _trends(runs, plain),
    }
    return Section("Sensitivity", "\n".join(lines), numbers)


def _sensitivity_maps(experiment: Experiment, rows: list[dict[str, Any]]) -> str:
    """Draw the changes of AID and AOD; a map needs a number in every cell."""
    complete = [key for key in ("aid", "aod") if all(row[key] for row in rows)]
    if not complete:
        return "No map: in some cells every draw is one single path."
    figure = new_figure(4.5 * len(complete), 3.6)
    for ax, key in zip(figure.subplots(1, len(complete), squeeze=False)[0], complete, strict=True):
        changes = [100.0 * row[key].value for row in rows]
        shaped = np.reshape(changes, (len(STRENGTHS), len(MARGINS)))
        plot_sensitivity(STRENGTHS, MARGINS, shaped, measure=key.upper(), ax=ax)
    return experiment.save_figure(figure, "sensitivity")


def _trends(runs: list[StudyRun], plain: Values) -> dict[str, Interval | None]:
    """Compare the largest strength (margin) with the smallest, as a share of BHMC's mean."""
    low_C, high_C = STRENGTHS[0], STRENGTHS[-1]
    low_margin, high_margin = MARGINS[0], MARGINS[-1]
    sides = {
        "C": [({"C": low_C, "margin": at}, {"C": high_C, "margin": at}) for at in MARGINS],
        "margin": [
            ({"C": at, "margin": low_margin}, {"C": at, "margin": high_margin}) for at in STRENGTHS
        ],
    }
    trends: dict[str, Interval | None] = {}
    for axis, cells in sides.items():
        values = [[values_of(runs, cell) for cell in pair] for pair in cells]
        for key in ("aid", "aod"):
            # A cell whose draws are all singular has no value to compare.
            both = [(low[key], high[key]) for low, high in values if low[key] and high[key]]
            lows, highs = [low for low, _ in both], [high for _, high in both]
            trends[f"{key} by {axis}"] = contrast(highs, lows, plain[key]) if both else None
    return trends


def values_of(runs: list[StudyRun], cell: dict[str, float]) -> Values:
    """Collect the measured values of a cell, without those that are None.

    Examples
    --------
    >>> values = {"aid": 2.0, "aod": None, "aid skip": 3.0, "aod skip": None, "singular": 1.0}
    >>> values_of([StudyRun({"C": 0.0}, 0, values)], {"C": 0.0})["aod"]
    []
    """
    own = [run.values for run in runs if run.settings == cell]
    return {
        key: [values[key] for values in own if values[key] is not None]
        for key in (*DISTANCES, "singular")
    }


def case(experiment: Experiment) -> Section:
    """Draw the tree of highest RCDLL of each chain of the published settings."""
    effort, table = experiment.effort, experiment.table
    lines = [
        f"The draw of highest RCDLL of each of {N_SHOWN_CHAINS} chains ({effort.n_warmup:,} sweeps "
        f"of warm-up, then every {effort.thin}th of {effort.n_sweeps:,} sweeps); the last two "
        "columns are means over draws.",
        "",
        "| setting | chain | F by level | purity | AID | AOD | leaves "
        "| leaves, mean | nodes of one item, mean |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    numbers: list[dict[str, Any]] = []
    figures = []
    for (C, margin), draws in zip(table.published, experiment.draw_published(), strict=True):
        for chain in range(N_SHOWN_CHAINS):
            paths = draws.paths[chain, int(np.argmax(draws.rcdll[chain]))]
            tree = Tree.from_labels(paths, names=table.names)
            row = {
                "C": C,
                "margin": margin,
                "chain": chain,
                "f": f_measure(paths, table.classes).tolist(),
                "purity": float(dendrogram_purity(paths, table.classes)),
                "aid": float(aid(table.X, paths)),
                "aod": None if is_singular(paths) else float(aod(table.X, paths)),
                "n_leaves": len(tree.leaves),
                **mean_sizes(draws.paths[chain]),
                "tree": str(tree),
            }
            numbers.append(row)
            scores = ", ".join(f"{value:.2f}" for value in row["f"])
            aod_text = "one path" if row["aod"] is None else f"{row['aod']:.2f}"
            lines.append(
                f"| {method_name(C, margin)} | {chain} | {scores} | {row['purity']:.2f} "
                f"| {row['aid']:.2f} | {aod_text} | {row['n_leaves']} "
                f"| {row['mean leaves']:.1f} | {row['alone']:.0%} |"
            )
            ax = plot_tree(tree, images=table.images)
            ax.set_title(f"{method_name(C, margin)}, chain {chain}", size=10)
            name = f"tree-C{C:g}-margin{margin:g}-chain{chain}"
            figures.append(experiment.save_figure(ax.get_figure(), name))
    return Section("Case", "\n".join([*lines, "", *figures]), numbers)


def mean_sizes(paths: NDArray[Any]) -> dict[str, float]:
    """Return means over draws: the number of leaves, and the share of nodes with one item.

    Examples
    --------
    >>> mean_sizes(np.array([[[0, 0], [0, 0], [1, 1]], [[0, 0], [0, 1], [0, 2]]]))
    {'mean leaves': 2.5, 'alone': 0.625}
    """
    leaves, alone = [], []
    for tree in paths[:: max(1, len(paths) // N_AVERAGED_DRAWS)]:
        sizes = [np.unique(column, return_counts=True)[1] for column in tree.T]
        leaves.append(len(sizes[-1]))
        alone.append(np.mean(np.concatenate(sizes) == 1))
    return {"mean leaves": float(np.mean(leaves)), "alone": float(np.mean(alone))}


def f_measures(experiment: Experiment) -> Section:
    """Compare F and purity of RBHMC with BHMC, by chains of equal number."""
    effort, table = experiment.effort, experiment.table
    # One column for each level, and one for the purity of the whole tree.
    scores = {
        name: np.array([[*values["f"], values["purity"]] for values in chains])
        for name, chains in experiment.measure_published().items()
    }
    n_levels = table.settings["n_levels"]
    heads = [*(f"F, level {n}" for n in range(1, n_levels + 1)), "dendrogram purity"]
    lines = [
        f"{effort.n_chains} chains for each setting, the draw of highest RCDLL of each. Means with "
        "95 % bootstrap intervals; below, the difference from BHMC of chains of equal number.",
        "",
        "| setting | " + " | ".join(heads) + " |",
        "|" + "---|" * (len(heads) + 1),
    ]
    numbers: dict[str, Any] = {}
    for name, values in scores.items():
        means = [mean(column) for column in values.T]
        numbers[name] = {"values": values.tolist(), "mean": means}
        lines.append(f"| {name} | " + " | ".join(one.text("{:.3f}") for one in means) + " |")
    plain = scores["BHMC"]
    for name, values in scores.items():
        if name == "BHMC":
            continue
        gains = [difference(column, base) for column, base in zip(values.T, plain.T, strict=True)]
        numbers[name]["gain"] = gains
        texts = " | ".join(one.text("{:+.3f}") for one in gains)
        lines.append(f"| {name}, less BHMC | {texts} |")
    figure = new_figure(7.5, 4.0)
    by_level = {name: values[:, :n_levels] for name, values in scores.items()}
    plot_f_measure(by_level, ax=figure.add_subplot())
    lines += ["", experiment.save_figure(figure, "f-measure")]
    return Section("F-measure", "\n".join(lines), numbers)


def co_occurrences(experiment: Experiment) -> Section:
    """Measure how uncertain the co-occurrence is, within and between chains, and draw maps."""
    table, effort = experiment.table, experiment.effort
    n_levels = table.settings["n_levels"]
    lines = [
        "With P the share of a chain's draws in which two items share their node, *uncertainty* is "
        "the mean over pairs of 4 P (1 − P), 0 where all draws agree and 1 where every pair is a "
        "coin toss; *apart* is the mean over pairs of chains of the mean difference of P. "
        f"{effort.n_chains} chains for each setting, with 95 % bootstrap intervals over chains; "
        f"the maps are of {N_SHOWN_CHAINS} chains.",
        "",
        "| setting | level | uncertainty | against BHMC | apart | against BHMC |",
        "|---|---|---|---|---|---|",
    ]
    maps = {
        name: np.array([values["together"] for values in chains])
        for name, chains in experiment.measure_published().items()
    }
    numbers: dict[str, list[dict[str, Any]]] = {}
    for name, shares in maps.items():
        numbers[name] = []
        for level in range(n_levels):
            row = compare_co_occurrence(shares[:, level], maps["BHMC"][:, level])
            if name == "BHMC":
                row = {key: row[key] for key in ("uncertainty", "apart")}
            numbers[name].append(row)
            texts = [
                row[key].text(form) if key in row else ""
                for key, form in (
                    ("uncertainty", "{:.3f}"),
                    ("uncertainty change", "{:+.0%}"),
                    ("apart", "{:.3f}"),
                    ("apart change", "{:+.0%}"),
                )
            ]
            lines.append(f"| {name} | {level + 1} | " + " | ".join(texts) + " |")
    figures = []
    for (C, margin), draws in zip(table.published, experiment.draw_published(), strict=True):
        best = draws.paths[select(draws.paths)]
        figure = plot_co_occurrence_grid(draws.paths, Tree.from_labels(best, names=table.names))
        figure.suptitle(method_name(C, margin), size=10)
        figures.append(experiment.save_figure(figure, f"co-occurrence-C{C:g}-margin{margin:g}"))
    return Section("Co-occurrence", "\n".join([*lines, "", *figures]), numbers)


def compare_co_occurrence(shares: NDArray[Any], plain: NDArray[Any]) -> dict[str, Interval]:
    """Return uncertainty and distance of chains at a level, and their changes against BHMC.

    Parameters
    ----------
    shares, plain : array of shape (n_chains, n_pairs)
        Co-occurrence of the pairs of items, of a setting and of BHMC.

    Examples
    --------
    >>> row = compare_co_occurrence(np.array([[1.0], [0.0]]), np.array([[0.5], [0.25]]))
    >>> row["uncertainty"].value, row["uncertainty change"].value, row["apart change"].value
    (0.0, -1.0, 3.0)
    """
    distances, plain_distances = chain_distances(shares), chain_distances(plain)
    return {
        "uncertainty": mean(uncertainty(shares)),
        "uncertainty change": change(uncertainty(shares), uncertainty(plain)),
        "apart": mean_between_chains(distances),
        "apart change": change_between_chains(distances, plain_distances),
    }


def uncertainty(shares: NDArray[Any]) -> NDArray[Any]:
    """Return the mean over pairs of 4 P (1 - P), for each chain.

    Examples
    --------
    >>> uncertainty(np.array([[0.5, 1.0]]))
    array([0.5])
    """
    means: NDArray[Any] = (4.0 * shares * (1.0 - shares)).mean(axis=1)
    return means


def chain_distances(shares: NDArray[Any]) -> NDArray[Any]:
    """Return the mean difference of P over pairs of items, for each pair of chains.

    Examples
    --------
    >>> chain_distances(np.array([[0.5, 1.0], [0.5, 0.0]]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    return np.array([np.abs(shares - one).mean(axis=1) for one in shares])
