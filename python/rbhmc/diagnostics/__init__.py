"""Whether the chains of a run agree: figures that do not depend on node numbers, and a verdict.

Node numbers mean nothing, so that no trace of them can be compared between chains. What can be is
how likely a draw is, how many nodes and components it has, how its clusters are sized, and how far
it is from the tree that is presented. `diagnose` compares the chains by these.

Examples
--------
>>> import numpy as np, rbhmc
>>> from rbhmc.diagnostics import diagnose
>>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8]])
>>> model = rbhmc.RBHMC(n_levels=1, n_draws=500, random_state=0).fit(X)
>>> found = diagnose(model.draws_, model.tree_.paths)
>>> [row.name for row in found.table][-2:]
['effective clusters, level 1', 'distance to the tree, level 1']
>>> found.verdict.status in ("agree", "nearly", "disagree")
True
"""

from rbhmc.diagnostics.convergence import Row
from rbhmc.diagnostics.report import Diagnostics, diagnose, summary_text
from rbhmc.diagnostics.verdict import Verdict

__all__ = ["Diagnostics", "Row", "Verdict", "diagnose", "summary_text"]
