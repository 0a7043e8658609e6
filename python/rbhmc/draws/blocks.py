"""Draws of trees, read a few at a time, whatever holds them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc._core import InvalidInput
from rbhmc.draws import Draws
from rbhmc.tree import Tree
from rbhmc.tree.labels import Labels, as_paths, number

# Labels that are read at once; and draws, however many labels they have.
LABELS = 2**22
DRAWS = 64


class Block(NamedTuple):
    """Some draws of a chain: where they are, and their trees.

    `trees` has shape (n_draws, n_levels, n_items), the nodes of a level numbered from 0 by first
    appearance.
    """

    chain: int
    draws: NDArray[np.intp]
    trees: Labels


class TreeBlocks:
    """Draws of trees in blocks, so that memory does not grow with their number.

    Parameters
    ----------
    draws : Draws or array of integers
        What to read: of arrays (n_draws, n_items, n_levels) is one chain, (n_chains, n_draws,
        n_items, n_levels) several.

    Raises
    ------
    InvalidInput
        Where there is no draw, or the labels form no trees.

    Examples
    --------
    >>> blocks = TreeBlocks([[[7, 1], [7, 3]], [[2, 2], [5, 5]]])
    >>> blocks.n_draws, blocks.names
    (2, ('0', '1'))
    >>> next(blocks.read()).trees
    array([[[0, 0],
            [0, 1]],
           [[0, 1],
            [0, 1]]], dtype=int32)
    """

    def __init__(self, draws: Draws | ArrayLike) -> None:
        self._draws: Draws | NDArray[np.integer[Any]]
        if isinstance(draws, Draws):
            shape = (draws.n_chains, draws.n_draws, draws.n_items, draws.n_levels)
            if 0 in shape:
                raise InvalidInput(f"{draws!r}: one draw, item and level at least are needed")
            self._draws, self.names = draws, draws.names
        else:
            array = as_paths(draws, "draws", dims=(3, 4))
            self._draws = array.reshape(-1, *array.shape[-3:])
            shape = self._draws.shape
            self.names = tuple(str(item) for item in range(shape[2]))
        self.n_chains, self.n_draws, self.n_items, self.n_levels = shape
        self.n_all = self.n_chains * self.n_draws

    def read(self, every: int = 1) -> Iterator[Block]:
        """Read all draws, chain by chain; or the last of every so many."""
        some = max(DRAWS, LABELS // (self.n_items * self.n_levels))
        for chain in range(self.n_chains):
            wanted = np.arange(every - 1, self.n_draws, every)
            for start in range(0, len(wanted), some):
                draws = wanted[start : start + some]
                places = slice(int(draws[0]), int(draws[-1]) + 1, every)
                try:
                    trees = number(self._paths(chain, places), range(*places.indices(self.n_draws)))
                except InvalidInput as error:
                    raise InvalidInput(f"chain {chain}, {error}") from None
                yield Block(chain, draws, trees)

    def _paths(self, chain: int, places: slice) -> NDArray[np.integer[Any]]:
        """Read the labels of some draws; those of a run are below the number of items."""
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

    def step(self, most: int) -> int:
        """Find the `every` that keeps at most so many draws, but one of each chain at least."""
        if most < 1:
            raise InvalidInput(f"n_draws is {most}; it must be at least 1")
        of_chain = max(1, most // self.n_chains)
        return -(-self.n_draws // of_chain)

    def check_tree(self, tree: Tree, *, levels: bool = True) -> None:
        """Check that a tree is one of these items, and of as many levels where that matters."""
        if not isinstance(tree, Tree):
            raise InvalidInput(
                f"tree is a {type(tree).__name__}; it must be a Tree, such as model.tree_ or "
                "Tree.from_labels(paths)"
            )
        if tree.n_items != self.n_items or (levels and tree.n_levels != self.n_levels):
            raise InvalidInput(
                f"tree has {tree.n_items} items and {tree.n_levels} levels; it must have "
                f"{self.n_items} items{f' and {self.n_levels} levels' * levels}, as the draws have"
            )


def first_by_labels(trees: Labels) -> Labels:
    """Choose one of several trees, the same in whatever order they come.

    Examples
    --------
    >>> trees = np.array([[[0, 1]], [[0, 0]]], np.int32)
    >>> first_by_labels(trees)
    array([[0, 0]], dtype=int32)
    """
    chosen: Labels = min(trees, key=lambda tree: tree.tobytes())
    return chosen
