"""The experiments of the paper, each as a function and a command, with what holds and what not.

The paper is *Posterior Regularization on Bayesian Hierarchical Mixture Clustering*. `run` carries
out experiments on one of its two tables and writes figures, numbers and a page of text, with a
verdict on each claim of the paper about the table.
"""

from rbhmc.reproduce.claims import RULES
from rbhmc.reproduce.effort import EFFORTS, Effort
from rbhmc.reproduce.experiments import EXPERIMENTS, run
from rbhmc.reproduce.record import Record, effort_text, read_records
from rbhmc.reproduce.tables import TABLES, Table, load_table
from rbhmc.reproduce.verdicts import place_tables, verdict_table

__all__ = [
    "EFFORTS",
    "EXPERIMENTS",
    "RULES",
    "TABLES",
    "Effort",
    "Record",
    "Table",
    "effort_text",
    "load_table",
    "place_tables",
    "read_records",
    "run",
    "verdict_table",
]
