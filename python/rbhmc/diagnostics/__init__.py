"""Convergence diagnostics: summaries that do not depend on node numbers, and a verdict.

Node numbers are arbitrary, so their traces cannot be compared between chains. `diagnose` compares
the chains by the likelihood of a draw, its numbers of nodes and components, the sizes of its
clusters, and its distance from the presented clusters.

Examples
--------
>>> import numpy as np, rbhmc
>>> from rbhmc.diagnostics import diagnose
>>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8]])
>>> model = rbhmc.RBHMC(n_levels=1, n_draws=500, random_state=0).fit(X)
>>> diagnostics = diagnose(model.draws_, model.tree_)
>>> [row.name for row in diagnostics.table][-2:]
['effective clusters, level 1', 'distance to the clusters, level 1']
>>> model.verdict().status in ("good", "doubtful", "bad", "unknown")
True
"""

from rbhmc.diagnostics.convergence import Row, judge_rhat
from rbhmc.diagnostics.diagnostics import Diagnostics, diagnose, summary_text
from rbhmc.diagnostics.verdict import Judgement, Verdict, judge_nodes, judge_tree

__all__ = [
    "Diagnostics",
    "Judgement",
    "Row",
    "Verdict",
    "diagnose",
    "judge_nodes",
    "judge_rhat",
    "judge_tree",
    "summary_text",
]
