"""A state as labels that do not depend on ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .state import State


def canonical(ids: Sequence[int]) -> list[int]:
    """Labels 0, 1, … in the order of first appearance."""
    labels: dict[int, int] = {}
    return [labels.setdefault(i, len(labels)) for i in ids]


def canonical_paths(state: State) -> NDArray[np.int64]:
    """(n_items, n_levels): per level, the items' nodes by first appearance; the root left out."""
    levels = list(zip(*state.paths, strict=True))[1:]
    return np.array([canonical(level) for level in levels], dtype=np.int64).T
