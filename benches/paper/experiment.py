"""The setting of an experiment: its table, effort and folder, the chains it runs and measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from paper.studies import StudyRun, run_study
from paper.tables import Table
from rbhmc.draws import Draws
from rbhmc.metrics import aid, aod, co_occurrence, dendrogram_purity, f_measure, is_singular
from rbhmc.posterior import measures
from rbhmc.sampling import Chain, sample
from rbhmc.sampling.provenance import digest

# Chains of each published setting whose trees and co-occurrence maps are drawn.
N_SHOWN_CHAINS = 2
# Draws, evenly spaced, over which the slower measures are averaged.
N_AVERAGED_DRAWS = 200
STOPPED = "the same command resumes the run"


@dataclass(frozen=True)
class Effort:
    """Lengths and numbers of chains.

    Attributes
    ----------
    n_warmup, n_sweeps, thin : int
        Sweeps before the first draw, sweeps after them, and sweeps per draw.
    n_repeats : int
        Chains for each setting of the sensitivity map.
    n_chains : int
        Chains for each published setting.
    n_trace : int
        Sweeps of a trace.
    """

    n_warmup: int
    n_sweeps: int
    thin: int
    n_repeats: int
    n_chains: int
    n_trace: int

    @property
    def n_draws(self) -> int:
        """Draws of a chain."""
        return self.n_sweeps // self.thin


EFFORTS = {
    "quick": Effort(n_warmup=2_500, n_sweeps=5_000, thin=5, n_repeats=3, n_chains=6, n_trace=5_000),
    "medium": Effort(
        n_warmup=10_000, n_sweeps=20_000, thin=5, n_repeats=10, n_chains=10, n_trace=20_000
    ),
    "paper": Effort(
        n_warmup=25_000, n_sweeps=50_000, thin=5, n_repeats=30, n_chains=15, n_trace=50_000
    ),
}


@dataclass(frozen=True)
class Section:
    """A section of the page: its text, in Markdown, and its numbers."""

    title: str
    text: str
    numbers: Any


@dataclass(frozen=True, eq=False)
class Experiment:
    """A table, the effort to spend on it, and the folder of the results."""

    table: Table
    effort: Effort
    scheme: str
    folder: Path
    n_jobs: int | None
    progress: bool

    def draw(
        self,
        cells: Sequence[tuple[float, float]],
        n_chains: int,
        *,
        n_warmup: int,
        n_draws: int,
        thin: int,
        folder: Path,
    ) -> list[Draws]:
        """Run chains for each (C, margin), kept in `folder`, and return the draws of each cell."""
        table = self.table
        settings = [
            {**table.settings, "scheme": self.scheme, "C": C, "margin": margin}
            for C, margin in cells
            for _ in range(n_chains)
        ]
        run = sample(
            lambda seeds: [
                Chain(
                    table.X,
                    seed=seed,
                    n_draws=n_draws,
                    n_warmup=n_warmup,
                    thin=thin,
                    settings=of_chain,
                )
                for seed, of_chain in zip(seeds, settings, strict=True)
            ],
            {
                "cells": settings,
                "n_warmup": n_warmup,
                "thin": thin,
                "X (SHA-256)": digest(table.X),
            },
            n_seeds=len(settings),
            random_state=0,
            n_jobs=self.n_jobs,
            checkpoint_dir=folder,
            resume=True,
            progress=self.progress,
        )
        chunks = run.results
        if any(len(chunk["cdll"]) < n_draws for chunk in chunks):
            raise KeyboardInterrupt(STOPPED)
        return [
            Draws.of_chains(chunks[start : start + n_chains], table.names)
            for start in range(0, len(chunks), n_chains)
        ]

    def draw_published(self) -> list[Draws]:
        """Run N_SHOWN_CHAINS chains for each published setting; experiments share them."""
        return self.draw(
            self.table.published,
            N_SHOWN_CHAINS,
            n_warmup=self.effort.n_warmup,
            n_draws=self.effort.n_draws,
            thin=self.effort.thin,
            folder=self.folder.parent / "published",
        )

    def measure_grid(self, cells: Sequence[Mapping[str, float]]) -> list[StudyRun]:
        """Run the repeats for each cell, and measure each chain."""
        measure = ChainMeasure(self.table.X, self.table.classes)
        return self._measure(cells, measure, self.effort.n_repeats, self.folder / "chains", 0)

    def measure_published(self) -> dict[str, list[dict[str, Any]]]:
        """Run and measure the chains of each published setting; experiments share them.

        Returns
        -------
        dict
            By the name of the setting, the measured values of each of its chains.
        """
        cells = [{"C": C, "margin": margin} for C, margin in self.table.published]
        measure = PublishedMeasure(self.table.X, self.table.classes)
        folder = self.folder.parent / "measured"
        runs = self._measure(cells, measure, self.effort.n_chains, folder, 1)
        return {
            method_name(**cell): [run.values for run in runs if run.settings == cell]
            for cell in cells
        }

    def _measure(
        self,
        cells: Sequence[Mapping[str, float]],
        measure: "ChainMeasure",
        n_repeats: int,
        folder: Path,
        random_state: int,
    ) -> list[StudyRun]:
        effort, table = self.effort, self.table
        runs = run_study(
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
            checkpoint_dir=folder,
            resume=True,
            progress=self.progress,
        )
        if len(runs) < len(cells) * n_repeats:
            raise KeyboardInterrupt(STOPPED)
        return runs

    def save_figure(self, figure: Any, name: str) -> str:
        """Write a figure, and return the Markdown that shows it."""
        figure.savefig(self.folder / f"{name}.png", dpi=130, bbox_inches="tight")
        return f"![{name}]({self.folder.name}/{name}.png)"


@dataclass(frozen=True, eq=False)
class ChainMeasure:
    """AID, AOD, the share of singular draws, and F and purity of the draw that the paper presents.

    As in the paper, AID and AOD are means over the draws that are not one single path, and the
    presented draw has the highest RCDLL. Nodes with one item count 0; ``"aid skip"`` and ``"aod
    skip"`` leave them out.

    Examples
    --------
    >>> draws = {"paths": np.array([[[0], [0], [1]], [[0], [0], [0]]]), "rcdll": np.array([-1, -2])}
    >>> values = ChainMeasure(np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 1]))(draws)
    >>> values["f"], values["singular"], values["aid"], values["aid skip"]
    ([1.0], 0.5, 0.5, 1.0)
    """

    X: NDArray[np.float64]
    classes: NDArray[Any]

    def __call__(self, draws: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Measure the draws of a chain."""
        paths = draws["paths"]
        singular = np.asarray(is_singular(paths))
        best = paths[int(np.argmax(draws["rcdll"]))]
        return {
            "singular": float(singular.mean()),
            **self._distances(paths[~singular]),
            "f": f_measure(best, self.classes).tolist(),
            "purity": float(dendrogram_purity(best, self.classes)),
        }

    def _distances(self, paths: NDArray[Any]) -> dict[str, float | None]:
        if not len(paths):
            return dict.fromkeys(("aid", "aod", "aid skip", "aod skip"))
        every = measures(paths, X=self.X)
        some = paths[:: max(1, len(paths) // N_AVERAGED_DRAWS)]
        return {
            "aid": _mean(every["aid"].values),
            "aod": _mean(every["aod"].values),
            "aid skip": _mean(aid(self.X, some, singletons="skip")),
            "aod skip": _mean(aod(self.X, some, singletons="skip")),
        }


class PublishedMeasure(ChainMeasure):
    """`ChainMeasure`, and ``"together"``: by level, how often each pair of items shares its node.

    Examples
    --------
    >>> draws = {"paths": np.array([[[0], [0], [1]], [[0], [0], [0]]]), "rcdll": np.array([-1, -2])}
    >>> PublishedMeasure(np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 1]))(draws)["together"]
    [[1.0, 0.5, 0.5]]
    """

    def __call__(self, draws: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Measure the draws of a chain."""
        paths = draws["paths"]
        above_diagonal = np.triu_indices(paths.shape[1], k=1)
        maps = [co_occurrence(paths, level + 1) for level in range(paths.shape[2])]
        together = [one[above_diagonal].round(4).tolist() for one in maps]
        return {**super().__call__(draws), "together": together}


def new_figure(width: float, height: float) -> Figure:
    """Create a figure that no window shows."""
    return Figure(figsize=(width, height), layout="constrained")


def method_name(C: float, margin: float) -> str:
    """Name a setting.

    Examples
    --------
    >>> method_name(0.0, 1.0), method_name(0.1, 10.0)
    ('BHMC', 'RBHMC, C = 0.1, margin = 10')
    """
    return "BHMC" if C == 0.0 else f"RBHMC, C = {C:g}, margin = {margin:g}"


def _mean(values: Any) -> float | None:
    array = np.asarray(values, np.float64)
    return None if np.isnan(array).all() else float(np.nanmean(array))
