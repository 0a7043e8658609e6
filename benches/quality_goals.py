"""The goals of the default answer, and whether tables meet them."""

from dataclasses import dataclass

import numpy as np

from quality_rows import Row, mean_other, mean_over

# How far the clusters with nothing told must be ahead of Ward's linkage with the silhouette.
CLUSTERS_GAIN = 0.05
# How far a single table may be behind Ward's linkage, except digits, which has its own goals.
TOLERANCE = 0.02
DIGITS = "digits"
# Lower bounds of our means on single tables: (table, measure, name in the text, bound). Means are
# rounded to three decimals, as the bounds are: 0.966 is 0.96591, the animals with one class in two.
BOUNDS = (
    (DIGITS, "cut F", "best cut F", 0.80),
    (DIGITS, "F", "clusters F", 0.74),
    ("Kemp animals", "cut F", "best cut F", 0.966),
    ("Kemp animals", "purity", "purity", 0.96),
)


@dataclass(frozen=True)
class Goal:
    """A lower bound, and the value that is compared with it."""

    text: str
    value: float
    bound: float

    def __str__(self) -> str:
        word = "met" if self.value >= self.bound else "**missed**"
        return f"- {word}: {self.text}: {self.value:.4f} (goal: at least {self.bound:g})"


def list_goals(rows: list[Row]) -> list[Goal]:
    """Return the goals that apply to these tables."""
    goals = [
        Goal(
            "mean gain in F of the clusters on Ward + silhouette",
            mean_over(rows, "F") - mean_other(rows, "silhouette F"),
            CLUSTERS_GAIN,
        )
    ]
    for measure, name in (("cut F", "best cut F"), ("purity", "purity")):
        gains = {row.name: row.mean(measure) - row.other(f"Ward {measure}") for row in rows}
        goals.append(Goal(f"mean gain in {name} on Ward", float(np.mean([*gains.values()])), 0.0))
        compared = {table: gain for table, gain in gains.items() if table != DIGITS}
        if compared:
            worst = min(compared, key=lambda table: compared[table])
            text = f"least gain in {name} on Ward, on {worst}"
            goals.append(Goal(text, compared[worst], -TOLERANCE))
    means = {row.name: row for row in rows}
    for table, measure, name, bound in BOUNDS:
        if table in means:
            goals.append(Goal(f"{table}, {name}", round(means[table].mean(measure), 3), bound))
    return goals


def print_goals(rows: list[Row]) -> None:
    """Print one line for each goal."""
    print("Goals:\n")
    for goal in list_goals(rows):
        print(goal)
    print(flush=True)
