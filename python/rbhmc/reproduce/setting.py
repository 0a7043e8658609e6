"""What every experiment is given, and what it gives back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rbhmc._extras import require
from rbhmc.draws import Draws
from rbhmc.reproduce.effort import Effort
from rbhmc.reproduce.measure import CaseMeasure, ChainMeasure
from rbhmc.reproduce.tables import Table
from rbhmc.sampling import Chain, sample
from rbhmc.sampling.provenance import digest
from rbhmc.studies import Case, run_study

CASE_CHAINS = 2
STOPPED = "The same command goes on where it was."


@dataclass(frozen=True)
class Section:
    """A part of the page: its text, in Markdown, and its numbers."""

    title: str
    text: str
    numbers: Any


@dataclass(frozen=True, eq=False)
class Setting:
    """A table, how much to run on it, and where things go."""

    table: Table
    effort: Effort
    scheme: str
    folder: Path
    n_jobs: int | None
    progress: bool

    def sampler_settings(self, C: float, margin: float) -> dict[str, Any]:
        """Return the keywords of `Sampler` for one strength and margin."""
        return {**self.table.settings, "scheme": self.scheme, "C": C, "margin": margin}

    def draw(
        self,
        cells: Sequence[tuple[float, float]],
        n_chains: int,
        *,
        n_warmup: int,
        n_draws: int,
        thin: int,
        place: Path,
    ) -> list[Draws]:
        """Run chains for each (C, margin), kept in `place`, and return the draws of each cell."""
        every = [self.sampler_settings(*cell) for cell in cells for _ in range(n_chains)]
        run = sample(
            lambda seeds: [
                Chain(
                    self.table.X,
                    seed=seed,
                    n_draws=n_draws,
                    n_warmup=n_warmup,
                    thin=thin,
                    settings=settings,
                )
                for seed, settings in zip(seeds, every, strict=True)
            ],
            {
                "cells": every,
                "n_warmup": n_warmup,
                "thin": thin,
                "X (SHA-256)": digest(self.table.X),
            },
            n_seeds=len(every),
            random_state=0,
            n_jobs=self.n_jobs,
            checkpoint_dir=place,
            resume=True,
            progress=self.progress,
        )
        pieces = run.results
        if any(len(piece["cdll"]) < n_draws for piece in pieces):
            raise KeyboardInterrupt(STOPPED)
        return [
            Draws.of_chains(pieces[start : start + n_chains], self.table.names)
            for start in range(0, len(pieces), n_chains)
        ]

    def draw_cases(self) -> list[Draws]:
        """Run CASE_CHAINS chains for each of the table's cases; experiments share them."""
        return self.draw(
            self.table.cases,
            CASE_CHAINS,
            n_warmup=self.effort.n_warmup,
            n_draws=self.effort.n_draws,
            thin=self.effort.thin,
            place=self.folder.parent / "cases",
        )

    def measure_grid(self, cells: Sequence[Mapping[str, float]]) -> list[Case]:
        """Run the effort's repeats for each cell, and measure each chain."""
        measure = ChainMeasure(self.table.X, self.table.classes)
        return self._measure(cells, measure, self.effort.n_repeats, self.folder / "chains", 0)

    def measure_cases(self) -> dict[str, list[dict[str, Any]]]:
        """Run the effort's chains for each of the table's cases; experiments share them.

        Returns
        -------
        dict
            By the name of a case, what was measured on each of its chains.
        """
        cells = [{"C": C, "margin": margin} for C, margin in self.table.cases]
        measure = CaseMeasure(self.table.X, self.table.classes)
        place = self.folder.parent / "measured"
        cases = self._measure(cells, measure, self.effort.n_chains, place, 1)
        return {
            method_name(**cell): [case.values for case in cases if case.settings == cell]
            for cell in cells
        }

    def _measure(
        self,
        cells: Sequence[Mapping[str, float]],
        measure: ChainMeasure,
        n_repeats: int,
        place: Path,
        random_state: int,
    ) -> list[Case]:
        effort, table = self.effort, self.table
        cases = run_study(
            table.X,
            cells,
            measure,
            n_repeats=n_repeats,
            settings={**table.settings, "scheme": self.scheme},
            n_warmup=effort.n_warmup,
            n_draws=effort.n_draws,
            thin=effort.thin,
            random_state=random_state,
            n_jobs=self.n_jobs,
            checkpoint_dir=place,
            resume=True,
            progress=self.progress,
        )
        if len(cases) < len(cells) * n_repeats:
            raise KeyboardInterrupt(STOPPED)
        return cases

    def save_figure(self, figure: Any, name: str) -> str:
        """Write a figure, and return the Markdown that shows it."""
        figure.savefig(self.folder / f"{name}.png", dpi=130, bbox_inches="tight")
        return f"![{name}]({self.folder.name}/{name}.png)"


def new_figure(width: float, height: float) -> Any:
    """Make a figure that no window knows of."""
    require("matplotlib", "plots")
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def method_name(C: float, margin: float) -> str:
    """Name a setting in words.

    Examples
    --------
    >>> method_name(0.0, 1.0), method_name(0.1, 10.0)
    ('BHMC', 'RBHMC, C = 0.1, margin = 10')
    """
    return "BHMC" if C == 0.0 else f"RBHMC, C = {C:g}, margin = {margin:g}"
