"""The result of tuning: one trial for each setting, and a recommendation with its reasons."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._extras import require
from rbhmc._text import pluralize, wrap_text

# Above this mean disagreement the recommendation carries a warning.
MAX_DISAGREEMENT = 0.7


@dataclass(frozen=True, eq=False)
class Trial:
    """One setting and the scores of its chains.

    Attributes
    ----------
    C : float
    margin : float or None
        None for BHMC.
    ln_density : array of shape (n_items,)
        Log density of each item when it was held out.
    disagreement : float
        From 0, the same tree whichever items were seen, to 1.
    aid, aod : float or None
        Means over draws; None if no draw has a value.
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
        """The setting as text."""
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
    def best_density(self) -> Trial:
        """The trial with the highest mean log density of held-out items."""
        return max(self.trials, key=lambda trial: float(trial.ln_density.mean()))

    @cached_property
    def within_one_se(self) -> tuple[Trial, ...]:
        """The trials whose density is within one standard error of the best, paired by item."""
        return tuple(trial for trial in self.trials if self._is_within_one_se(trial))

    @cached_property
    def recommended(self) -> Trial:
        """The trial with the least disagreement among `within_one_se`."""
        return min(self.within_one_se, key=lambda trial: trial.disagreement)

    @property
    def best(self) -> dict[str, float]:
        """The recommendation as keywords of `RBHMC`."""
        trial = self.recommended
        return {"C": trial.C} | ({} if trial.margin is None else {"margin": trial.margin})

    def recommendation(self) -> str:
        """Return the recommendation and its reasons as text."""
        trial, best = self.recommended, self.best_density
        n_others = len(self.within_one_se) - 1
        if n_others == 0:
            reason = "No other setting predicts held-out items as well, within one standard error"
        elif trial is best:
            reason = (
                f"It predicts held-out items best, and of {pluralize(n_others + 1, 'setting')} "
                "within one standard error its trees change least with the items seen"
            )
        else:
            reason = (
                f"{n_others + 1} settings predict held-out items as well as the best one "
                f"({best.name}), within one standard error; of these, its trees change least "
                "with the items seen"
            )
        sentences = [
            f"Recommended: {trial.name}. {reason} (disagreement {trial.disagreement:.2f})."
        ]
        bhmc = self.trials[0]
        if trial is bhmc:
            sentences.append("Margins do not improve the fit of this table.")
        else:
            changes = [
                f"{name} {value / before - 1.0:+.0%}"
                for name, value, before in (
                    ("AID", trial.aid, bhmc.aid),
                    ("AOD", trial.aod, bhmc.aod),
                )
                if value is not None and before
            ]
            if changes:
                sentences.append(f"Against BHMC: {', '.join(changes)}.")
        if trial.disagreement > MAX_DISAGREEMENT:
            sentences.append(
                "No setting gives trees that agree: read any tree of this table with caution."
            )
        return " ".join(sentences)

    def to_pandas(self) -> Any:
        """Return the trials as a data frame with one row for each."""
        pandas = require("pandas", "frames")
        return pandas.DataFrame(
            {
                "C": trial.C,
                "margin": trial.margin,
                "ln_density": float(trial.ln_density.mean()),
                "disagreement": trial.disagreement,
                "aid": trial.aid,
                "aod": trial.aod,
                "within_one_se": trial in self.within_one_se,
                "recommended": trial is self.recommended,
            }
            for trial in self.trials
        )

    def plot(self, **options: Any) -> Any:
        """Draw density and disagreement as heat maps; see `rbhmc.plots.plot_tuning`."""
        return require("rbhmc.plots", "plots").plot_tuning(self, **options)

    def _is_within_one_se(self, trial: Trial) -> bool:
        difference = self.best_density.ln_density - trial.ln_density
        return bool(difference.mean() <= difference.std() / np.sqrt(len(difference)))

    def __str__(self) -> str:
        lines = [f"{'':<24}{'ln density':>11}{'disagreement':>14}{'AID':>9}{'AOD':>9}   nodes"]
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
