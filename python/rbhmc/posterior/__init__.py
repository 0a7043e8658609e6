"""The posterior distribution over trees: what is certain, what is not, and why.

The draws of all chains are a sample of trees. These functions compute the support of each node, the
consensus, the spread around a tree, the items whose place is uncertain, and the features that
separate nodes. None of them depends on the numbers of the nodes.

All probabilities are shares of draws: probabilities under the regularised posterior that the
chosen scheme samples, as far as the chains have explored it. See docs/posterior.md.

Draws are a `rbhmc.Draws`, which is read in blocks, also from a file; or an array of shape
(n_draws, n_items, n_levels) or (n_chains, n_draws, n_items, n_levels).

Examples
--------
>>> import numpy as np, rbhmc
>>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8], [20.0, 0.1], [20.2, 0.3]])
>>> model = rbhmc.RBHMC(random_state=0).fit(X, names=list("abcdef"))
>>> supports = rbhmc.posterior.support(model.tree_, model.draws_)
>>> supports["root"].exact
1.0
"""

from rbhmc.posterior.alternatives import Alternative, alternatives
from rbhmc.posterior.calibration import group_probability
from rbhmc.posterior.chain_agreement import ChainAgreement, chain_agreement
from rbhmc.posterior.consensus import Consensus, consensus
from rbhmc.posterior.credible_ball import CredibleBall, credible_ball
from rbhmc.posterior.explain import Explanation, Feature, explain
from rbhmc.posterior.item_uncertainty import (
    GroupSimilarity,
    UnstableItem,
    UnstableItems,
    coclustering_share,
    group_similarity,
    unstable_items,
)
from rbhmc.posterior.quantities import Distribution, learned, measures
from rbhmc.posterior.reference import ReferenceTest, StructureWarning, reference_test
from rbhmc.posterior.support import Support, support, with_support_from
from rbhmc.tree.differences import FeatureDifference, compare_centroids

__all__ = [
    "Alternative",
    "ChainAgreement",
    "Consensus",
    "CredibleBall",
    "Distribution",
    "Explanation",
    "Feature",
    "FeatureDifference",
    "GroupSimilarity",
    "ReferenceTest",
    "StructureWarning",
    "Support",
    "UnstableItem",
    "UnstableItems",
    "alternatives",
    "chain_agreement",
    "coclustering_share",
    "compare_centroids",
    "consensus",
    "credible_ball",
    "explain",
    "group_probability",
    "group_similarity",
    "learned",
    "measures",
    "reference_test",
    "support",
    "unstable_items",
    "with_support_from",
]
