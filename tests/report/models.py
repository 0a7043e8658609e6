"""Fitted models for reports."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbhmc import RBHMC

GROUPS = ((0.0, 0.0), (9.0, 1.0), (1.0, 9.0), (-9.0, -8.0))

# Names that a careless page would execute, break on, or lose.
HOSTILE = (
    "<script>window.hurt = 1</script>",
    "</script><script>window.hurt = 1</script>",
    "<img src=x onerror='window.hurt = 1'>",
    '" onmouseover="window.hurt = 1',
    "a & b &amp; c",
    "two\nlines",
    "日本語の名前",
    "שלום עולם",
    "-->\u2028<!--",
    "",
    "$title ${data}",
    "\ud800 alone",
)


def fit_model(X: ArrayLike, names: Any = None, **settings: Any) -> RBHMC:
    """Fit a model with short chains."""
    few = {"n_chains": 2, "n_draws": 60, "n_warmup": 60, "thin": 1, "random_state": 0}
    return RBHMC(**(few | settings)).fit(X, names=names, progress=False)


def make_table(n_items: int, seed: int = 0) -> NDArray[np.float64]:
    """Make items in four groups, with noise that makes the draws disagree."""
    rng = np.random.default_rng(seed)
    return np.array(GROUPS)[np.arange(n_items) % len(GROUPS)] + rng.normal(size=(n_items, 2))
