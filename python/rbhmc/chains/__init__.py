"""Many chains at once: run through joblib, watched, stopped, kept on disk, and gone on with."""

from rbhmc.chains.chain import Chain
from rbhmc.chains.complete import complete_draws
from rbhmc.chains.errors import ChainError
from rbhmc.chains.folder import RunFolder, open_run
from rbhmc.chains.run import run_chains

__all__ = ["Chain", "ChainError", "RunFolder", "complete_draws", "open_run", "run_chains"]
