"""A report of a fitted model: one HTML file with the tree, its uncertainty and the chains.

The file loads nothing from the network, so that it can be mailed and archived.

Examples
--------
>>> import tempfile, numpy as np, rbhmc
>>> from rbhmc.report import write_report
>>> X = np.array([[0.0, 0.1], [0.3, -0.2], [9.0, 9.1], [9.3, 8.8]])
>>> model = rbhmc.RBHMC(n_levels=1, n_draws=100, random_state=0).fit(X)
>>> with tempfile.TemporaryDirectory() as folder:
...     write_report(model, f"{folder}/four.html").name
'four.html'
"""

from rbhmc.report.write import write_report

__all__ = ["write_report"]
