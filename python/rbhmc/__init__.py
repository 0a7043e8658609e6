"""Bayesian hierarchical mixture clustering: hierarchies that can be read and trusted.

`Sampler` draws trees from the posterior of a table; `simulate` draws tables from the model.
"""

from rbhmc import distributions
from rbhmc._core import InvalidCheckpoint, InvalidInput, Sampler, __version__, simulate
from rbhmc.progress import ProgressLine

__all__ = [
    "InvalidCheckpoint",
    "InvalidInput",
    "ProgressLine",
    "Sampler",
    "__version__",
    "distributions",
    "simulate",
]
