"""Measures of many draws of trees at once, as NumPy arrays over (draw, item, level)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Paths = NDArray[np.int32]


def inner_distances(paths: Paths, X: Floats) -> tuple[Floats, Floats, Floats]:
    """Return AID of each draw in three forms.

    As printed, one-item nodes counting 0; with one-item nodes left out; and of the merged tree, in
    which a node without siblings is one with its parent.

    Examples
    --------
    >>> paths = np.array([[[0, 0], [0, 0], [1, 1]]], np.int32)  # level 2 repeats level 1
    >>> [one.tolist() for one in inner_distances(paths, np.array([[0.0], [1.0], [9.0]]))]
    [[0.5], [1.0], [0.5]]
    """
    n_draws, n_items, n_levels = paths.shape
    sums, counts = np.zeros((3, n_draws)), np.zeros((3, n_draws))
    squares = np.tile((X**2).sum(axis=1), n_draws)
    above = np.repeat(np.arange(n_draws)[:, None], n_items, axis=1)
    for level in range(n_levels):
        # The nodes of all draws have numbers of their own.
        width = int(paths[:, :, level].max()) + 1
        nodes = (paths[:, :, level] + width * np.arange(n_draws)[:, None]).ravel()
        sizes = np.bincount(nodes, minlength=width * n_draws).astype(float)
        totals = np.bincount(nodes, squares, width * n_draws)
        centres = sum(
            np.bincount(nodes, np.tile(column, n_draws), width * n_draws) ** 2 for column in X.T
        )
        pairs = sizes * (sizes - 1.0) / 2.0
        inner = (sizes * totals - centres) / np.maximum(pairs, 1.0)
        inner[pairs == 0.0] = 0.0
        parents = np.zeros(width * n_draws, np.int64)
        parents[nodes] = above.ravel()
        n_children = np.bincount(parents[sizes > 0.0])
        for form, kept in enumerate(
            (sizes > 0.0, sizes > 1.0, (sizes > 0.0) & (n_children[parents] > 1))
        ):
            sums[form] += np.where(kept, inner, 0.0).reshape(n_draws, width).sum(axis=1)
            counts[form] += kept.reshape(n_draws, width).sum(axis=1)
        above = nodes.reshape(n_draws, n_items)
    return tuple(np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0.0))


def evenness(paths: Paths) -> Floats:
    """Return how even the leaves of each draw are: their entropy over its largest value, ln n.

    A draw with one leaf has NaN.

    Examples
    --------
    >>> evenness(np.array([[[0], [0], [1], [1]], [[0], [0], [0], [1]]], np.int32)).round(2)
    array([1.  , 0.81])
    """
    n_draws, n_items, _ = paths.shape
    leaves = paths[:, :, -1]
    width = int(leaves.max()) + 1
    nodes = (leaves + width * np.arange(n_draws)[:, None]).ravel()
    shares = np.bincount(nodes, minlength=width * n_draws).reshape(n_draws, width) / n_items
    entropy = -(shares * np.log(np.where(shares > 0.0, shares, 1.0))).sum(axis=1)
    n_leaves = (shares > 0.0).sum(axis=1)
    even = np.full(n_draws, np.nan)
    np.divide(entropy, np.log(n_leaves), out=even, where=n_leaves > 1)
    return even


def shape(paths: NDArray[Any]) -> dict[str, float]:
    """Describe one tree as it is presented, each node without siblings merged with its parent.

    Returns
    -------
    dict
        ``top``, the children of the root; ``leaves``; ``flat``, the share of items that are in a
        child of the root which has no children.

    Examples
    --------
    >>> shape(np.array([[0, 0, 0], [0, 0, 1], [0, 1, 2]]))
    {'top': 2, 'leaves': 3, 'flat': 0.3333333333333333}
    """
    n_items, n_levels = paths.shape
    n_nodes = [len(set(column)) for column in paths.T.tolist()]
    top = next((level for level in range(n_levels) if n_nodes[level] > 1), None)
    if top is None:
        return {"top": 0, "leaves": 1, "flat": 1.0}
    flat = sum(
        len(items)
        for items in (np.flatnonzero(paths[:, top] == node) for node in set(paths[:, top].tolist()))
        if len(set(paths[items, -1].tolist())) == 1
    )
    return {"top": n_nodes[top], "leaves": n_nodes[-1], "flat": flat / n_items}


def pair_shares(together: NDArray[Any]) -> dict[str, float]:
    """Describe the co-occurrence P of the pairs of items at one level.

    Returns
    -------
    dict
        ``mean``, the mean of P; ``grey``, the share of pairs with P from 0.1 to 0.9; and
        ``uncertainty``, the mean of 4 P (1 − P), which is 1 if every pair is a coin toss.

    Examples
    --------
    >>> pair_shares(np.array([0.0, 0.5]))
    {'mean': 0.25, 'grey': 0.5, 'uncertainty': 0.5}
    """
    return {
        "mean": float(together.mean()),
        "grey": float(((together > 0.1) & (together < 0.9)).mean()),
        "uncertainty": float((4.0 * together * (1.0 - together)).mean()),
    }
