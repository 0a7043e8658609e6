"""What a tuning found: a trial for each setting, and a recommendation in words."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._extras import require
from rbhmc._text import wrap_text


@dataclass(frozen=True, eq=False)
class Trial:
    """One setting, and how its chains did.

    Attributes
    ----------
    C : float
    margin : float or None
        None for BHMC, which has none.
    ln_density : array of shape (n_items,)
        Log density of each item, when it was kept out.
    disagreement : float
        From 0, the same tree whichever items were seen, to 1.
    aid, aod : float or None
        Means over draws; None where no draw has what they measure.
    n_nodes : tuple of float
        Mean number of nodes at each level.
    """

    C: float
    margin: float | None
    ln_density: NDArray[np.float64]
    disagreement: float
    aid: float | None
    aod: float | None
    n_nodes: tuple[float, ...]

    @property
    def name(self) -> str:
        """The setting in words."""
        return "BHMC" if self.margin is None else f"C = {self.C:g}, margin = {self.margin:g}"


@dataclass(frozen=True, eq=False, repr=False)
class Tuning:
    """The trials of `tune`; `print` it to read them with the recommendation.

    Attributes
    ----------
    trials : tuple of Trial
        BHMC first, then all pairs of C and margin.
    """

    trials: tuple[Trial, ...]

    @cached_property
    def densest(self) -> Trial:
        """The trial that gives items kept out the highest mean log density."""
        return max(self.trials, key=lambda trial: float(trial.ln_density.mean()))

    @cached_property
    def as_dense(self) -> tuple[Trial, ...]:
        """The trials whose density is within one standard error of the highest, paired by item."""
        return tuple(trial for trial in self.trials if self._is_as_dense(trial))

    @cached_property
    def recommended(self) -> Trial:
        """Of these, the trial with the least disagreement."""
        return min(self.as_dense, key=lambda trial: trial.disagreement)

    @property
    def best(self) -> dict[str, float]:
        """The recommendation as keywords of `RBHMC`."""
        trial = self.recommended
        return {"C": trial.C} | ({} if trial.margin is None else {"margin": trial.margin})

    def recommendation(self) -> str:
        """Say what is recommended, and why."""
        trial, densest = self.recommended, self.densest
        others = len(self.as_dense) - 1
        if others == 0:
            why = "No other setting predicts items kept out as well, within one standard error"
        elif trial is densest:
            why = (
                f"It predicts items kept out best; {others} others do as well within one standard "
                "error, and its trees change least with the items seen"
            )
        else:
            why = (
                f"{others + 1} settings predict items kept out as well as the best one "
                f"({densest.name}), within one standard error; of these, its trees change least "
                "with the items seen"
            )
        lines = [f"Recommended: {trial.name}. {why} (disagreement {trial.disagreement:.2f})."]
        plain = self.trials[0]
        if trial is plain:
            lines.append("Margins do not pay on this table.")
        else:
            changes = [
                f"{name} {value / before - 1.0:+.0%}"
                for name, value, before in (
                    ("AID", trial.aid, plain.aid),
                    ("AOD", trial.aod, plain.aod),
                )
                if value is not None and before
            ]
            if changes:
                lines.append(f"Against BHMC: {', '.join(changes)}.")
        if trial.disagreement > 0.7:
            lines.append(
                "No setting gives trees that agree: read any tree of this table with caution."
            )
        return " ".join(lines)

    def to_pandas(self) -> Any:
        """Return the trials as a data frame, a row each."""
        pandas = require("pandas", "frames")
        return pandas.DataFrame(
            {
                "C": trial.C,
                "margin": trial.margin,
                "ln_density": float(trial.ln_density.mean()),
                "disagreement": trial.disagreement,
                "aid": trial.aid,
                "aod": trial.aod,
                "as_dense": trial in self.as_dense,
                "recommended": trial is self.recommended,
            }
            for trial in self.trials
        )

    def plot(self, **options: Any) -> Any:
        """Draw maps of density and disagreement, see `rbhmc.plots.plot_tuning`."""
        return require("rbhmc.plots", "plots").plot_tuning(self, **options)

    def _is_as_dense(self, trial: Trial) -> bool:
        behind = self.densest.ln_density - trial.ln_density
        return bool(behind.mean() <= behind.std() / np.sqrt(len(behind)))

    def __str__(self) -> str:
        head = f"{'':<24}{'ln density':>11}{'disagreement':>14}{'AID':>9}{'AOD':>9}   nodes"
        lines = [head]
        for trial in self.trials:
            mark = "*" if trial is self.recommended else " "
            aid, aod = ("-" if x is None else f"{x:.3g}" for x in (trial.aid, trial.aod))
            nodes = " ".join(f"{n:.1f}" for n in trial.n_nodes)
            lines.append(
                f"{mark} {trial.name:<22}{trial.ln_density.mean():>11.3f}"
                f"{trial.disagreement:>14.2f}{aid:>9}{aod:>9}   {nodes}"
            )
        return "\n".join([*lines, "", wrap_text(self.recommendation())])

    def __repr__(self) -> str:
        return f"Tuning({self.recommended.name} of {len(self.trials)} settings)"
