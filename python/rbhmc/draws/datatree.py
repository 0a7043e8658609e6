"""Conversion of draws to an xarray DataTree, which ArviZ reads."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray
from numpy.typing import NDArray
from xarray.backends import BackendArray
from xarray.core import indexing

from rbhmc._core import __version__
from rbhmc.draws.variables import Array, variables_of


class LazyArray(BackendArray):
    """An array in a file, of which xarray reads only the parts that it needs."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.shape = array.shape
        self.dtype = array.dtype

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._read
        )

    def _read(self, key: tuple[Any, ...]) -> NDArray[Any]:
        chain, draw, *inner = key
        return self.array[chain, draw][..., *inner]


def datatree(
    arrays: Mapping[str, Array], names: tuple[str, ...], settings: dict[str, Any]
) -> xarray.DataTree:
    """Put the arrays into their groups, see `rbhmc.Draws.to_datatree`."""
    n_chains, n_draws, _, n_levels = arrays["paths"].shape
    coords = {
        "chain": np.arange(n_chains),
        "draw": np.arange(n_draws),
        # As objects, since one long name would widen every entry of an array of text.
        "item": np.array(names, dtype=object),
        "level": np.arange(1, n_levels + 1),
    }
    groups: dict[str, dict[str, xarray.Variable]] = {}
    for name, variable in variables_of(arrays).items():
        array: Any = arrays[name]
        if not isinstance(array, np.ndarray):
            array = indexing.LazilyIndexedArray(LazyArray(array))
        groups.setdefault(variable.group, {})[name] = xarray.Variable(variable.dims, array)
    attributes = {
        "inference_library": "rbhmc",
        "inference_library_version": __version__,
        # As text, since netCDF attributes cannot be nested.
        "settings": json.dumps(settings),
    }
    datasets = {}
    for group, variables in groups.items():
        dims = {dim for variable in variables.values() for dim in variable.dims}
        used = {dim: values for dim, values in coords.items() if dim in dims}
        datasets[group] = xarray.Dataset(variables, coords=used, attrs=attributes)
    return xarray.DataTree.from_dict(datasets)
