"""The probability that a node of the consensus is a true group.

Transfer support ranks clusters well, but the same support means less, or more, above and below
them. The probability combines two shares, neither of which depends on the size of the node:

    p = σ(b₀ + b₁ f + b₂ √e),

with σ the logistic function, f the share of chains that found the node (`chain_agreement`), and e
the share of draws that have it exactly.

The constants are a logistic regression over the nodes of trees that `RBHMC` with its defaults
presents for tables of nested Gaussian groups, of five families (`make calibration`). A node is a
true group if its Jaccard index with a node of the true tree is at least 0.9. docs/posterior.md has
the curves, for these families and for others.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# b₀, b₁, b₂.
COEFFICIENTS = (-1.8, 1.9, 5.0)


def group_probability(chain_share: Floats, exact: Floats) -> Floats:
    """Return the probability that nodes are true groups.

    Parameters
    ----------
    chain_share, exact : array of shape (n_nodes,)
        The share of chains that found a node, and the share of draws that have it exactly.

    Examples
    --------
    >>> group_probability(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])).round(2)
    array([0.99, 0.52, 0.14])
    """
    b0, b1, b2 = COEFFICIENTS
    probability: Floats = 1.0 / (1.0 + np.exp(-(b0 + b1 * chain_share + b2 * np.sqrt(exact))))
    return probability
