"""What `RBHMC()` gives on the paper's tables, beside the paper's BHMC."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from paper.evidence import Evidence
from paper.intervals import change, mean
from paper.measures import inner_distances
from paper.protocol import BHMC
from paper.tables import Table
from rbhmc import RBHMC
from rbhmc.metrics import aod, f_measure, is_singular

N_SEEDS = 10
FILE = "defaults.json"


def run_defaults(table: Table, folder: Path) -> None:
    """Fit the table with ten seeds, and keep what the trees have."""
    file = folder / FILE
    known = json.loads(file.read_text()) if file.exists() else {}
    known[table.name] = [measure_defaults(table, seed) for seed in range(N_SEEDS)]
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(known, indent=0) + "\n")


def measure_defaults(table: Table, seed: int) -> dict[str, Any]:
    """Fit the raw table; distances are in the paper's principal components."""
    model = RBHMC(random_state=seed, n_jobs=1).fit(table.data)
    draws = np.concatenate(list(np.asarray(model.draws_.paths)))
    draws = draws[~np.asarray(is_singular(draws))]
    tree = np.asarray(model.tree_.paths)
    clusters = np.asarray(model.labels_).reshape(-1, 1)
    return {
        "draws": [
            float(inner_distances(draws, table.X)[0].mean()),
            float(np.mean(aod(table.X, draws))),
        ],
        "tree": [
            float(inner_distances(tree[None].astype(np.int32), table.X)[0][0]),
            float(np.asarray(aod(table.X, tree))),
        ],
        "f clusters": float(f_measure(clusters, table.classes)[0]),
        "f tree": float(f_measure(tree, table.classes).max()),
        "n clusters": len(set(clusters.ravel().tolist())),
    }


def defaults_rows(folder: Path, name: str, evidence: Evidence) -> list[list[str]]:
    """Write a row for the draws, one for the tree, and one for BHMC as published."""
    file = folder / FILE
    fits = json.loads(file.read_text()).get(name, []) if file.exists() else []
    plain = [[one["aid"][0], one["aod"]] for one in evidence.chains(BHMC)]
    scores = evidence.f(BHMC).max(axis=1)
    rows = [["BHMC, as published", "", "", mean(scores).text("{:.3f}"), ""]]
    for key, title in (("draws", "`RBHMC()`, its draws"), ("tree", "`RBHMC()`, its tree")):
        if fits:
            values = np.array([one[key] for one in fits])
            found = [change(values[:, i], np.array(plain)[:, i]).text("{:+.0%}") for i in (0, 1)]
            tree = mean([one["f tree"] for one in fits]).text("{:.3f}")
            clusters = mean([one["f clusters"] for one in fits]).text("{:.3f}")
            n = np.mean([one["n clusters"] for one in fits])
            last = [tree, f"{clusters}, {n:.1f} clusters"] if key == "tree" else ["", ""]
            rows.append([title, *found, *last])
    return rows
