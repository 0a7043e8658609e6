"""The arrays that draws consist of: their names, types, dimensions and groups."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput

Index = int | slice


class Variable(NamedTuple):
    """What one array is: its group in a DataTree, its type, its dimensions."""

    group: str
    dtype: type[np.generic]
    dims: tuple[str, ...]


EACH = ("chain", "draw")
VARIABLES = {
    "cdll": Variable("posterior", np.float64, EACH),
    "rcdll": Variable("posterior", np.float64, EACH),
    "loss": Variable("posterior", np.float64, EACH),
    "n_components": Variable("posterior", np.int32, EACH),
    "n_nodes": Variable("posterior", np.int32, (*EACH, "level")),
    "path_acceptance": Variable("sample_stats", np.float64, EACH),
    "eta_acceptance": Variable("sample_stats", np.float64, EACH),
    "move_acceptance": Variable("sample_stats", np.float64, EACH),
    "paths": Variable("trees", np.int32, (*EACH, "item", "level")),
    "components": Variable("trees", np.int32, (*EACH, "item")),
}
# What may have been learned; a covariance has a number for each dimension only if it is a diagonal.
LEARNED = {
    **dict.fromkeys(("alpha", "gamma", "gamma0"), Variable("posterior", np.float64, EACH)),
    **dict.fromkeys(("noise_cov", "base_cov"), Variable("posterior", np.float64, (*EACH, "dim"))),
}


class Array(Protocol):
    """What holds the values of a variable: an array in memory, or one in a file."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes, of the dimensions that `VARIABLES` names."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""

    def __getitem__(self, index: tuple[Index, Index], /) -> NDArray[Any]: ...


def variables_of(arrays: Mapping[str, Array]) -> dict[str, Variable]:
    """Return what all arrays of draws are, those of learned parameters where they are there.

    Examples
    --------
    >>> found = variables_of({"alpha": np.zeros((4, 100)), "base_cov": np.zeros((4, 100, 7))})
    >>> found["alpha"].dims, found["base_cov"].dims, "gamma" in found
    (('chain', 'draw'), ('chain', 'draw', 'dim'), False)
    """
    learned = {
        name: variable._replace(dims=variable.dims if len(arrays[name].shape) > 2 else EACH)
        for name, variable in LEARNED.items()
        if name in arrays
    }
    return VARIABLES | learned


def check_arrays(arrays: Mapping[str, Array], names: Sequence[str]) -> None:
    """Check that all arrays are there, of the same chains, draws, items and levels.

    Raises
    ------
    InvalidInput
        Where one is not; the message says what it should be.
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
        given = arrays[name]
        # Nothing else says how many dimensions there are.
        sizes["dim"] = given.shape[-1] if given.shape else 0
        expected = tuple(sizes[dim] for dim in variable.dims)
        if given.shape != expected or given.dtype != variable.dtype:
            raise InvalidInput(
                f"{name} has shape {given.shape} and type {given.dtype}; beside paths of shape "
                f"{shape} it must have shape {expected} and type {np.dtype(variable.dtype)}"
            )
