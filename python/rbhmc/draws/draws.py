"""`Draws`: the draws of all chains of a run."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.draws.variables import LEARNED, Array, Index, check_arrays, variables_of
from rbhmc.sampling.provenance import to_json

if TYPE_CHECKING:
    import xarray

ALL = slice(None)


class Draws:
    """Arrays whose first dimensions are chain and draw, with the names that `Sampler.run` uses.

    `Draws.of_chains` stacks the results of several chains; `Draws.load` opens a file, whose arrays
    are read when they are first used, and in part by `read`.

    Parameters
    ----------
    arrays : mapping
        The arrays, by the names below.
    names : sequence of str
        The items' names.
    settings : mapping, optional
        The settings of the run: values that JSON can hold, and arrays, which become lists.

    Attributes
    ----------
    names : tuple of str
    settings : dict

    Examples
    --------
    >>> import rbhmc
    >>> chains = [rbhmc.Sampler([[0.0], [0.2], [9.0]], seed=seed).run(50) for seed in (1, 2)]
    >>> draws = rbhmc.Draws.of_chains(chains, ["one", "two", "six"], {"seeds": [1, 2]})
    >>> draws
    Draws(2 chains x 50 draws of 3 items, 3 levels)
    >>> draws.paths.shape, draws.cdll.shape, draws.settings
    ((2, 50, 3, 3), (2, 50), {'seeds': [1, 2]})
    """

    names: tuple[str, ...]
    settings: dict[str, Any]

    def __init__(
        self,
        arrays: Mapping[str, Array],
        names: Sequence[str],
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        check_arrays(arrays, names)
        self._arrays = {name: arrays[name] for name in variables_of(arrays)}
        self.names = tuple(names)
        self.settings: dict[str, Any] = to_json(settings or {})

    @classmethod
    def of_chains(
        cls,
        chains: Sequence[Any],
        names: Sequence[str],
        settings: Mapping[str, Any] | None = None,
    ) -> Self:
        """Stack the results of `Sampler.run` of several chains.

        Parameters
        ----------
        chains : sequence of dict
            One or more, all of the same shape.
        names : sequence of str
            The items' names.
        settings : mapping, optional
            The settings of the run.
        """
        shapes = {chain["paths"].shape for chain in chains}
        if len(shapes) != 1:
            raise InvalidInput(
                f"the chains hold paths of the shapes {sorted(shapes)}; there must be one chain at "
                "least, and all must have as many draws, items and levels"
            )
        learned = [
            {name: chain[name].shape[1:] for name in LEARNED if name in chain} for chain in chains
        ]
        other = next((shapes for shapes in learned if shapes != learned[0]), None)
        if other is not None:
            raise InvalidInput(
                f"one chain learned {list(learned[0])} and another {list(other)}, or in another "
                "form; all must have learned the same"
            )
        arrays = {
            name: np.stack([chain[name] for chain in chains], dtype=variable.dtype)
            for name, variable in variables_of(chains[0]).items()
        }
        return cls(arrays, names, settings)

    @property
    def paths(self) -> NDArray[np.int32]:
        """The node of each item at each level: (chain, draw, item, level)."""
        return self._whole("paths")

    @property
    def components(self) -> NDArray[np.int32]:
        """The mixture component of each item: (chain, draw, item)."""
        return self._whole("components")

    @property
    def n_nodes(self) -> NDArray[np.int32]:
        """The number of nodes at each level: (chain, draw, level)."""
        return self._whole("n_nodes")

    @property
    def n_components(self) -> NDArray[np.int32]:
        """The number of mixture components: (chain, draw)."""
        return self._whole("n_components")

    @property
    def cdll(self) -> NDArray[np.float64]:
        """The complete-data log likelihood: (chain, draw)."""
        return self._whole("cdll")

    @property
    def rcdll(self) -> NDArray[np.float64]:
        """The regularised complete-data log likelihood: (chain, draw)."""
        return self._whole("rcdll")

    @property
    def loss(self) -> NDArray[np.float64]:
        """The margin loss Σ_n h_n of all items: (chain, draw)."""
        return self._whole("loss")

    @property
    def path_acceptance(self) -> NDArray[np.float64]:
        """The share of proposed paths accepted since the previous draw: (chain, draw)."""
        return self._whole("path_acceptance")

    @property
    def eta_acceptance(self) -> NDArray[np.float64]:
        """The share of proposed discriminants η accepted, NaN without proposals: (chain, draw)."""
        return self._whole("eta_acceptance")

    @property
    def split_merge_acceptance(self) -> NDArray[np.float64]:
        """The share of splits and merges accepted, NaN without proposals: (chain, draw)."""
        return self._whole("split_merge_acceptance")

    @property
    def learned(self) -> dict[str, NDArray[np.float64]]:
        """The learned parameters by name: (chain, draw), or (chain, draw, dim) for a diagonal."""
        return {name: self._whole(name) for name in LEARNED if name in self._arrays}

    @property
    def n_chains(self) -> int:
        """The number of chains."""
        return self._arrays["paths"].shape[0]

    @property
    def n_draws(self) -> int:
        """The number of draws of each chain."""
        return self._arrays["paths"].shape[1]

    @property
    def starts(self) -> NDArray[np.intp]:
        """The start of each chain, numbered by first appearance; chains may share one.

        The settings of a run say which; without settings, each chain has a start of its own.
        """
        numbers = self.settings.get("chains", range(self.n_chains))
        starts = self.settings.get("starts")
        found = numbers if starts is None else [starts[number] for number in numbers]
        _, first, group = np.unique(np.array(found), return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[group]

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self._arrays["paths"].shape[2]

    @property
    def n_levels(self) -> int:
        """The number of levels below the root."""
        return self._arrays["paths"].shape[3]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name, learned parameters included.

        Examples
        --------
        >>> import rbhmc
        >>> chain = rbhmc.Sampler([[0.0], [0.2], [9.0]], alpha="learn").run(50)
        >>> arrays = rbhmc.Draws.of_chains([chain], ["one", "two", "six"]).to_arrays()
        >>> arrays["paths"].shape, arrays["alpha"].shape
        ((1, 50, 3, 3), (1, 50))
        """
        return {name: self._whole(name) for name in self._arrays}

    def read(self, name: str, chain: Index = ALL, draw: Index = ALL) -> NDArray[Any]:
        """Read a part of an array, without the rest of its file.

        Parameters
        ----------
        name : str
            The array, such as ``"paths"``.
        chain, draw : int or slice
            The chains and draws to read; by default all.

        Returns
        -------
        array
            The same as ``draws.paths[chain, draw]``, but only this part is read, and none is kept.

        Examples
        --------
        >>> import rbhmc
        >>> chains = [rbhmc.Sampler([[0.0], [0.2], [9.0]], seed=seed).run(50) for seed in (1, 2)]
        >>> draws = rbhmc.Draws.of_chains(chains, ["one", "two", "six"])
        >>> last = rbhmc.Tree.from_labels(draws.read("paths", 1, -1), names=draws.names)
        >>> last.n_items, draws.read("components", draw=slice(None, None, 10)).shape
        (3, (2, 5, 3))
        """
        if name not in self._arrays:
            raise InvalidInput(f"draws have no array {name!r}; they have {', '.join(self._arrays)}")
        return self._arrays[name][chain, draw]

    def take(self, chains: Sequence[int]) -> Self:
        """Return the draws of some chains, in the given order.

        Examples
        --------
        >>> import rbhmc
        >>> chains = [rbhmc.Sampler([[0.0], [0.2], [9.0]], seed=seed).run(50) for seed in (1, 2)]
        >>> rbhmc.Draws.of_chains(chains, ["one", "two", "six"]).take([1])
        Draws(1 chains x 50 draws of 3 items, 3 levels)
        """
        numbers = self.settings.get("chains", range(self.n_chains))
        return type(self)(
            {name: np.stack([self.read(name, chain) for chain in chains]) for name in self._arrays},
            self.names,
            {**self.settings, "chains": [numbers[chain] for chain in chains]},
        )

    def to_datatree(self) -> "xarray.DataTree":
        """Convert the draws to an xarray DataTree, which ArviZ reads.

        Needs the extra ``draws``.

        Returns
        -------
        xarray.DataTree
            The groups ``posterior`` (likelihoods, loss, counts, learned parameters),
            ``sample_stats`` (acceptances) and ``trees`` (paths and components). The attributes of
            each are the settings, as JSON, and the version of this package. Arrays of a file that
            have not been read yet are read by xarray on demand, in part.

        Examples
        --------
        >>> import rbhmc
        >>> chains = [rbhmc.Sampler([[0.0], [0.2], [9.0]], seed=seed).run(50) for seed in (1, 2)]
        >>> tree = rbhmc.Draws.of_chains(chains, ["one", "two", "six"]).to_datatree()
        >>> sorted(tree.children)
        ['posterior', 'sample_stats', 'trees']
        >>> tree["trees"]["paths"].sel(item="two", level=1).shape
        (2, 50)
        """
        require("xarray", "draws")
        from rbhmc.draws.datatree import datatree

        return datatree(self._arrays, self.names, self.settings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the draws to one compressed file.

        Needs the extra ``draws``. An existing file is replaced once the new one is complete, so
        that an interruption leaves one of the two. The format is zarr 3 in a ZIP archive; reading
        it never runs code from the file.

        Parameters
        ----------
        path : path
            The file, such as ``"draws.zarr.zip"``.

        Examples
        --------
        >>> import tempfile, rbhmc
        >>> chain = rbhmc.Sampler([[0.0], [0.2], [9.0]]).run(50)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rbhmc.Draws.of_chains([chain], ["one", "two", "six"]).save(f"{folder}/draws.zip")
        ...     rbhmc.Draws.load(f"{folder}/draws.zip").cdll.shape
        (1, 50)
        """
        require("zarr", "draws")
        from rbhmc.draws.storage import write_draws

        write_draws(Path(path), self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Open a file that `save` wrote.

        Needs the extra ``draws``. Arrays are read when they are first used. The file stays open
        until then, so that these draws remain the same if another file replaces it.

        Parameters
        ----------
        path : path
            The file.

        Raises
        ------
        InvalidInput
            If the file does not hold draws, is damaged, or has a format that this version does not
            read. A damaged array is reported when it is read.
        FileNotFoundError
            If the file does not exist.
        """
        require("zarr", "draws")
        from rbhmc.draws.storage import open_draws

        return cls(*open_draws(Path(path)))

    def _whole(self, name: str) -> NDArray[Any]:
        values = self._arrays[name]
        if not isinstance(values, np.ndarray):
            values = self._arrays[name] = values[ALL, ALL]
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle holds the values, since the file may not exist where it is opened.
        return type(self), (self.to_arrays(), self.names, self.settings)

    def __repr__(self) -> str:
        return (
            f"Draws({self.n_chains} chains x {self.n_draws} draws of {self.n_items} items, "
            f"{self.n_levels} levels)"
        )
