"""Measure the clusters of HDBSCAN on the tables of `make quality`.

Prints Markdown: one line for each table, with the number of clusters, the share of items that are
noise, and F and the adjusted Rand index, in which the noise is one more cluster. HDBSCAN has its
default settings; like the other methods of `make quality` it gets the table as given.
"""

import numpy as np
from sklearn.cluster import HDBSCAN

from class_tables import ClassTable, read_tables
from quality_records import measure_labels
from quality_rows import print_table

MEASURES = ("clusters", "noise", "F", "ARI")


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


def main() -> None:
    """Print a table for the tables to choose on and one for the held-out tables."""
    tables = list(read_tables(held_out=True))
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
