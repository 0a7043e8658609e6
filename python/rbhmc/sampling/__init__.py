"""Many chains at once: run through joblib, watched, stopped, kept on disk, and gone on with."""

from rbhmc.sampling.chain import Chain
from rbhmc.sampling.complete import complete_draws
from rbhmc.sampling.errors import ChainError
from rbhmc.sampling.folder import RunFolder, open_run
from rbhmc.sampling.run import run_chains

__all__ = ["Chain", "ChainError", "RunFolder", "complete_draws", "open_run", "run_chains"]
