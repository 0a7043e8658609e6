"""A small table, and short chains, for tests of the reproduction."""

import numpy as np

from paper.protocol import BHMC, Cell, Design, Lengths
from paper.tables import Table

CLASSES = np.repeat([0, 1, 2], 4)
DESIGN = Design(
    settings={"n_levels": 2, "alpha": 0.5},
    strengths=(0.001, 0.1),
    cases=(BHMC, Cell(0.1, 1.0)),
    scored=Cell(0.1, 1.0),
    n_case_draws=75_000,
)
SHORT = Lengths(n_burn_in=500, n_draws=1_000, n_repeats=3, n_scored=2)


def made_table() -> Table:
    rng = np.random.default_rng(0)
    X = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[CLASSES] + rng.normal(size=(12, 2))
    return Table("made", X, X, tuple(f"item {n}" for n in range(12)), CLASSES, None, DESIGN)
