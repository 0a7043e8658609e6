"""Blocks of draws of trees, so that memory does not grow with the number of draws."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc.draws import Draws
from rbhmc.tree import Tree
from rbhmc.tree.labels import Labels, as_paths, canonicalize

# A block has about this number of labels, but at least this number of draws.
BLOCK_LABELS = 2**22
MIN_BLOCK_DRAWS = 64


class Block(NamedTuple):
    """Some draws of one chain.

    Attributes
    ----------
    chain : int
        The chain.
    draws : array of shape (n_draws,)
        The positions of the draws in the chain.
    trees : array of shape (n_draws, n_levels, n_items)
        The canonical labels of the draws' trees.
    """

    chain: int
    draws: NDArray[np.intp]
    trees: Labels


class TreeBlocks:
    """Draws of trees that are read in blocks.

    Parameters
    ----------
    draws : Draws or array of integers
        An array of shape (n_draws, n_items, n_levels) is one chain, an array of shape (n_chains,
        n_draws, n_items, n_levels) several.

    Attributes
    ----------
    n_chains, n_draws, n_items, n_levels : int
        The shape; `n_draws` is the number of draws of each chain.
    n_all : int
        The number of draws of all chains together.
    names : tuple of str
        The names of the items.

    Raises
    ------
    InvalidInput
        If there are no draws; or, while reading, if the labels are not trees.

    Examples
    --------
    >>> blocks = TreeBlocks([[[7, 1], [7, 3]], [[2, 2], [5, 5]]])
    >>> blocks.n_draws, blocks.names
    (2, ('0', '1'))
    >>> next(blocks.read()).trees.tolist()
    [[[0, 0], [0, 1]], [[0, 1], [0, 1]]]
    """

    def __init__(self, draws: Draws | ArrayLike) -> None:
        self._draws: Draws | NDArray[np.integer[Any]]
        if isinstance(draws, Draws):
            shape = (draws.n_chains, draws.n_draws, draws.n_items, draws.n_levels)
            if 0 in shape:
                raise InvalidInput(f"{draws!r}: at least one draw, item and level are needed")
            self._draws, self.names = draws, draws.names
        else:
            array = as_paths(draws, "draws", dims=(3, 4))
            self._draws = array.reshape(-1, *array.shape[-3:])
            shape = self._draws.shape
            self.names = tuple(str(item) for item in range(shape[2]))
        self.n_chains, self.n_draws, self.n_items, self.n_levels = shape
        self.n_all = self.n_chains * self.n_draws

    def read(self, every: int = 1) -> Iterator[Block]:
        """Read the draws chain by chain: all, or the last of every `every` draws."""
        size = max(MIN_BLOCK_DRAWS, BLOCK_LABELS // (self.n_items * self.n_levels))
        wanted = np.arange(every - 1, self.n_draws, every)
        for chain in range(self.n_chains):
            for start in range(0, len(wanted), size):
                draws = wanted[start : start + size]
                places = slice(int(draws[0]), int(draws[-1]) + 1, every)
                try:
                    trees = canonicalize(self._read_paths(chain, places), draws.tolist())
                except InvalidInput as error:
                    raise InvalidInput(f"chain {chain}, {error}") from None
                yield Block(chain, draws, trees)

    def _read_paths(self, chain: int, places: slice) -> NDArray[np.integer[Any]]:
        """Read the labels of some draws, and check that a run's labels are below n_items."""
        if not isinstance(self._draws, Draws):
            return self._draws[chain, places]
        paths = self._draws.read("paths", chain, places)
        wrong = (paths < 0) | (paths >= self.n_items)
        if wrong.any():
            draw, item, level = np.argwhere(wrong)[0].tolist()
            raise InvalidInput(
                f"draw {range(self.n_draws)[places][draw]}: item {item} has label "
                f"{paths[draw, item, level]} at level {level + 1}; labels must be from 0 to "
                f"{self.n_items} - 1"
            )
        return paths

    def thinning(self, max_draws: int) -> int:
        """Return the `every` that keeps at most `max_draws` draws, but at least one per chain."""
        return -(-self.n_draws // max(1, max_draws // self.n_chains))

    def check_tree(self, tree: Tree, *, levels: bool = True) -> None:
        """Check that a tree has the number of items, and of levels if asked, of the draws."""
        if not isinstance(tree, Tree):
            raise InvalidInput(
                f"tree is a {type(tree).__name__}; it must be a Tree, such as model.tree_ or "
                "Tree.from_labels(paths)"
            )
        if tree.n_items != self.n_items or (levels and tree.n_levels != self.n_levels):
            hint = (
                '. A consensus has its own depth: give the tree_ of a model with select="vi", or '
                "use posterior.group_similarity(draws, tree.clusters) and posterior.support(tree, "
                "draws), which take a tree of any depth"
            )
            raise InvalidInput(
                f"tree has {tree.n_items} items and {tree.n_levels} levels; it must have "
                f"{self.n_items} items{f' and {self.n_levels} levels' * levels}, as the draws have"
                f"{hint * (tree.n_items == self.n_items)}"
            )
