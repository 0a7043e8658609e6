"""The likelihoods of the chains and what they learned, thin enough for a page."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.diagnostics.summaries import learned_summaries
from rbhmc.plots.palette import series_colors

if TYPE_CHECKING:
    from rbhmc.draws import Draws

MOST = 1000


def chain_names(draws: "Draws") -> list[str]:
    """Call chains by the numbers that they had in the run, of which some may have been lost."""
    kept = draws.settings.get("chains", range(draws.n_chains))
    return [f"Chain {number + 1}" for number in kept]


def trace_rows(draws: "Draws") -> dict[str, Any]:
    """Take every k-th draw of each chain, such that there are no more than 1,000.

    Returns
    -------
    dict
        ``step``, which is k; ``n_draws``; ``names`` and ``colors`` of the chains; ``series``, a
        list of names and numbers (chain by chain): the likelihoods, of which CDLL alone where
        regularisation makes no difference, and what was learned.
    """
    step = -(-draws.n_draws // MOST)
    named = {"RCDLL": draws.rcdll, "CDLL": draws.cdll}
    if np.array_equal(draws.rcdll, draws.cdll):
        del named["RCDLL"]
    named |= learned_summaries(draws)
    return {
        "step": step,
        "n_draws": draws.n_draws,
        "names": chain_names(draws),
        "colors": series_colors(draws.n_chains),
        "series": [
            {"name": name, "chains": [_short(chain[::step]) for chain in values]}
            for name, values in named.items()
        ],
    }


def _short(values: NDArray[np.float64]) -> list[float | None]:
    return [float(f"{value:.7g}") if np.isfinite(value) else None for value in values.tolist()]
