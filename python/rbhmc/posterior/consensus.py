"""The tree of what most draws have in common."""

from numpy.typing import ArrayLike

from rbhmc._core import InvalidInput
from rbhmc.draws import Draws
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior.clades import compatible, frequent, nested_paths
from rbhmc.tree import Tree

MAJORITY = 0.5
MINORITY = 0.05


def consensus(
    draws: Draws | ArrayLike, *, threshold: float | None = None, greedy: bool = False
) -> Tree:
    """Make the consensus tree: the sets of items that are a node in most draws.

    Two sets that are nodes in more than half of the draws are nodes together in one of them, so
    that they fit into one tree: it holds all of them and nothing else (majority-rule consensus).
    What the draws do not agree on stays unresolved: items of a node that are in none of its
    child clades hang below it one by one.

    With `greedy`, sets below the half follow, the most frequent first, as far as they contradict
    none that were taken before (extended majority rule). Equal ones are taken by size, the
    largest first, and then by first item.

    Parameters
    ----------
    draws : Draws, or array of integers of shape (…, n_draws, n_items, n_levels)
        All draws of all chains count alike.
    threshold : float, optional
        Sets are taken that are nodes in more than this share of the draws, at whatever level: 0.5
        where absent, or 0.05 with `greedy`. Below 0.5 only with `greedy`.
    greedy : bool
        Whether sets are taken that half of the draws or more do not have.

    Returns
    -------
    Tree
        Its levels are depths, so that there may be more of them than in a draw, or fewer. The
        support of a node is the share of draws that have it; an item that hangs by itself because
        it is in no clade has none.

    Examples
    --------
    >>> draws = [
    ...     [[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]],
    ...     [[0, 0], [0, 0], [0, 1], [1, 2], [1, 3]],
    ...     [[0, 0], [0, 1], [0, 1], [0, 2], [0, 2]],
    ... ]
    >>> tree = consensus(draws)
    >>> [node.items.tolist() for node in tree]
    [[0, 1, 2, 3, 4], [0, 1, 2], [0, 1], [2], [3, 4]]
    >>> [(node.id, round(node.support, 2)) for node in tree]
    [('root', 1.0), ('1', 0.67), ('1.1', 0.67), ('1.2', 0.67), ('2', 1.0)]
    """
    if threshold is None:
        threshold = MINORITY if greedy else MAJORITY
    if not 0.0 <= threshold < 1.0 or (threshold < MAJORITY and not greedy):
        raise InvalidInput(
            f"threshold is {threshold}; it must be from 0.5 to below 1, or with greedy=True from 0"
        )
    blocks = TreeBlocks(draws)
    clades = frequent(blocks, threshold)
    if threshold < MAJORITY:
        clades = compatible(clades, blocks.n_items)
    paths = nested_paths((clade.items for clade in clades), blocks.n_items)
    tree = Tree.from_labels(paths, names=blocks.names)
    shares = {clade.items.tobytes(): clade.n_draws / blocks.n_all for clade in clades}
    known = {node.id: shares.get(node.items.tobytes()) for node in tree.nodes[1:]}
    found = {id: share for id, share in known.items() if share is not None}
    return tree.with_support({"root": 1.0, **found})
