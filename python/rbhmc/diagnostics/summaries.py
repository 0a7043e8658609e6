"""Figures of each draw that are the same for every numbering of its nodes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc.diagnostics.shares import n_log_n, shared_n_log_n
from rbhmc.draws import Draws
from rbhmc.tree.labels import as_labels

Floats = NDArray[np.float64]

OF_A_DRAW = {"RCDLL": "rcdll", "CDLL": "cdll", "loss": "loss", "components": "n_components"}

# Equal figures must stay equal: ranks would make much of what rounding makes different.
DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Summary:
    """One figure of each draw.

    Attributes
    ----------
    name : str
        As people read it.
    level : int or None
        The level that it is about; None where it is about the whole tree.
    values : array of shape (n_chains, n_draws)
    """

    name: str
    level: int | None
    values: Floats


def summaries(draws: Draws, selected_paths: ArrayLike) -> list[Summary]:
    """All figures of each draw; see `rbhmc.diagnostics.diagnose`."""
    for attribute in ("paths", "n_nodes", *OF_A_DRAW.values()):
        if not hasattr(draws, attribute):
            raise InvalidInput(
                f"draws is a {type(draws).__name__} without {attribute}; it must be the draws "
                "of a run, such as model.draws_"
            )
    if draws.paths.ndim != 4 or draws.paths.size == 0:
        raise InvalidInput(
            f"draws.paths has shape {draws.paths.shape}; it must have shape (n_chains, n_draws, "
            "n_items, n_levels), with one of each at least"
        )
    n_chains, n_draws, n_items, n_levels = draws.paths.shape
    selected = as_labels(selected_paths, "selected_paths", dims=(2,))
    if selected.shape != (n_levels, n_items):
        raise InvalidInput(
            f"selected_paths has shape {selected.shape[::-1]}; it must have the shape of one "
            f"draw, ({n_items}, {n_levels}), such as model.tree_.paths"
        )
    effective, distance = _partitions(draws.paths, selected)
    shape = (n_chains, n_draws)
    found = [
        Summary(name, None, _checked(attribute, getattr(draws, attribute), shape))
        for name, attribute in OF_A_DRAW.items()
    ]
    found += [
        Summary(name, None, _checked(name, values, shape))
        for name, values in learned_figures(draws).items()
    ]
    of_levels = {
        "nodes": _checked("n_nodes", draws.n_nodes, (*shape, n_levels)),
        "effective clusters": effective,
        "distance to the tree": distance,
    }
    return found + [
        Summary(f"{name}, level {level + 1}", level + 1, values[..., level])
        for name, values in of_levels.items()
        for level in range(n_levels)
    ]


def learned_figures(draws: Draws) -> dict[str, Floats]:
    """One figure of each draw for each learned parameter, by name; of a diagonal, its mean."""
    return {
        name if values.ndim == 2 else f"{name}, mean": values.reshape(*values.shape[:2], -1).mean(2)
        for name, values in getattr(draws, "learned", {}).items()
    }


def _partitions(paths: NDArray[np.int32], selected: NDArray[np.int32]) -> tuple[Floats, Floats]:
    """Effective clusters and distance to the selected tree, (chain, draw, level) each.

    With S = Σ n log2 n over the clusters of a draw, of the selected tree (S'), or over what each
    two of them share (S''), N items have

        entropy H = log2 N - S/N,  effective clusters = 2^H,  VI = (S + S' - 2S'')/N bits.
    """
    n_levels, n_items = selected.shape
    effective = np.empty((*paths.shape[:2], n_levels))
    distance = np.empty_like(effective)
    for level in range(n_levels):
        numbers = selected[level].astype(np.intp)
        of_selected = n_log_n(np.sort(numbers)[None, :])
        for chain, of_chain in enumerate(paths):
            of_draw, of_both = shared_n_log_n(of_chain[..., level], numbers)
            effective[chain, :, level] = n_items * np.exp2(-of_draw / n_items)
            distance[chain, :, level] = (of_draw + of_selected - 2 * of_both) / n_items
    # Adding 0 turns -0 into 0.
    return effective.round(DECIMALS), distance.round(DECIMALS) + 0.0


def _checked(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise InvalidInput(f"draws.{name} has shape {array.shape}; it must have shape {shape}")
    if not np.isfinite(array).all():
        chain, draw = np.argwhere(~np.isfinite(array))[0][:2]
        raise InvalidInput(
            f"draws.{name} is not finite in draw {draw} of chain {chain}; leave that chain out"
        )
    return array
