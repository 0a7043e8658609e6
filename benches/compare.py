"""Measure HDBSCAN on the tables of `make quality`, and the published method on the paper's tables.

Prints Markdown: one line for each table, with the number of clusters, the share of items that are
noise, and F and the adjusted Rand index, in which the noise is one more cluster. HDBSCAN has its
default settings; like the other methods of `make quality` it gets the table as given.

The published method has the settings of the paper's trees, and presents the draw of highest RCDLL
(CDLL for BHMC) over four chains. F is that of the best level, chosen with the classes.
"""

import numpy as np
from sklearn.cluster import HDBSCAN

import rbhmc
from class_tables import ClassTable, read_tables
from dendrograms import tree_purity
from paper.protocol import ANIMALS, BHMC, FASHION, Cell, Design
from quality_records import measure_labels
from quality_rows import print_table, with_error
from rbhmc.metrics import f_measure

MEASURES = ("clusters", "noise", "F", "ARI")
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


def format_line(name: str, values: dict[str, float]) -> list[str]:
    """Format the measures of a table."""
    forms = ("{:.1f}", "{:.0%}", "{:.3f}", "{:.3f}")
    return [name, *(form.format(values[key]) for form, key in zip(forms, MEASURES, strict=True))]


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
    """Print tables for HDBSCAN, and one for the published method."""
    tables = list(read_tables(held_out=True))
    compare_published(tables)
    for title, held_out in (("Tables to choose on", False), ("Held-out tables", True)):
        groups: dict[str, list[dict[str, float]]] = {}
        for table in tables:
            if table.held_out == held_out:
                groups.setdefault(table.group, []).append(measure_hdbscan(table))
        means = {
            name: {key: float(np.mean([one[key] for one in samples])) for key in MEASURES}
            for name, samples in groups.items()
        }
        overall = {key: float(np.mean([one[key] for one in means.values()])) for key in MEASURES}
        lines = [format_line(name, values) for name, values in means.items()]
        print(f"## {title}\n")
        print_table(
            ["table", *MEASURES], [*lines, format_line(f"**mean of {len(means)}**", overall)]
        )


if __name__ == "__main__":
    main()
