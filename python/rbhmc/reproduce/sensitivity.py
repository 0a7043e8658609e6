"""Sensitivity: the change of AID and AOD against BHMC over a grid of strengths and margins."""

from typing import Any

import numpy as np

from rbhmc.plots import plot_sensitivity
from rbhmc.reproduce.intervals import Interval, change, contrast
from rbhmc.reproduce.setting import Section, Setting, new_figure
from rbhmc.studies import Case

STRENGTHS = (1e-3, 1e-2, 1e-1, 1.0)
MARGINS = (1e-2, 1e-1, 1.0, 10.0)
# With "skip", nodes of one item are left out; without, they count 0.
DISTANCES = ("aid", "aod", "aid skip", "aod skip")
Values = dict[str, list[float]]


def sensitivity(setting: Setting) -> Section:
    """Run the grid, and write a map and a table of the changes."""
    effort = setting.effort
    grid = [{"C": C, "margin": margin} for C in STRENGTHS for margin in MARGINS]
    cases = setting.measure_grid([{"C": 0.0}, *grid])
    plain = values_of(cases, {"C": 0.0})
    lines = [
        f"{effort.n_repeats} chains for each setting, {effort.n_warmup:,} sweeps dropped, every "
        f"{effort.thin}th of {effort.n_sweeps:,} kept; draws that are one single path left out. "
        "Change of the mean against BHMC, with a 95 % bootstrap interval over chains. Nodes of one "
        "item count 0; in the columns with \\* they are left out.",
        "",
        f"BHMC: AID {np.mean(plain['aid']):.3f}, AOD {np.mean(plain['aod']):.3f}, "
        f"{np.mean(plain['singular']):.2%} of draws singular.",
        "",
        "| C | margin | AID | AOD | AID\\* | AOD\\* | singular |",
        "|---|---|---|---|---|---|---|",
    ]
    rows: list[dict[str, Any]] = []
    for cell in grid:
        found = values_of(cases, cell)
        row: dict[str, Any] = {**cell, "singular": float(np.mean(found["singular"]))}
        for key in DISTANCES:
            row[key] = change(found[key], plain[key]) if found[key] and plain[key] else None
        rows.append(row)
        words = [row[key].text("{:+.1%}") if row[key] else "no such draw" for key in DISTANCES]
        lines.append(
            f"| {cell['C']:g} | {cell['margin']:g} | {' | '.join(words)} | {row['singular']:.2%} |"
        )
    lines += ["", maps(setting, rows)]
    numbers = {
        "BHMC": {key: float(np.mean(values)) for key, values in plain.items() if values},
        "cells": rows,
        "trends": trends(cases, plain),
    }
    return Section("Sensitivity", "\n".join(lines), numbers)


def maps(setting: Setting, rows: list[dict[str, Any]]) -> str:
    """Draw the changes of AID and AOD; a map needs a number in every cell."""
    whole = [key for key in ("aid", "aod") if all(row[key] for row in rows)]
    if not whole:
        return "No map: in some cells every draw is one single path."
    figure = new_figure(4.5 * len(whole), 3.6)
    for ax, key in zip(figure.subplots(1, len(whole), squeeze=False)[0], whole, strict=True):
        changes = [100.0 * row[key].value for row in rows]
        shaped = np.reshape(changes, (len(STRENGTHS), len(MARGINS)))
        plot_sensitivity(STRENGTHS, MARGINS, shaped, measure=key.upper(), ax=ax)
    return setting.save_figure(figure, "sensitivity")


def trends(cases: list[Case], plain: Values) -> dict[str, Interval | None]:
    """Compare the largest strength (margin) with the smallest, as a share of BHMC's mean."""
    low_C, high_C = STRENGTHS[0], STRENGTHS[-1]
    low_margin, high_margin = MARGINS[0], MARGINS[-1]
    sides = {
        "C": [({"C": low_C, "margin": at}, {"C": high_C, "margin": at}) for at in MARGINS],
        "margin": [
            ({"C": at, "margin": low_margin}, {"C": at, "margin": high_margin}) for at in STRENGTHS
        ],
    }
    found: dict[str, Interval | None] = {}
    for axis, cells in sides.items():
        values = [[values_of(cases, cell) for cell in pair] for pair in cells]
        for key in ("aid", "aod"):
            # Where every draw of a cell is singular there is nothing to compare.
            both = [(low[key], high[key]) for low, high in values if low[key] and high[key]]
            lows, highs = [low for low, _ in both], [high for _, high in both]
            found[f"{key} by {axis}"] = contrast(highs, lows, plain[key]) if both else None
    return found


def values_of(cases: list[Case], cell: dict[str, float]) -> Values:
    """Collect what was measured on the chains of a cell, without chains that had nothing.

    Examples
    --------
    >>> values = {"aid": 2.0, "aod": None, "aid skip": 3.0, "aod skip": None, "singular": 1.0}
    >>> values_of([Case({"C": 0.0}, 0, values)], {"C": 0.0})["aod"]
    []
    """
    own = [case.values for case in cases if case.settings == cell]
    return {
        key: [values[key] for values in own if values[key] is not None]
        for key in (*DISTANCES, "singular")
    }
