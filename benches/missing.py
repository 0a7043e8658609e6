"""Measure what gaps cost: adjusted Rand index and supports as values are removed at random.

Prints Markdown for iris, wine and penguins (all columns except the species): the adjusted Rand
index of the clusters, and at the best depth, with other draws for the gaps in each chain, beside
the same with each gap filled by the mean or the most frequent value of its column; and the mean
support that the draws give to the nodes of the complete table, which should fall as gaps rise.
The half-widths are of 95 % intervals (Student's t) over patterns of gaps: of each mean with draws,
and of the gain over means, which is paired. Progress is on standard error.
"""

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from palmerpenguins import load_penguins
from scipy.stats import t
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score

from rbhmc import RBHMC
from rbhmc.posterior import with_support_from
from rbhmc.tree import Tree

SHARES = (0.0, 0.05, 0.2, 0.4)


def load_tables() -> dict[str, tuple[pd.DataFrame, Any]]:
    """Return tables without gaps, and their classes."""
    iris, wine = load_iris(as_frame=True), load_wine(as_frame=True)
    penguins = load_penguins().dropna().reset_index(drop=True)
    return {
        "iris": (iris.data, iris.target),
        "wine": (wine.data, wine.target),
        "penguins": (penguins.drop(columns="species"), penguins["species"]),
    }


def remove(table: pd.DataFrame, share: float, seed: int) -> pd.DataFrame:
    """Remove a share of the values, completely at random; every item keeps one."""
    rng = np.random.default_rng(seed)
    is_gap = rng.random(table.shape) < share
    is_gap[np.arange(len(table)), rng.integers(table.shape[1], size=len(table))] = False
    return table.astype(object).mask(is_gap).infer_objects()


def fill_with_means(table: pd.DataFrame) -> pd.DataFrame:
    """Fill gaps with the mean of a column, or its most frequent value."""
    filled = table.copy()
    for name in table:
        is_number = pd.api.types.is_numeric_dtype(table[name])
        filled[name] = table[name].fillna(
            table[name].mean() if is_number else table[name].mode()[0]
        )
    return filled


def measure(
    table: pd.DataFrame, classes: Any, complete: Tree, seed: int
) -> tuple[float, float, float]:
    """Return the index of the clusters and of the best depth, and the mean support."""
    model = RBHMC(random_state=seed).fit(table)
    depths = range(1, model.tree_.n_levels + 1)
    supported = with_support_from(complete, model.draws_)
    supports = [node.support for node in supported.nodes[1:] if node.support is not None]
    return (
        float(adjusted_rand_score(classes, model.labels_)),
        max(float(adjusted_rand_score(classes, model.labels_at(depth))) for depth in depths),
        float(np.mean(supports)),
    )


def with_interval(values: NDArray[np.float64], sign: str = "") -> str:
    """Return the mean with the half-width of its 95 % interval."""
    half = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():{sign}.2f} ± {half:.2f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5, help="patterns of gaps for each share")
    parser.add_argument("--tables", nargs="*", help="names; all by default")
    arguments = parser.parse_args()
    ways: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
        "draws": lambda table: table,
        "means": fill_with_means,
    }
    print("| table | gaps | ARI | gain over means | best depth | gain | support | gain |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (table, classes) in load_tables().items():
        if arguments.tables and name not in arguments.tables:
            continue
        complete = RBHMC(random_state=0).fit(table).tree_
        for share in SHARES:
            found = {way: [] for way in ways}
            for seed in range(arguments.seeds):
                for way, fill in ways.items():
                    if share == 0.0 and way == "means":  # nothing to fill
                        found[way].append(found["draws"][-1])
                        continue
                    print(f"{name} {share:.0%} {way} {seed}", file=sys.stderr)
                    filled = fill(remove(table, share, seed))
                    found[way].append(measure(filled, classes, complete, seed))
            draws, means = (np.array(found[way]) for way in ways)
            cells = [
                text
                for own, other in zip(draws.T, means.T, strict=True)
                for text in (with_interval(own), with_interval(own - other, "+"))
            ]
            print(f"| {name} | {share:.0%} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
