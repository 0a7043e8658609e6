"""The draws of all chains of a run."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Draws:
    """Arrays with chain and draw in front, as `Sampler.run` names them.

    Attributes
    ----------
    paths : array of shape (n_chains, n_draws, n_items, n_levels)
    components : array of shape (n_chains, n_draws, n_items)
    n_nodes : array of shape (n_chains, n_draws, n_levels)
    cdll, rcdll, loss, n_components, path_acceptance, eta_acceptance
        Arrays of shape (n_chains, n_draws).
    names : tuple of str
        The items' names.
    """

    paths: NDArray[np.int32]
    components: NDArray[np.int32]
    cdll: NDArray[np.float64]
    rcdll: NDArray[np.float64]
    n_nodes: NDArray[np.int32]
    n_components: NDArray[np.int32]
    loss: NDArray[np.float64]
    path_acceptance: NDArray[np.float64]
    eta_acceptance: NDArray[np.float64]
    names: tuple[str, ...]

    @classmethod
    def of_chains(cls, chains: Sequence[Any], names: tuple[str, ...]) -> Self:
        """Stack what `Sampler.run` returned for each chain."""
        keys = [field.name for field in fields(cls) if field.name != "names"]
        return cls(**{key: np.stack([chain[key] for chain in chains]) for key in keys}, names=names)

    @property
    def n_chains(self) -> int:
        """Chains."""
        return int(self.paths.shape[0])

    @property
    def n_draws(self) -> int:
        """Draws of each chain."""
        return int(self.paths.shape[1])

    @property
    def n_levels(self) -> int:
        """Levels below the root."""
        return int(self.paths.shape[3])

    def __repr__(self) -> str:
        return (
            f"Draws({self.n_chains} chains x {self.n_draws} draws of {len(self.names)} items, "
            f"{self.n_levels} levels)"
        )
