"""Summaries of each draw that are invariant to a renumbering of its nodes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput, compare_partitions
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.tree import Tree

Floats = NDArray[np.float64]

# R-hat uses ranks: values that differ only by floating-point error must be equal.
DECIMALS = 9


class Summary(NamedTuple):
    """One number for each draw: its name, its level (None: the whole tree), (chain, draw)."""

    name: str
    level: int | None
    values: Floats


def summarize_draws(draws: Draws, tree: Tree) -> list[Summary]:
    """Compute all summaries of each draw; see `rbhmc.diagnostics.diagnose`."""
    if not isinstance(draws, Draws):
        raise InvalidInput(
            f"draws is a {type(draws).__name__}; it must be the draws of a run, such as "
            "model.draws_"
        )
    blocks = TreeBlocks(draws)
    blocks.check_tree(tree, levels=False)
    scalars = {"RCDLL": draws.rcdll, "CDLL": draws.cdll, "loss": draws.loss}
    scalars["components"] = draws.n_components.astype(np.float64)
    scalars |= learned_summaries(draws)
    for name, values in scalars.items():
        if not np.isfinite(values).all():
            chain, draw = np.argwhere(~np.isfinite(values))[0]
            raise InvalidInput(
                f"{name} is not finite in draw {draw} of chain {chain}; leave that chain out"
            )
    effective, distance = _summarize_partitions(blocks, tree)
    by_level = {
        "nodes": draws.n_nodes.astype(np.float64),
        "effective clusters": effective,
        "distance to the clusters": distance,
    }
    return [
        *(Summary(name, None, values) for name, values in scalars.items()),
        *(
            Summary(f"{name}, level {level + 1}", level + 1, values[..., level])
            for name, values in by_level.items()
            for level in range(blocks.n_levels)
        ),
    ]


def learned_summaries(draws: Draws) -> dict[str, Floats]:
    """Return one number per draw for each learned parameter; the mean of a diagonal."""
    return {
        name if values.ndim == 2 else f"{name}, mean": values.reshape(*values.shape[:2], -1).mean(2)
        for name, values in draws.learned.items()
    }


def _summarize_partitions(blocks: TreeBlocks, tree: Tree) -> tuple[Floats, Floats]:
    """Return effective clusters and distances to the clusters of a tree, (chain, draw, level).

    The distance is the variation of information in bits. Measured from a single cluster it is the
    entropy H of a partition, and 2^H is the effective number of clusters.
    """
    entropy = np.empty((blocks.n_chains, blocks.n_draws, blocks.n_levels))
    distance = np.empty_like(entropy)
    references = np.stack([np.zeros(blocks.n_items, np.int32), tree.labels.astype(np.int32)])
    for block in blocks.read():
        for level in range(blocks.n_levels):
            compared = compare_partitions(references, block.trees[:, level], "vi")
            entropy[block.chain, block.draws, level] = compared[0]
            distance[block.chain, block.draws, level] = compared[1]
    # Adding 0 turns -0 into 0.
    return np.exp2(entropy).round(DECIMALS), distance.round(DECIMALS) + 0.0
