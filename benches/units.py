"""Show how `standardize="auto"` judges tables that packages carry, and what the choices bring.

Prints Markdown. First, for each table of numbers: the scale of the widest column relative to the
median column, where the scale is the median step between 5 % quantiles; the largest share of the
variance in one column; whether columns count alike. Then, for tables with classes, the adjusted
Rand index at the best depth with columns as they are and with columns that count alike; and for
penguins with all their columns, the same for several weights of categories.
"""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import statsmodels.api
from palmerpenguins import load_penguins
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score
from vega_datasets import local_data

from rbhmc import RBHMC
from rbhmc.columns import encoding
from rbhmc.datasets import load_animals

SKLEARN = ("iris", "wine", "breast_cancer", "digits", "diabetes", "linnerud")
STATSMODELS = (
    "anes96 cancer ccard committee copper cpunish elnino engel fair grunfeld heart longley "
    "macrodata modechoice nile randhie scotland spector stackloss star98 statecrime strikes"
).split()
VEGA = ("airports", "anscombe", "barley", "burtin", "cars", "crimea", "driving", "ohlc", "wheat")
WEIGHTS = (1.0, 0.7, 0.5, 0.35)
SEEDS = (0, 1)


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the numeric columns of tables, without gaps."""
    for name in SKLEARN:
        yield name, getattr(datasets, f"load_{name}")(as_frame=True).data
    yield "animals", pd.DataFrame(load_animals().data)
    yield "penguins", load_penguins()
    for name in STATSMODELS:
        yield name, getattr(statsmodels.api.datasets, name).load_pandas().data
    for name in VEGA:
        yield name, getattr(local_data, name)()


def print_units() -> None:
    """Print how each table is judged, the least dominated first."""
    rows = []
    for name, frame in tables():
        table = frame.select_dtypes("number").dropna().to_numpy(np.float64)
        table = table[:, table.std(axis=0) > 0.0]
        if table.shape[1] < 2:
            continue
        scale = np.sort([encoding.column_scale(column) for column in table.T])
        ratio = scale[-1] / scale[(len(scale) - 1) // 2]
        alike, _ = encoding.judge_units(encoding.array_encoding(table), table)
        variance = table.var(axis=0)
        share = variance.max() / variance.sum()
        rows.append((ratio, f"| {name} | {len(table)} x {table.shape[1]} | {ratio:,.1f} "
                     f"| {share:.0%} | {'count alike' if alike else 'as they are'} |"))  # fmt: skip
    print("| table | size | scale ratio | variance in one column | columns |")
    print("|---|---|---|---|---|")
    for _, row in sorted(rows):
        print(row)


def best_ari(X: Any, classes: Any, **settings: Any) -> float:
    """Return the mean over seeds of the adjusted Rand index at the best depth."""
    found = []
    for seed in SEEDS:
        model = RBHMC(random_state=seed, **settings).fit(X)
        depths = range(1, model.tree_.n_levels + 1)
        found.append(max(adjusted_rand_score(classes, model.labels_at(each)) for each in depths))
    return float(np.mean(found))


def print_choices() -> None:
    """Print what the choices bring on tables with classes."""
    penguins = load_penguins()
    numbers = penguins.drop(columns=["species", "island", "sex"])
    known = [(name, getattr(datasets, f"load_{name}")(as_frame=True)) for name in SKLEARN[:3]]
    cases = [(name, bunch.data, bunch.target) for name, bunch in known]
    cases.append(("penguins, numbers", numbers, penguins["species"]))
    print("\n| table | as they are | count alike |\n|---|---|---|")
    for name, X, classes in cases:
        off, on = (best_ari(X, classes, standardize=each) for each in ("off", "on"))
        print(f"| {name} | {off:.2f} | {on:.2f} |", flush=True)
    print("\n| weight of categories | penguins, all columns |\n|---|---|")
    for weight in WEIGHTS:
        with mock.patch.object(encoding, "CATEGORY_WEIGHT", weight):
            ari = best_ari(penguins.drop(columns="species"), penguins["species"])
        print(f"| {weight} | {ari:.2f} |", flush=True)


if __name__ == "__main__":
    print_units()
    print_choices()
