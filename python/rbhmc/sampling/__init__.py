"""Run several chains with joblib: progress, Ctrl-C, checkpoints on disk, resuming."""

from rbhmc.sampling.chain import Chain, ChainError
from rbhmc.sampling.run import (
    SampledRun,
    Terminated,
    run_chains,
    sample,
    truncate_to_common_length,
)
from rbhmc.sampling.run_folder import RunFolder

__all__ = [
    "Chain",
    "ChainError",
    "RunFolder",
    "SampledRun",
    "Terminated",
    "run_chains",
    "sample",
    "truncate_to_common_length",
]
