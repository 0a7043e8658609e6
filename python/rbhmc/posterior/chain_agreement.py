"""Agreement between chains about a node, apart from agreement within them.

Each chain c has its own support s_c of a node: the mean over its draws. The support is the mean
over chains, and its Monte Carlo error follows from how much they differ, not from how many draws
repeat what their chain found:

    support = mean of s_c,    error = √(v / n_eff),    v = Σ_c (s_c - support)² / (n_chains - 1).

n_eff, the effective number of chains, is the number of chains if they are independent. Chains with
a common start may resemble each other. With v_starts the variance of the means over the chains of
each start,

    n_eff = n_starts v / v_starts,    from n_starts to n_chains:

n_starts if chains with a common start agree, n_chains if they are as different as others.

A chain has *found* a node A if at least half of its draws have a node B that is nearly A, with
|A Δ B| ≤ |A| / 10. The share of chains that found it does not count what a chain repeats.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc.posterior.support import transfer_support

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

# The largest |A Δ B| / |A| of a node that is nearly A, and the share of draws that must have one.
NEARLY = 0.1
FOUND_SHARE = 0.5

# Variances below are due to rounding.
MIN_VARIANCE = 1e-20


class ChainAgreement(NamedTuple):
    """What the chains say about each node.

    Attributes
    ----------
    support : array of shape (n_chains, n_nodes)
        The transfer support of each node by the draws of each chain.
    error : array of shape (n_nodes,)
        The Monte Carlo standard error of the mean support; NaN for one chain.
    effective_chains : array of shape (n_nodes,)
        The number of independent chains that would have this error.
    share : array of shape (n_nodes,)
        The share of chains that found the node.
    """

    support: Floats
    error: Floats
    effective_chains: Floats
    share: Floats


def chain_agreement(distances: NDArray[np.uint32], sizes: Ints, starts: Ints) -> ChainAgreement:
    """Compare the chains by the support that each gives to each node.

    Parameters
    ----------
    distances : array of shape (n_chains, n_draws, n_nodes)
        The transfer distance of each node to each draw.
    sizes : array of shape (n_nodes,)
        The number of items of each node.
    starts : array of shape (n_chains,)
        The start of each chain, from 0 on.

    Examples
    --------
    Four chains from two starts. The first two find a node of three items, the others do not; and
    one chain of each start finds another:

    >>> distances = np.repeat([[[0, 0]], [[0, 2]], [[2, 0]], [[2, 2]]], 10, axis=1)
    >>> found = chain_agreement(distances, np.array([3, 3]), np.array([0, 0, 1, 1]))
    >>> found.support.mean(axis=0), found.effective_chains
    (array([0.5, 0.5]), array([2., 4.]))
    >>> found.error.round(2), found.share
    (array([0.41, 0.29]), array([0.5, 0.5]))
    """
    is_near = distances <= NEARLY * sizes
    share = (is_near.mean(axis=1) >= FOUND_SHARE).mean(axis=0)
    support = np.stack([transfer_support(chain, sizes) for chain in distances])
    n_chains = len(support)
    if n_chains == 1:
        unknown = np.full(len(sizes), np.nan)
        return ChainAgreement(support, unknown, np.ones(len(sizes)), share)
    variance = support.var(axis=0, ddof=1)
    effective = np.full(len(sizes), float(n_chains))
    chains_per_start = np.bincount(starts)
    n_starts = len(chains_per_start)
    if 1 < n_starts < n_chains:
        is_of_start = starts == np.arange(n_starts)[:, None]
        means = is_of_start @ support / chains_per_start[:, None]
        of_starts = means.var(axis=0, ddof=1)
        ratio = n_starts * variance / np.maximum(of_starts, MIN_VARIANCE)
        effective = np.where(variance < MIN_VARIANCE, n_chains, np.clip(ratio, n_starts, n_chains))
    return ChainAgreement(support, np.sqrt(variance / effective), effective, share)
