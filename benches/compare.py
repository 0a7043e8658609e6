"""Measure HDBSCAN and BHC on the tables of `make quality`, the published method on the paper's.

Prints Markdown, one line for each table and method. HDBSCAN has its default settings, and gets the
table as given, like the other methods of `make quality`; in F and the adjusted Rand index its noise
is one more cluster. BHC gets the table as `RBHMC` prepares it, since its columns are independent in
a cluster, which principal components come closer to; the best cut is chosen with the classes.

The published method has the settings of the paper's trees, and presents the draw of highest RCDLL
(CDLL for BHMC) over four chains. F is that of the best level, chosen with the classes.
"""

import time
from collections.abc import Callable

import numpy as np
from sklearn.cluster import HDBSCAN

import rbhmc
from bhc import fit_bhc
from class_tables import ClassTable, read_tables
from dendrograms import best_cut, dendrogram_purity, tree_purity
from paper.protocol import ANIMALS, BHMC, FASHION, Cell, Design
from quality_records import measure_labels
from quality_rows import print_table, with_error
from rbhmc.metrics import f_measure
from rbhmc.preparation import Preparation

# What is printed of each method, and its format.
HDBSCAN_FORMATS = {"clusters": "{:.1f}", "noise": "{:.0%}", "F": "{:.3f}", "ARI": "{:.3f}"}
BHC_FORMATS = {
    "clusters": "{:.1f}",
    "F": "{:.3f}",
    "ARI": "{:.3f}",
    "best cut F": "{:.3f}",
    "purity": "{:.3f}",
    "seconds": "{:.1f}",
}
# The paper's tables: its design, its number of components, and the (C, margin) of its trees.
PUBLISHED: dict[str, tuple[Design, int, Cell]] = {
    "Kemp animals": (ANIMALS, 7, Cell(0.1, 0.1)),
    "Fashion-100": (FASHION, 10, Cell(0.001, 1.0)),
}
LENGTHS = {"n_chains": 4, "n_warmup": 5_000, "n_draws": 500, "thin": 10}


def measure_hdbscan(table: ClassTable) -> dict[str, float]:
    """Compare the clusters of HDBSCAN with the classes."""
    labels = HDBSCAN(copy=True).fit(table.X).labels_
    found = measure_labels(labels, table.classes)
    return {
        "clusters": labels.max() + 1,
        "noise": float((labels < 0).mean()),
        "F": found["F"],
        "ARI": found["ARI"],
    }


def measure_bhc(table: ClassTable) -> dict[str, float]:
    """Compare the tree of BHC, and its clusters, with the classes."""
    began = time.perf_counter()
    found = fit_bhc(Preparation().fit_transform(table.X))
    seconds = time.perf_counter() - began
    clusters = measure_labels(found.labels, table.classes)
    return {
        "clusters": clusters["n_clusters"],
        "F": clusters["F"],
        "ARI": clusters["ARI"],
        "best cut F": best_cut(found.merges, table.classes).f,
        "purity": dendrogram_purity(found.merges, table.classes),
        "seconds": seconds,
    }


def compare_method(
    name: str,
    tables: list[ClassTable],
    measure: Callable[[ClassTable], dict[str, float]],
    formats: dict[str, str],
) -> None:
    """Print the measures of a method: means over the samples of each table, and over tables."""
    groups: dict[str, list[dict[str, float]]] = {}
    for table in tables:
        groups.setdefault(table.group, []).append(measure(table))
    means = {
        group: {key: float(np.mean([one[key] for one in samples])) for key in formats}
        for group, samples in groups.items()
    }
    means[f"**mean of {len(groups)}**"] = {
        key: float(np.mean([one[key] for one in means.values()])) for key in formats
    }
    print(f"### {name}\n")
    print_table(
        ["table", *formats],
        [
            [group, *(form.format(one[key]) for key, form in formats.items())]
            for group, one in means.items()
        ],
    )


def measure_tree(model: rbhmc.RBHMC, table: ClassTable) -> tuple[float, float]:
    """Fit a model; return F of the best level of its tree, and the purity of the tree."""
    tree = model.fit(table.X, progress=False).tree_
    return float(f_measure(tree.paths, table.classes).max()), tree_purity(tree, table.classes)


def compare_published(tables: list[ClassTable]) -> None:
    """Print BHMC and RBHMC as published, and the defaults, on the paper's tables."""
    lines = []
    for group, (design, n_pca, cell) in PUBLISHED.items():
        settings = design.settings | LENGTHS | {"n_pca": n_pca, "scale": False, "select": "rcdll"}
        samples = [table for table in tables if table.group == group]
        for name, keywords in {
            f"{BHMC.name}, `paper`": {"C": 0.0, "scheme": "paper", **settings},
            f"RBHMC {cell.name}, `paper`": {**cell._asdict(), "scheme": "paper", **settings},
            "RBHMC()": {},
        }.items():
            found = [
                measure_tree(rbhmc.RBHMC(**keywords, random_state=seed), table)
                for table in samples
                for seed in (range(5) if len(samples) == 1 else range(1))
            ]
            f, purity = (with_error(list(values)) for values in zip(*found, strict=True))
            lines.append([group, name, str(len(found)), f, purity])
    print("## The published method\n")
    print_table(["table", "method", "fits", "F of the best level", "purity"], lines)


def main() -> None:
    """Print the published method, then HDBSCAN and BHC on both sets of tables."""
    tables = list(read_tables(held_out=True))
    compare_published(tables)
    for title, held_out in (("Tables to choose on", False), ("Held-out tables", True)):
        part = [table for table in tables if table.held_out == held_out]
        print(f"## {title}\n")
        compare_method("HDBSCAN", part, measure_hdbscan, HDBSCAN_FORMATS)
        compare_method("BHC", part, measure_bhc, BHC_FORMATS)


if __name__ == "__main__":
    main()
