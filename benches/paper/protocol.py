"""The paper's protocol (§5): its settings, its numbers of chains, and which chains must be run.

All experiments of the paper read the same chains. A chain has a table, a reading, a cell (C,
margin) and a number; the sensitivity grid takes all repeats of its cells, the F-measures the first
15, the traces the first 4, and the cases and co-occurrence plots the first 2.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

MARGINS = (0.01, 0.1, 1.0, 10.0)
# How the printed update of η is read, and our default scheme; what each means is in `chain`.
READINGS = ("active", "paths", "collapsed")


class Cell(NamedTuple):
    """A setting; C = 0 is BHMC, whose margin is written as 0.

    Examples
    --------
    >>> Cell(0.0, 0.0).name, Cell(0.1, 10.0).name
    ('BHMC', '(0.1, 10)')
    """

    C: float
    margin: float

    @property
    def name(self) -> str:
        """As in the tables."""
        return "BHMC" if self.C == 0.0 else f"({self.C:g}, {self.margin:g})"


BHMC = Cell(0.0, 0.0)


@dataclass(frozen=True)
class Design:
    """What the paper does with a table.

    Attributes
    ----------
    settings : dict
        Keywords of `Sampler`: the priors.
    strengths : tuple of float
        C of the sensitivity grid, of which each goes with all `MARGINS`.
    cases : tuple of Cell
        Whose trees and co-occurrence the paper shows, BHMC first.
    scored : Cell
        Whose F-measure it compares with that of BHMC.
    n_case_draws : int
        Draws of a case.
    """

    settings: dict[str, Any]
    strengths: tuple[float, ...]
    cases: tuple[Cell, ...]
    scored: Cell
    n_case_draws: int

    @property
    def grid(self) -> list[Cell]:
        """The cells of the sensitivity map."""
        return [Cell(C, margin) for C in self.strengths for margin in MARGINS]


ANIMALS = Design(
    settings={"n_levels": 3, "alpha": 0.35, "gamma": 1.0, "gamma0": 0.85},
    strengths=(1e-3, 1e-2, 1e-1, 1.0),
    cases=(BHMC, Cell(0.1, 0.1), Cell(0.1, 10.0)),
    scored=Cell(0.1, 1.0),
    n_case_draws=50_000,
)
FASHION = Design(
    settings={"n_levels": 4, "alpha": 0.2, "gamma": 1.5, "gamma0": 0.85},
    strengths=(1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0),
    cases=(BHMC, Cell(0.001, 0.01), Cell(0.001, 1.0), Cell(1.0, 1.0)),
    scored=Cell(0.001, 1.0),
    n_case_draws=75_000,
)
DESIGNS = {"animals": ANIMALS, "fashion": FASHION, "fashion-255": FASHION}
# Beyond the grid, for what the paper says of a very large C; run as often as the traces.
EXTREMES = (Cell(10.0, 1.0), Cell(100.0, 1.0))


@dataclass(frozen=True)
class Lengths:
    """Lengths and numbers of chains; the defaults are the paper's."""

    n_burn_in: int = 25_000
    n_draws: int = 50_000
    # The grid takes every fifth draw.
    thin: int = 5
    n_repeats: int = 30
    n_scored: int = 15
    n_traced: int = 4
    n_shown: int = 2


class Task(NamedTuple):
    """A chain to run."""

    cell: Cell
    repeat: int


def tasks(design: Design, lengths: Lengths) -> list[Task]:
    """List the chains in the order in which a part of them says most.

    The first repeat of all cells comes first, and cells that the paper names are five times ahead.

    Examples
    --------
    >>> [task.cell.name for task in tasks(ANIMALS, Lengths(n_repeats=1))][:3]
    ['BHMC', '(0.001, 0.01)', '(0.001, 0.1)']
    """
    named = {*design.cases, design.scored}
    found = [
        Task(cell, repeat)
        for cell in (BHMC, *design.grid, *EXTREMES)
        for repeat in range(lengths.n_repeats)
        if cell not in EXTREMES or repeat < lengths.n_traced
    ]
    return sorted(found, key=lambda task: task.repeat // (5 if task.cell in named else 1))
