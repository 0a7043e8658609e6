"""Choosing C and margin without labels: what predicts new items, and gives the same tree again."""

from rbhmc.tuning.agreement import disagreement
from rbhmc.tuning.result import Trial, Tuning
from rbhmc.tuning.search import tune

__all__ = ["Trial", "Tuning", "disagreement", "tune"]
