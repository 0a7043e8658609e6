"""Bayesian hierarchical mixture clustering: hierarchies that can be read and trusted.

`RBHMC` and `BHMC` are scikit-learn clusterers that present a `Tree`; `Sampler` is one of their
chains, and `simulate` draws tables from the model.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from rbhmc import (
    datasets,
    diagnostics,
    distributions,
    metrics,
    posterior,
    preparation,
    sampling,
    tuning,
)
from rbhmc._core import InvalidCheckpoint, InvalidInput, Sampler, __version__, simulate
from rbhmc.draws import Draws
from rbhmc.estimator import BHMC, RBHMC
from rbhmc.posterior import StructureWarning
from rbhmc.sampling import ChainError
from rbhmc.sampling.progress import ProgressLine
from rbhmc.tree import Node, Tree
from rbhmc.tuning import tune

__all__ = [
    "BHMC",
    "RBHMC",
    "ChainError",
    "Draws",
    "InvalidCheckpoint",
    "InvalidInput",
    "Node",
    "ProgressLine",
    "Sampler",
    "StructureWarning",
    "Tree",
    "__version__",
    "datasets",
    "diagnostics",
    "distributions",
    "metrics",
    "posterior",
    "preparation",
    "sampling",
    "simulate",
    "tune",
    "tuning",
]

if TYPE_CHECKING:
    from rbhmc import plots as plots
    from rbhmc import report as report
else:

    def __getattr__(name):  # figures and reports are loaded when they are first used
        if name in ("plots", "report"):
            return import_module(f"rbhmc.{name}")
        raise AttributeError(f"module 'rbhmc' has no attribute {name!r}")
