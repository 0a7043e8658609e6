"""The probability that a node of the consensus is a true group.

Transfer support ranks clusters well, but the same support means less, or more, above and below
them. The probability of a node A with the parent P is

    p = σ(b₀ + b₁ f + b₂ √e + b₃ √(1 - h_A / h_P)),    above the clusters b₄ instead of b₁ f,

with σ the logistic function, f the share of chains that found the node (`chain_agreement`), e the
share of draws that have it exactly, and h the heights in the dendrogram. 1 - h_A / h_P is 1 if the
items of A are always together, and 0 if they are so no more often than with the other items of P.
Above the clusters, f adds nothing to e: a union of clusters is found where its parent is.

The constants are a logistic regression, rounded, over the nodes of the trees that `RBHMC` with its
defaults presents for 350 tables of nested Gaussian groups, of five families
(``python benches/calibration.py --tables 70``). A node is a true group if its Jaccard index with a
node of the true tree is at least 0.9; true groups had four items or more. docs/posterior.md has the
curves, for these families and for five that were held out.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# b₀, b₁, b₂, b₃, b₄.
COEFFICIENTS = (-5.5, 2.8, 3.3, 5.1, 3.9)


def group_probability(
    chain_share: Floats,
    exact: Floats,
    height: Floats,
    is_cluster: Bools,
    parents: NDArray[np.intp],
) -> Floats:
    """Return the probability that each node is a true group; 1 for the root.

    Parameters
    ----------
    chain_share, exact, height : array of shape (n_nodes,)
        The share of chains that found a node, the share of draws that have it exactly, and its
        height.
    is_cluster : array of shape (n_nodes,)
        Whether a node is a cluster.
    parents : array of shape (n_nodes,)
        The parent of each node, which comes before it; node 0 is the root.

    Examples
    --------
    >>> share, exact = np.array([1.0, 1.0, 0.2]), np.array([1.0, 0.8, 0.0])
    >>> height, is_cluster = np.array([0.9, 0.2, 0.8]), np.array([False, True, True])
    >>> group_probability(share, exact, height, is_cluster, np.array([-1, 0, 0])).round(2)
    array([1.  , 0.99, 0.04])
    """
    is_above = ~is_cluster
    for node in range(1, len(parents)):
        is_above[node] &= is_above[parents[node]]
    above = height[np.maximum(parents, 0)]
    gap = 1.0 - height / np.where(above > 0.0, above, 1.0)
    scores = calibration_terms(chain_share, exact, gap, is_above) @ np.array(COEFFICIENTS)
    probability: Floats = 1.0 / (1.0 + np.exp(-scores))
    probability[0] = 1.0
    return probability


def calibration_terms(chain_share: Floats, exact: Floats, gap: Floats, is_above: Bools) -> Floats:
    """Return what the constants multiply, of shape (n_nodes, 5).

    Examples
    --------
    >>> share, exact, gap = np.array([[0.5, 0.75], [0.25, 0.0], [1.0, 0.25]])
    >>> calibration_terms(share, exact, gap, np.array([False, True]))
    array([[1. , 0.5, 0.5, 1. , 0. ],
           [1. , 0. , 0. , 0.5, 1. ]])
    """
    terms = (
        np.ones(len(exact)),
        np.where(is_above, 0.0, chain_share),
        np.sqrt(exact),
        np.sqrt(np.clip(gap, 0.0, 1.0)),
        is_above.astype(np.float64),
    )
    return np.stack(terms, axis=1)
