"""Sensitivity: the change of AID and AOD against BHMC over a grid of strengths and margins."""

from typing import Any

import numpy as np

from rbhmc.plots import plot_sensitivity
from rbhmc.reproduce.intervals import change
from rbhmc.reproduce.setting import Section, Setting, new_figure
from rbhmc.studies import Case

STRENGTHS = (1e-3, 1e-2, 1e-1, 1.0)
MARGINS = (1e-2, 1e-1, 1.0, 10.0)


def sensitivity(setting: Setting) -> Section:
    """Run the grid, and write a map and a table of the changes."""
    effort = setting.effort
    grid = [{"C": 0.0}, *({"C": C, "margin": margin} for C in STRENGTHS for margin in MARGINS)]
    cases = setting.measure(grid, effort.n_repeats, random_state=0)
    plain = values_of(cases, {"C": 0.0})
    lines = [
        f"{effort.n_repeats} chains for each setting, {effort.n_warmup:,} sweeps dropped, every "
        f"{effort.thin}th of {effort.n_sweeps:,} kept; draws that are one single path left out. "
        "Change of the mean against BHMC, with a 95 % bootstrap interval over chains.",
        "",
        f"BHMC: AID {np.mean(plain['aid']):.3f}, AOD {np.mean(plain['aod']):.3f}, "
        f"{np.mean(plain['singular']):.2%} of draws singular.",
        "",
        "| C | margin | AID | AOD | singular |",
        "|---|---|---|---|---|",
    ]
    numbers: list[dict[str, Any]] = []
    for cell in grid[1:]:
        found = values_of(cases, cell)
        row: dict[str, Any] = {**cell, "singular": float(np.mean(found["singular"]))}
        for key in ("aid", "aod"):
            row[key] = change(found[key], plain[key]) if found[key] else None
        numbers.append(row)
        words = [
            "every draw singular" if row[key] is None else row[key].text("{:+.1%}")
            for key in ("aid", "aod")
        ]
        lines.append(
            f"| {cell['C']:g} | {cell['margin']:g} | {words[0]} | {words[1]} "
            f"| {row['singular']:.2%} |"
        )
    figure = new_figure(9.0, 3.6)
    for ax, key in zip(figure.subplots(1, 2), ("aid", "aod"), strict=True):
        changes = [np.nan if row[key] is None else 100.0 * row[key].value for row in numbers]
        shaped = np.reshape(changes, (len(STRENGTHS), len(MARGINS)))
        plot_sensitivity(STRENGTHS, MARGINS, shaped, measure=key.upper(), ax=ax)
    lines += ["", setting.save_figure(figure, "sensitivity")]
    return Section("Sensitivity", "\n".join(lines), numbers)


def values_of(cases: list[Case], cell: dict[str, float]) -> dict[str, list[float]]:
    """Collect what was measured on the chains of a cell, without chains that had nothing.

    Examples
    --------
    >>> case = Case({"C": 0.0}, 0, {"aid": 2.0, "aod": None, "singular": 1.0})
    >>> values_of([case], {"C": 0.0})
    {'aid': [2.0], 'aod': [], 'singular': [1.0]}
    """
    own = [case.values for case in cases if case.settings == cell]
    return {
        key: [values[key] for values in own if values[key] is not None]
        for key in ("aid", "aod", "singular")
    }
