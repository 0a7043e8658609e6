"""Compare fits with given and with learned parameters, on tables with known classes.

Prints Markdown: for RBHMC and BHMC the F-measure and the number of clusters of fits that are
otherwise as by default, as means over seeds. Tables that are not on this machine are left out, with
a message.
"""

import warnings
from typing import Any

import numpy as np

import rbhmc
from class_tables import read_tables
from quality_records import measure_labels
from quality_rows import print_table

TABLES = ["animals", "iris", "wine", "ecoli", "Fashion-100 0"]
SEEDS = range(3)
COVARIANCES = dict.fromkeys(("noise_cov", "base_cov"), "learn-diagonal")
SETTINGS: dict[str, dict[str, Any]] = {
    "unit covariances": {"noise_cov": 1.0, "base_cov": 1.0},
    "noise learned (default)": {},
    "both covariances learned": COVARIANCES,
    "all learned": COVARIANCES | dict.fromkeys(("alpha", "gamma", "gamma0"), "learn"),
}


def main() -> None:
    """Print one line for each model and table."""
    warnings.simplefilter("ignore")
    lines = []
    tables = list(read_tables(TABLES))
    for model, C in (("RBHMC", 1.0), ("BHMC", 0.0)):
        for table in tables:
            line = [model, table.name]
            for settings in SETTINGS.values():
                found = [
                    measure_labels(
                        rbhmc.RBHMC(C=C, random_state=seed, n_jobs=-1, reference=False, **settings)
                        .fit(table.X, progress=False)
                        .labels_,
                        table.classes,
                    )
                    for seed in SEEDS
                ]
                f, n_clusters = (
                    np.mean([one[key] for one in found]) for key in ("F", "n_clusters")
                )
                line.append(f"{f:.3f} ({n_clusters:.0f})")
            lines.append(line)
    print("F-measure of the clusters, and their number.\n")
    print_table(["model", "table", *SETTINGS], lines)


if __name__ == "__main__":
    main()
