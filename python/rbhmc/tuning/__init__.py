"""Choose C and margin without labels, by held-out density and by how well trees agree."""

from rbhmc.tuning.result import Trial, Tuning
from rbhmc.tuning.scores import disagreement
from rbhmc.tuning.search import tune

__all__ = ["Trial", "Tuning", "disagreement", "tune"]
