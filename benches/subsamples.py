"""Compare chains of 1,000 items with chains of all items: `python benches/subsamples.py`.

For tables of more than 1,000 items with known classes it prints the F-measure of the clusters, of
the best cut of the dendrogram, its purity, and the processor time of the fit, with this setting and
with `items_per_chain=None`, and of Ward's linkage beside them. `--held-out` adds the tables on
which the number was not chosen.
"""

import argparse
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

import rbhmc
from class_tables import LARGE_SOURCES, ClassTable
from dendrograms import best_cut, dendrogram_purity
from rbhmc.metrics import f_measure


def main() -> None:
    """Print a row for each table, and the means."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    print("| table | 1,000 items a chain | all items | Ward's linkage |\n|---|---|---|---|")
    for source in LARGE_SOURCES:
        if source.held_out and not arguments.held_out:
            continue
        table = source.read()
        if table is not None:
            print_row(table, arguments.seeds)


def print_row(table: ClassTable, n_seeds: int) -> None:
    """Print what both kinds of chains and Ward's linkage reach on a table."""
    subsamples, everything = (
        [fit(table, setting, seed) for seed in range(n_seeds)] for setting in (1_000, None)
    )
    model = everything[0][0]
    rows = model.items_[model.dendrogram_items_]
    ward = linkage(model.prepared_[model.dendrogram_items_], "ward")
    name = table.name + (" (held out)" if table.held_out else "")
    cells = [describe(one) for one in (subsamples, everything)]
    measured = measure(ward, table.classes[rows])
    print(f"| {name} | {cells[0]} | {cells[1]} | – {format_values(measured)} |", flush=True)


def fit(table: ClassTable, items_per_chain: Any, seed: int) -> tuple[rbhmc.RBHMC, list[float]]:
    """Return a model, and F of its clusters, best cut, purity and seconds."""
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = rbhmc.RBHMC(items_per_chain=items_per_chain, random_state=seed)
        model.fit(table.X, progress=False)
    seconds = time.process_time() - began
    rows = model.items_[model.dendrogram_items_]
    clusters = f_measure(model.labels_[:, None], table.classes)[0]
    return model, [clusters, *measure(model.dendrogram_, table.classes[rows]), seconds]


def measure(merges: NDArray[np.float64], classes: NDArray[Any]) -> list[float]:
    """Return F of the best cut, and the purity."""
    return [best_cut(merges, classes).f, dendrogram_purity(merges, classes)]


def describe(fits: list[tuple[rbhmc.RBHMC, list[float]]]) -> str:
    """Write the means over the seeds."""
    *values, seconds = np.mean([measured for _, measured in fits], axis=0).tolist()
    n_clusters = np.mean([len(model.tree_.clusters) for model, _ in fits])
    return f"{n_clusters:.0f}: {format_values(values)}, {seconds:.0f} s"


def format_values(values: list[float]) -> str:
    """Write shares with three digits.

    Examples
    --------
    >>> format_values([0.5, 1.0])
    '0.500 1.000'
    """
    return " ".join(f"{value:.3f}" for value in values)


if __name__ == "__main__":
    main()
