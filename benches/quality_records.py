"""What is measured on a table: our fitted models and other methods, kept in JSON files.

A record is computed once for each version of the sources, so a run that was stopped can be resumed.
"""

import hashlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score, silhouette_score

import rbhmc
from class_tables import ClassTable
from dendrograms import best_cut, cut_labels, dendrogram_purity, tree_purity
from other_methods import average, genie, ward
from rbhmc._files import write_atomically
from rbhmc.metrics import aid, aod, f_measure

Record = dict[str, float]

ROOT = Path(__file__).parents[1]
MEASURES = [Path(__file__), Path(__file__).with_name("dendrograms.py")]
# The number of clusters by the silhouette is from 2 to this, and at most half of the items.
MAX_SILHOUETTE_CLUSTERS = 30
# AID and AOD of draws are means over about this many draws of each chain.
N_MEASURED_DRAWS = 50
# Tables whose AID and AOD are measured, as in the paper.
DISTANCE_GROUPS = ("Kemp animals", "Fashion-100")
LINKAGES: dict[str, Callable[[NDArray[np.float64]], NDArray[Any]]] = {
    "Ward": ward,
    "average": average,
    "genieclust": genie,
}


class Records:
    """The records of a folder; those that are missing are computed and stored."""

    def __init__(self, folder: Path) -> None:
        core = [*ROOT.glob("crates/**/*.rs"), *ROOT.glob("python/rbhmc/**/*.py")]
        self.fits = folder / f"fits-{_hash_files([*core, *MEASURES])}"
        self.baselines = folder / f"baselines-{_hash_files(MEASURES)}"

    def fit(self, table: ClassTable, seed: int, variant: str, settings: dict[str, Any]) -> Record:
        """Return the measures of `RBHMC(**settings)` with a seed."""

        def measure() -> Record:
            start = time.perf_counter()
            model = rbhmc.RBHMC(random_state=seed, n_jobs=-1, **settings)
            model.fit(table.X, progress=False)
            return {"seconds": time.perf_counter() - start, **measure_model(model, table)}

        name = f"{table.name}, {variant}, {seed}, {_hash_table(table)}.json"
        return _load_or_compute(self.fits / name, measure)

    def baseline(self, table: ClassTable) -> Record:
        """Return the measures of the other methods."""
        file = self.baselines / f"{table.name}, {_hash_table(table)}.json"
        return _load_or_compute(file, lambda: measure_others(table))


def measure_model(model: Any, table: ClassTable) -> Record:
    """Compare a fitted model with the classes.

    Returns
    -------
    dict
        ``F``, ``ARI`` and ``n_clusters`` of `labels_`; ``cut F`` (at the best cut) and ``purity``
        of `dendrogram_`; ``tree F`` (at the best depth) and ``tree purity`` of `tree_`;
        ``predict``, the share of items that `predict` assigns to their cluster; for some tables
        AID and AOD.
    """
    classes = table.classes
    # A model that presents a single draw has no dendrogram.
    merges = getattr(model, "dendrogram_", None)
    record = {
        **measure_labels(model.labels_, classes),
        "cut F": np.nan if merges is None else best_cut(merges, classes).f,
        "purity": np.nan if merges is None else dendrogram_purity(merges, classes),
        "tree F": float(f_measure(model.tree_.paths, classes).max()),
        "tree purity": tree_purity(model.tree_, classes),
        "n_nodes": len(model.tree_.nodes),
        "predict": float((model.predict(table.X) == model.labels_).mean()),
    }
    if table.group in DISTANCE_GROUPS:
        record |= measure_distances(model)
    return record


def measure_labels(labels: ArrayLike, classes: NDArray[Any]) -> Record:
    """Return the F-measure and the adjusted Rand index of a partition, and its size."""
    column = np.asarray(labels)[:, None]
    return {
        "F": float(f_measure(column, classes)[0]),
        "ARI": float(adjusted_rand_score(classes, column[:, 0])),
        "n_clusters": len(np.unique(column)),
    }


def measure_distances(model: Any) -> Record:
    """Return AID and AOD of the draws, as means, and of the presented tree.

    With "zero" nodes of one item have no inner distance; with "skip" they are left out.
    """
    paths = model.draws_.paths
    every = max(1, paths.shape[1] // N_MEASURED_DRAWS)
    trees = {"draws": paths[:, ::every], "tree": model.tree_.paths}
    return {
        f"{name} {where} {singletons}": _mean_defined(
            measure(model.prepared_, tree, singletons=singletons)
        )
        for where, tree in trees.items()
        for singletons in ("zero", "skip")
        for name, measure in (("AID", aid), ("AOD", aod))
    }


def _mean_defined(values: ArrayLike) -> float:
    """Return the mean of the trees that have such nodes, or NaN."""
    array = np.asarray(values)
    defined = array[~np.isnan(array)]
    return float(defined.mean()) if defined.size else np.nan


def measure_others(table: ClassTable) -> Record:
    """Measure each linkage on the table as given, which is what its users would link.

    ``silhouette F``, ``silhouette ARI`` and ``silhouette clusters`` belong to Ward's linkage with
    the number of clusters that has the largest mean silhouette.
    """
    found: Record = {}
    for name, link in LINKAGES.items():
        merges = link(table.X)
        found[f"{name} cut F"] = best_cut(merges, table.classes).f
        found[f"{name} purity"] = dendrogram_purity(merges, table.classes)
    told = measure_labels(cut_by_silhouette(table.X, ward(table.X)), table.classes)
    found["silhouette F"] = told["F"]
    found["silhouette ARI"] = told["ARI"]
    found["silhouette clusters"] = told["n_clusters"]
    return found


def cut_by_silhouette(X: NDArray[np.float64], merges: NDArray[Any]) -> NDArray[np.intp]:
    """Cut a dendrogram into the number of clusters that has the largest mean silhouette."""
    distances = squareform(pdist(X))
    largest = min(MAX_SILHOUETTE_CLUSTERS, len(X) // 2)
    cuts = [cut_labels(merges, n_clusters) for n_clusters in range(2, largest + 1)]
    return max(cuts, key=lambda labels: silhouette_score(distances, labels, metric="precomputed"))


def _load_or_compute(file: Path, compute: Callable[[], Record]) -> Record:
    if file.exists():
        known: Record = json.loads(file.read_text())
        return known
    print(f"{file.parent.name.split('-')[0]}: {file.stem}", file=sys.stderr, flush=True)
    record = compute()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, json.dumps(record, indent=1).encode())
    return record


def _hash_table(table: ClassTable) -> str:
    content = table.X.tobytes() + np.unique(table.classes, return_inverse=True)[1].tobytes()
    return hashlib.sha256(content).hexdigest()[:10]


def _hash_files(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:10]
