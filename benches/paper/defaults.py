"""What `RBHMC()` and `BHMC()` give on the paper's tables, beside the published algorithm."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import rbhmc
from paper.evidence import Evidence, published_columns
from paper.intervals import Interval, change, mean
from paper.measures import inner_distances
from paper.protocol import BHMC, Cell
from paper.tables import Table
from rbhmc.metrics import aod, f_measure, is_singular

N_SEEDS = 10
MODELS = {"BHMC()": rbhmc.BHMC, "RBHMC()": rbhmc.RBHMC}
FILE = "defaults.json"


def run_defaults(table: Table, folder: Path) -> None:
    """Fit the table by both models with ten seeds, and keep what the trees have."""
    file = folder / FILE
    known = json.loads(file.read_text()) if file.exists() else {}
    known[table.name] = {
        name: [measure_fit(table, model(random_state=seed, n_jobs=1)) for seed in range(N_SEEDS)]
        for name, model in MODELS.items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(known, indent=0) + "\n")


def measure_fit(table: Table, model: rbhmc.RBHMC) -> dict[str, Any]:
    """Fit the raw table; distances are in the paper's principal components."""
    model.fit(table.data)
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
    fits: list[dict[str, Any]], evidence: Evidence, key: str = "draws"
) -> dict[str, Interval]:
    """Return the changes of AID and AOD of "draws" or "tree" against BHMC as published."""
    values = np.array([one[key] for one in fits])
    plain = np.array([[one["aid"][0], one["aod"]] for one in evidence.chains(BHMC)])
    return {measure: change(values[:, i], plain[:, i]) for i, measure in enumerate(("AID", "AOD"))}


def read_defaults(folder: Path, name: str) -> dict[str, list[dict[str, Any]]]:
    """Read what the fits of a table gave, by model."""
    file = folder / FILE
    known: dict[str, dict[str, list[dict[str, Any]]]] = (
        json.loads(file.read_text()) if file.exists() else {}
    )
    return known.get(name, {})


def defaults_rows(folder: Path, name: str, columns: dict[str, Evidence]) -> list[list[str]]:
    """Write rows for BHMC and RBHMC as published, and for the draws and the tree of our models."""
    rows = []
    for title, evidence in published_columns(columns).items():
        if evidence.records.reading == "active":
            which = title.removeprefix("active sums")
            score = write_best_level(evidence, BHMC)
            rows.append([f"BHMC, as published{which}", "", "", score, ""])
    for title, evidence in published_columns(columns).items():
        cell = evidence.design.scored
        if evidence.has([BHMC, cell]):
            changes = [evidence.aid_change(cell), evidence.aod_change(cell)]
            texts = [one.text("{:+.0%}") for one in changes]
            score = write_best_level(evidence, cell)
            rows.append([f"RBHMC {cell.name}, {title}", *texts, score, ""])
    for model, fits in read_defaults(folder, name).items():
        tree = mean([one["f tree"] for one in fits]).text("{:.3f}")
        clusters = mean([one["f clusters"] for one in fits]).text("{:.3f}")
        n = np.mean([one["n clusters"] for one in fits])
        scores = {"draws": ["", ""], "tree": [tree, f"{clusters}, {n:.1f} clusters"]}
        for key, last in scores.items():
            changes = list(defaults_changes(fits, columns["active sums"], key).values())
            rows.append([f"`{model}`, its {key}", *(one.text("{:+.0%}") for one in changes), *last])
    return rows


def write_best_level(evidence: Evidence, cell: Cell) -> str:
    """Write F of the presented trees of all chains, each at its best level."""
    return mean(evidence.f(cell, of_all=True).max(axis=1)).text("{:.3f}")
