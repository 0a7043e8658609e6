"""How uncertain an item is at a level, and where else it might belong."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST = 20
MATTERS = 0.05


def uncertainty(shares: Floats, nodes: NDArray[np.intp]) -> Floats:
    """Average 4·P·(1 − P) over the items that matter to each item.

    P is the share of draws in which two items are together. Those matter that are in the item's
    node, or were with it in at least one draw of twenty. 0 means that all draws agree, 1 that it
    is as good as a coin toss who belongs with the item.

    Parameters
    ----------
    shares : array of shape (n_items, n_items)
        Co-occurrence at a level.
    nodes : array of shape (n_items,)
        The node of each item at that level.

    Examples
    --------
    >>> shares = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> uncertainty(shares, np.array([0, 0, 1]))
    array([1., 1., 0.])
    """
    matters = (nodes[:, None] == nodes) | (shares >= MATTERS)
    np.fill_diagonal(matters, False)
    doubt = np.where(matters, 4.0 * shares * (1.0 - shares), 0.0).sum(axis=1)
    return np.asarray(doubt / np.maximum(matters.sum(axis=1), 1))


def node_shares(shares: Floats, nodes: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats]:
    """Average the shares of each item with the other items of every node; NaN where none is.

    Returns
    -------
    found : array of shape (n_nodes,)
        The nodes, ascending.
    means : array of shape (n_items, n_nodes)

    Examples
    --------
    >>> shares = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.4], [0.2, 0.4, 1.0]])
    >>> node_shares(shares, np.array([3, 3, 7]))[1]
    array([[0.5, 0.2],
           [0.5, 0.4],
           [0.3, nan]])
    """
    found, place = np.unique(nodes, return_inverse=True)
    member = np.zeros((len(nodes), len(found)))
    member[np.arange(len(nodes)), place] = 1.0
    others = member.sum(axis=0) - member
    sums = shares @ member - member
    means = np.full(sums.shape, np.nan)
    np.divide(sums, others, out=means, where=others > 0.0)
    return found, means


def most_uncertain(shares: Floats, nodes: NDArray[np.intp]) -> list[dict[str, Any]]:
    """Rank the items that are uncertain at all, with the next best node of each.

    Examples
    --------
    >>> shares = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.4], [0.2, 0.4, 1.0]])
    >>> most_uncertain(shares, np.array([3, 3, 7]))[0]
    {'item': 1, 'score': 0.98, 'own': 0.5, 'next': 7, 'share': 0.4}
    """
    scores = uncertainty(shares, nodes)
    found, means = node_shares(shares, nodes)
    rows: list[dict[str, Any]] = []
    for item in np.argsort(-scores, kind="stable")[:MOST].tolist():
        if scores[item] < 0.005:  # would be written as nothing
            break
        own = int(np.searchsorted(found, nodes[item]))
        elsewhere = means[item].copy()
        elsewhere[own] = -1.0
        best = int(elsewhere.argmax())
        row = {"item": item, "score": round(float(scores[item]), 2), "own": share(means[item, own])}
        rows.append(row | {"next": int(found[best]) if len(found) > 1 else None})
        rows[-1]["share"] = share(elsewhere[best])
    return rows


def share(value: float) -> float | None:
    """Round a share for the page; None where there is none.

    Examples
    --------
    >>> share(0.12345), share(float("nan"))
    (0.123, None)
    """
    return None if np.isnan(value) else round(float(value), 3)
