"""Convergence: CDLL and RCDLL of four chains from their start, for several settings."""

import itertools

import numpy as np
from numpy.typing import NDArray

from rbhmc._extras import require
from rbhmc.plots import plot_traces
from rbhmc.reproduce.setting import Section, Setting, method_name, new_figure

STRENGTHS = (0.01, 0.1, 1.0)
MARGINS = (0.1, 1.0, 10.0)
N_CHAINS = 4
THIN = 10


def convergence(setting: Setting) -> Section:
    """Trace four chains for each setting, and compare their second halves by R-hat."""
    cells = [(0.0, 1.0), *itertools.product(STRENGTHS, MARGINS)]
    n_draws = setting.effort.n_trace // THIN
    place = setting.folder / "chains"
    every = setting.draw(cells, N_CHAINS, n_warmup=0, n_draws=n_draws, thin=THIN, place=place)
    lines = [
        f"{N_CHAINS} chains of {setting.effort.n_trace:,} sweeps from the prior; R-hat is of their "
        "second halves, and *settled* is the first sweep from which on the mean over chains stays "
        "within two standard deviations of the second halves.",
        "",
        "| setting | RCDLL | R-hat | settled | CDLL | R-hat |",
        "|---|---|---|---|---|---|",
    ]
    numbers, figures = [], []
    for (C, margin), draws in zip(cells, every, strict=True):
        name = method_name(C, margin)
        found = {"C": C, "margin": margin, "settled": settled(draws.rcdll) * THIN}
        for key in ("rcdll", "cdll"):
            half = getattr(draws, key)[:, n_draws // 2 :]
            found[key] = float(half.mean())
            found[f"{key} rhat"] = rhat(half)
        numbers.append(found)
        lines.append(
            f"| {name} | {found['rcdll']:.1f} | {found['rcdll rhat']:.3f} | {found['settled']:,} "
            f"| {found['cdll']:.1f} | {found['cdll rhat']:.3f} |"
        )
        figure = new_figure(9.0, 3.2)
        plot_traces(draws, figure=figure)
        figure.suptitle(f"{name}: a draw is {THIN} sweeps", size=10)
        figures.append(setting.save_figure(figure, f"traces-C{C:g}-margin{margin:g}"))
    lines += ["", *figures]
    return Section("Convergence", "\n".join(lines), numbers)


def rhat(values: NDArray[np.float64]) -> float:
    """Rank-normalised split R-hat of (chain, draw)."""
    stats = require("arviz_stats.base", "diagnostics")
    return float(stats.array_stats.rhat(values, method="rank"))


def settled(values: NDArray[np.float64]) -> int:
    """First draw from which on the chains' mean stays where the second halves are.

    Examples
    --------
    >>> settled(np.array([[0.0, 0.0, 9.0, 9.0, 9.1, 8.9, 9.2, 8.8]]))
    2
    """
    half = values[:, values.shape[1] // 2 :]
    astray = np.abs(values.mean(axis=0) - half.mean()) > 2.0 * half.std()
    # The second half is settled by definition, or nothing is.
    astray[values.shape[1] // 2 :] = False
    return int(np.flatnonzero(astray)[-1]) + 1 if astray.any() else 0
