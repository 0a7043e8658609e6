"""The experiments of the paper, each as a function and a command, with what holds and what not.

The paper is *Posterior Regularization on Bayesian Hierarchical Mixture Clustering*. `run` carries
out experiments on one of its two tables and writes figures, numbers and a page of text.
"""

from rbhmc.reproduce.effort import EFFORTS, Effort
from rbhmc.reproduce.experiments import EXPERIMENTS, run
from rbhmc.reproduce.tables import TABLES, Table, load_table

__all__ = ["EFFORTS", "EXPERIMENTS", "TABLES", "Effort", "Table", "load_table", "run"]
