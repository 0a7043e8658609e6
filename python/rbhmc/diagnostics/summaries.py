"""Summaries of each draw that are invariant to a renumbering of its nodes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput, compare_partitions
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.tree.labels import Labels, as_labels

Floats = NDArray[np.float64]

# Summaries of the whole tree: the name in the table, and the attribute of `Draws`.
TREE_SUMMARIES = {"RCDLL": "rcdll", "CDLL": "cdll", "loss": "loss", "components": "n_components"}

# R-hat uses ranks: values that differ only by floating-point error must be equal.
DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Summary:
    """One number for each draw.

    Attributes
    ----------
    name : str
        The name in the table.
    level : int or None
        The level that it describes; None if it describes the whole tree.
    values : array of shape (n_chains, n_draws)
    """

    name: str
    level: int | None
    values: Floats


def summarize_draws(draws: Draws, selected_paths: ArrayLike) -> list[Summary]:
    """Compute all summaries of each draw; see `rbhmc.diagnostics.diagnose`."""
    for attribute in ("paths", "n_nodes", *TREE_SUMMARIES.values()):
        if not hasattr(draws, attribute):
            raise InvalidInput(
                f"draws is a {type(draws).__name__} without {attribute}; it must be the draws "
                "of a run, such as model.draws_"
            )
    if draws.paths.ndim != 4 or draws.paths.size == 0:
        raise InvalidInput(
            f"draws.paths has shape {draws.paths.shape}; it must have shape (n_chains, n_draws, "
            "n_items, n_levels), with at least one of each"
        )
    n_chains, n_draws, n_items, n_levels = draws.paths.shape
    selected = as_labels(selected_paths, "selected_paths", dims=(2,))
    if selected.shape != (n_levels, n_items):
        raise InvalidInput(
            f"selected_paths has shape {selected.shape[::-1]}; it must have the shape of one "
            f"draw, ({n_items}, {n_levels}), such as model.tree_.paths"
        )
    shape = (n_chains, n_draws)
    of_tree = {
        name: _check_values(attribute, getattr(draws, attribute), shape)
        for name, attribute in TREE_SUMMARIES.items()
    }
    for name, values in learned_summaries(draws).items():
        of_tree[name] = _check_values(name, values, shape)
    effective, distance = _summarize_partitions(draws, selected)
    of_levels = {
        "nodes": _check_values("n_nodes", draws.n_nodes, (*shape, n_levels)),
        "effective clusters": effective,
        "distance to the tree": distance,
    }
    return [
        *(Summary(name, None, values) for name, values in of_tree.items()),
        *(
            Summary(f"{name}, level {level + 1}", level + 1, values[..., level])
            for name, values in of_levels.items()
            for level in range(n_levels)
        ),
    ]


def learned_summaries(draws: Draws) -> dict[str, Floats]:
    """Return one number per draw for each learned parameter; the mean of a diagonal."""
    return {
        name if values.ndim == 2 else f"{name}, mean": values.reshape(*values.shape[:2], -1).mean(2)
        for name, values in getattr(draws, "learned", {}).items()
    }


def _summarize_partitions(draws: Draws, selected: Labels) -> tuple[Floats, Floats]:
    """Return effective clusters and distances to the selected tree, each (chain, draw, level).

    The distance is the variation of information in bits. Measured from a single cluster it is the
    entropy H of a partition, and 2^H is the effective number of clusters.
    """
    n_levels, n_items = selected.shape
    blocks = TreeBlocks(draws if isinstance(draws, Draws) else draws.paths)
    entropy = np.empty((blocks.n_chains, blocks.n_draws, n_levels))
    distance = np.empty_like(entropy)
    one_cluster = np.zeros(n_items, np.int32)
    for block in blocks.read():
        for level in range(n_levels):
            references = np.stack([one_cluster, selected[level]])
            compared = compare_partitions(references, block.trees[:, level], "vi")
            entropy[block.chain, block.draws, level] = compared[0]
            distance[block.chain, block.draws, level] = compared[1]
    # Adding 0 turns -0 into 0.
    return np.exp2(entropy).round(DECIMALS), distance.round(DECIMALS) + 0.0


def _check_values(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise InvalidInput(f"draws.{name} has shape {array.shape}; it must have shape {shape}")
    if not np.isfinite(array).all():
        chain, draw = np.argwhere(~np.isfinite(array))[0][:2]
        raise InvalidInput(
            f"draws.{name} is not finite in draw {draw} of chain {chain}; leave that chain out"
        )
    return array
