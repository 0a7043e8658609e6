"""The state as canonical labels, which do not depend on ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .state import State


def canonical(ids: Sequence[int]) -> list[int]:
    """Number the ids 0, 1, … by first appearance."""
    labels: dict[int, int] = {}
    return [labels.setdefault(i, len(labels)) for i in ids]


def canonical_paths(state: State) -> NDArray[np.int64]:
    """Return the canonical label of each item at each level below the root."""
    levels = list(zip(*state.paths, strict=True))[1:]
    return np.array([canonical(level) for level in levels], dtype=np.int64).T
