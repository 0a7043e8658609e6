"""Where new items belong in a presented tree: what that needs of a fitted model, and nothing else.

An item whose prepared values equal those of a training item is placed with that item, any other by
its path probabilities in the draws. Neither depends on the other new items, so that blocks of a
table can be placed apart, in this process or on the workers of a cluster.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.columns import check_columns
from rbhmc.draws import Draws
from rbhmc.predictive import Array, TreePredictive, learn_tree_predictive
from rbhmc.preparation import Preparation
from rbhmc.tree import Tree

# Items that are prepared, and whose probabilities are in memory, at the same time.
ITEMS_PER_BLOCK = 2**16


@dataclass(frozen=True, eq=False)
class Placement:
    """Places new items.

    Attributes
    ----------
    preparation : Preparation
    known : array of shape (n_fitted, n_dims)
        The prepared training items.
    known_leaves : array of shape (n_fitted,)
        The leaf of each training item, as its position in ``tree.leaves``.
    clusters : array of shape (n_leaves + 1,)
        The cluster of each leaf, and -1, so that leaf -1, of a dropped item, has cluster -1.
    predictive : TreePredictive
        The probabilities of the leaves for items that are not known.
    """

    preparation: Preparation
    known: Array
    known_leaves: NDArray[np.intp]
    clusters: NDArray[np.intp]
    predictive: TreePredictive

    def prepare(self, encoded: Array) -> Array:
        """Return the prepared values of encoded items, whose gaps get expected values."""
        return self.preparation.prepare(self.preparation.fill(encoded))

    def leaves(self, encoded: Array, *, drops_gaps: bool = False) -> NDArray[np.intp]:
        """Return the leaf of each encoded item, as its position in ``tree.leaves``.

        With `drops_gaps`, items with gaps have -1.
        """
        found = [np.empty(0, np.intp)]
        for start in range(0, len(encoded), ITEMS_PER_BLOCK):
            prepared = self.prepare(encoded[start : start + ITEMS_PER_BLOCK])
            equal = find_equal_rows(prepared, self.known)
            leaves = self.known_leaves[equal]
            is_new = equal < 0
            leaves[is_new] = self.predictive.leaves(prepared[is_new], self.clusters[:-1])
            found.append(leaves)
        placed = np.concatenate(found)
        if drops_gaps:
            placed[np.isnan(encoded).any(axis=1)] = -1
        return placed


def place_block(X: Any, placement: Placement, drops_gaps: bool) -> NDArray[np.intp]:
    """Return the leaf of each row of a block of a table, as `Placement.leaves`."""
    check_columns(placement.preparation, X)
    return placement.leaves(placement.preparation.encode(X), drops_gaps=drops_gaps)


def label_block(X: Any, placement: Placement) -> NDArray[np.intp]:
    """Return the cluster of each row of a block of a table."""
    return placement.clusters[place_block(X, placement, False)]


def leaf_groups(tree: Tree, groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the group of each leaf, given that of each item; and -1, the group of leaf -1.

    Examples
    --------
    >>> leaf_groups(Tree.from_labels([[0], [1], [0]]), np.array([4, 5, 4]))
    array([ 4,  5, -1])
    """
    return np.append(groups[[leaf.items[0] for leaf in tree.leaves]], -1)


def learn_placement(
    preparation: Preparation, prepared: Array, draws: Draws, tree: Tree, settings: dict[str, Any]
) -> Placement:
    """Learn where new items belong; `settings` are keywords of `Sampler`."""
    # The last seed of a run is the one of its predictions.
    seed = draws.settings["seeds"][-1]
    predictive = learn_tree_predictive(prepared, draws, tree, settings, seed)
    clusters = leaf_groups(tree, tree.labels)
    return Placement(preparation, prepared, tree.leaf_labels, clusters, predictive)


def find_equal_rows(rows: NDArray[np.float64], known: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the position of the last row of `known` that equals each row; -1 if there is none.

    Examples
    --------
    >>> find_equal_rows(np.array([[1.0, 2.0], [3.0, 3.0]]), np.array([[0.0, 0.0], [1.0, 2.0]]))
    array([ 1, -1])
    """
    as_bytes = np.dtype((np.void, known.itemsize * known.shape[1]))
    # Adding 0 turns -0 into 0, whose bytes differ.
    sought, keys = (
        np.ascontiguousarray(table + 0.0).view(as_bytes).ravel() for table in (rows, known)
    )
    order = np.argsort(keys, kind="stable")
    # A row that comes before all others gets -1 here, the last: it is different, too.
    found = order[np.searchsorted(keys[order], sought, side="right") - 1]
    return np.where(keys[found] == sought, found, -1)
