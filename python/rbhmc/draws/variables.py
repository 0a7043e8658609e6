"""The variables of draws: the name, type, dimensions and group of each array."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput

Index = int | slice


class Variable(NamedTuple):
    """The group of an array in a DataTree, its type and its dimensions."""

    group: str
    dtype: type[np.generic]
    dims: tuple[str, ...]


CHAIN_DRAW = ("chain", "draw")
VARIABLES = {
    "cdll": Variable("posterior", np.float64, CHAIN_DRAW),
    "rcdll": Variable("posterior", np.float64, CHAIN_DRAW),
    "loss": Variable("posterior", np.float64, CHAIN_DRAW),
    "n_components": Variable("posterior", np.int32, CHAIN_DRAW),
    "n_nodes": Variable("posterior", np.int32, (*CHAIN_DRAW, "level")),
    "path_acceptance": Variable("sample_stats", np.float64, CHAIN_DRAW),
    "eta_acceptance": Variable("sample_stats", np.float64, CHAIN_DRAW),
    "split_merge_acceptance": Variable("sample_stats", np.float64, CHAIN_DRAW),
    "paths": Variable("trees", np.int32, (*CHAIN_DRAW, "item", "level")),
    "components": Variable("trees", np.int32, (*CHAIN_DRAW, "item")),
}
# Parameters that may be learned; a covariance has the dimension "dim" only if it is diagonal.
LEARNED = {
    **dict.fromkeys(("alpha", "gamma", "gamma0"), Variable("posterior", np.float64, CHAIN_DRAW)),
    **dict.fromkeys(
        ("noise_cov", "base_cov"), Variable("posterior", np.float64, (*CHAIN_DRAW, "dim"))
    ),
}


class Array(Protocol):
    """The values of a variable, in memory or in a file."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the variable's dimensions."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""

    def __getitem__(self, index: tuple[Index, Index], /) -> NDArray[Any]: ...


def variables_of(arrays: Mapping[str, Array]) -> dict[str, Variable]:
    """Return all variables of draws, including the learned parameters that the arrays hold.

    Examples
    --------
    >>> variables = variables_of({"alpha": np.zeros((4, 100)), "base_cov": np.zeros((4, 100, 7))})
    >>> variables["alpha"].dims, variables["base_cov"].dims, "gamma" in variables
    (('chain', 'draw'), ('chain', 'draw', 'dim'), False)
    """
    learned = {
        name: variable._replace(dims=variable.dims if len(arrays[name].shape) > 2 else CHAIN_DRAW)
        for name, variable in LEARNED.items()
        if name in arrays
    }
    return VARIABLES | learned


def check_values(name: str, values: NDArray[Any], n_items: int) -> None:
    """Check that the values of a variable are in its range, whatever file they come from.

    Raises
    ------
    InvalidInput
        If a likelihood is NaN, a loss or a learned parameter negative, or if a count or label does
        not fit the number of items.

    Examples
    --------
    >>> check_values("components", np.array([[0, 7]]), 2)
    Traceback (most recent call last):
    ...
    rbhmc.InvalidInput: components holds 7; it must be from 0 to 1
    """
    low, high = -np.inf, np.inf
    if name in ("paths", "components"):
        low, high = 0, n_items - 1
    elif name in ("n_nodes", "n_components"):
        low, high = 1, n_items
    elif name == "loss" or name in LEARNED:
        low = 0
    elif name.endswith("_acceptance"):
        low, high = 0, 1
        values = values[~np.isnan(values)]  # no proposals
    wrong = values[~((values >= low) & (values <= high))]
    if wrong.size:
        raise InvalidInput(f"{name} holds {wrong.flat[0]}; it must be from {low} to {high}")


def check_arrays(arrays: Mapping[str, Array], names: Sequence[str]) -> None:
    """Check that all arrays exist and agree on the numbers of chains, draws, items and levels.

    Raises
    ------
    InvalidInput
        If an array is missing or has another shape or type than its variable.
    """
    absent = [name for name in VARIABLES if name not in arrays]
    if absent:
        raise InvalidInput(f"draws lack {', '.join(absent)}; they must have {', '.join(VARIABLES)}")
    shape = arrays["paths"].shape
    dims = VARIABLES["paths"].dims
    if len(shape) != len(dims):
        raise InvalidInput(f"paths has shape {shape}; it must have {len(dims)} axes: {dims}")
    sizes = dict(zip(dims, shape, strict=True))
    if len(names) != sizes["item"]:
        raise InvalidInput(f"names has {len(names)} entries; it must have {sizes['item']}")
    for name, variable in variables_of(arrays).items():
        array = arrays[name]
        # Any length is right: no other array has the dimension "dim".
        sizes["dim"] = array.shape[-1] if array.shape else 0
        expected = tuple(sizes[dim] for dim in variable.dims)
        if array.shape != expected or array.dtype != variable.dtype:
            raise InvalidInput(
                f"{name} has shape {array.shape} and type {array.dtype}; for paths of shape "
                f"{shape} it must have shape {expected} and type {np.dtype(variable.dtype)}"
            )
