"""What `RBHMC()` gives on the paper's tables, beside the paper's BHMC."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from paper.evidence import Evidence
from paper.intervals import Interval, change, mean
from paper.measures import inner_distances
from paper.protocol import BHMC, Cell
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


def defaults_changes(
    folder: Path, name: str, evidence: Evidence, key: str = "draws"
) -> dict[str, Interval]:
    """Return the changes of AID and AOD of "draws" or "tree" against BHMC as published."""
    values = np.array([one[key] for one in read_defaults(folder, name)])
    plain = np.array([[one["aid"][0], one["aod"]] for one in evidence.chains(BHMC)])
    if not len(values):
        return {}
    return {measure: change(values[:, i], plain[:, i]) for i, measure in enumerate(("AID", "AOD"))}


def read_defaults(folder: Path, name: str) -> list[dict[str, Any]]:
    """Read what the fits of a table gave."""
    file = folder / FILE
    known: dict[str, list[dict[str, Any]]] = json.loads(file.read_text()) if file.exists() else {}
    return known.get(name, [])


def defaults_rows(folder: Path, name: str, columns: dict[str, Evidence]) -> list[list[str]]:
    """Write rows for BHMC and RBHMC as published, and for the draws and the tree of `RBHMC()`."""
    published = {title: one for title, one in columns.items() if one.records.reading != "collapsed"}
    rows = []
    for title, evidence in published.items():
        if evidence.records.reading == "active":
            which = title.removeprefix("active sums")
            rows.append([f"BHMC, as published{which}", "", "", write_best_level(evidence, BHMC)])
    for title, evidence in published.items():
        cell = evidence.design.scored
        if evidence.has([BHMC, cell]):
            changes = [evidence.aid_change(cell), evidence.aod_change(cell)]
            texts = [one.text("{:+.0%}") for one in changes]
            rows.append([f"RBHMC {cell.name}, {title}", *texts, write_best_level(evidence, cell)])
    rows = [[*row, ""] for row in rows]
    fits = read_defaults(folder, name)
    for key, title in (("draws", "`RBHMC()`, its draws"), ("tree", "`RBHMC()`, its tree")):
        if fits:
            changes = list(defaults_changes(folder, name, columns["active sums"], key).values())
            found = [one.text("{:+.0%}") for one in changes]
            tree = mean([one["f tree"] for one in fits]).text("{:.3f}")
            clusters = mean([one["f clusters"] for one in fits]).text("{:.3f}")
            n = np.mean([one["n clusters"] for one in fits])
            last = [tree, f"{clusters}, {n:.1f} clusters"] if key == "tree" else ["", ""]
            rows.append([title, *found, *last])
    return rows


def write_best_level(evidence: Evidence, cell: Cell) -> str:
    """Write F of the presented trees of all chains, each at its best level."""
    return mean(evidence.f(cell, of_all=True).max(axis=1)).text("{:.3f}")
