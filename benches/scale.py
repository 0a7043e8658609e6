"""Fit Fashion-MNIST end to end at given sizes: `python benches/scale.py ITEMS [ITEMS …]`.

Times each step: load, 10 principal components, an initial tree by mini-batch k-means, 300 sweeps
with C = 1 and checkpoints, selection, a report on a sample of the items, measures. Then measures
the initial tree, and up to 10,000 items Ward's linkage and HDBSCAN, on the same table.
"""

import copy
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import HDBSCAN, MiniBatchKMeans
from sklearn.decomposition import PCA

import rbhmc
from earlier_defaults import EARLIER_DEFAULTS
from paper.fashion_mnist import fetch_fashion_mnist
from rbhmc import posterior
from rbhmc.metrics import dendrogram_purity, f_measure
from rbhmc.tree.labels import as_labels

# Nodes at each level of the initial tree, for at most so many items.
SHAPES = [(300, (5, 10, 15)), (3_000, (8, 20, 40)), (100_000, (10, 40, 150))]
MAX_LINKED_ITEMS = 10_000
LENGTH = {"n_chains": 1, "n_warmup": 250, "n_draws": 10, "thin": 5}
# Items in the report.
N_REPORTED = 1_000


def main() -> None:
    """Run each size."""
    for n_items in map(int, sys.argv[1:]):
        run(n_items)


def run(n_items: int) -> None:
    """Fit one size, and print its table."""
    clock = Clock()
    images = fetch_fashion_mnist(subset="all")
    chosen = np.random.default_rng(0).permutation(len(images.data))[:n_items]
    data, classes = images.data[chosen], images.target[chosen]
    clock.stop("load")
    X = PCA(10, svd_solver="randomized", random_state=0).fit_transform(data)
    del images, data
    clock.stop("PCA")
    start = k_means_tree(X, next(shape for most, shape in SHAPES if n_items <= most))
    clock.stop("initial tree")
    before = memory("VmRSS", forget_peak=True)
    with tempfile.TemporaryDirectory() as folder:
        model = rbhmc.RBHMC(**EARLIER_DEFAULTS | LENGTH, initial_paths=start, random_state=0).fit(
            X, checkpoint_dir=Path(folder) / "run"
        )
        clock.stop("300 sweeps, selection")
        above = memory("VmHWM") - before
        page = sample_of(model, X).report(Path(folder) / "report.html")
        clock.stop(f"report of {page.stat().st_size / 2**20:.1f} MiB")
    paths = model.draws_.paths[model.selected_]
    print(f"\n{n_items} images: {clock}; {above:.0f} MiB above the data")
    measures("RBHMC", paths, classes)
    clock.stop("measures")
    measures("mini-batch k-means tree", start, classes)
    if n_items <= MAX_LINKED_ITEMS:
        ward = linkage(X, "ward")
        cuts = [len(np.unique(column)) for column in paths.T]
        measures(
            "Ward, cut to the same sizes",
            np.stack([fcluster(ward, cut, "maxclust") for cut in cuts], axis=1),
            classes,
            clock.stop("Ward"),
        )
        labels = HDBSCAN(copy=True).fit_predict(X)
        measures("HDBSCAN", labels[:, None] + 1, classes, clock.stop("HDBSCAN"))


def measures(
    name: str, paths: NDArray[np.integer[Any]], classes: NDArray[Any], seconds: float | None = None
) -> None:
    """Print the F-measure of each level, nodes of each level, and the dendrogram purity."""
    f = " ".join(f"{value:.2f}" for value in f_measure(paths, classes))
    nodes = " ".join(str(len(np.unique(column))) for column in paths.T)
    purity = dendrogram_purity(paths, classes)
    took = "" if seconds is None else f", {seconds:.1f} s"
    print(f"  {name:<24} F {f:<16} nodes {nodes:<12} purity {purity:.3f}{took}", flush=True)


def k_means_tree(X: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Cluster items into leaves by mini-batch k-means, and leaf centres by Ward's linkage."""
    leaves = MiniBatchKMeans(shape[-1], random_state=0, n_init=3).fit(X)
    joined = linkage(leaves.cluster_centers_, "ward")
    labels = leaves.labels_
    above = [fcluster(joined, n, "maxclust")[labels] for n in shape[:-1]]
    return np.stack([*above, labels], axis=1).astype(np.int64)


def sample_of(model: rbhmc.RBHMC, X: NDArray[np.float64]) -> rbhmc.RBHMC:
    """Restrict a fitted model to a sample of its items."""
    draws = model.draws_
    items = np.sort(np.random.default_rng(1).permutation(len(X))[:N_REPORTED])
    names = [draws.names[item] for item in items]
    arrays = draws.to_arrays()
    arrays["paths"] = np.moveaxis(as_labels(draws.paths[:, :, items]), -1, -2)
    arrays["components"] = draws.components[:, :, items]
    part = copy.copy(model)
    part.draws_ = rbhmc.Draws(arrays, names, draws.settings)
    part.prepared_ = model.prepared_[items]
    tree = rbhmc.Tree.from_labels(part.draws_.paths[model.selected_], names=names, X=X[items])
    part.tree_ = posterior.with_support_from(tree, part.draws_)
    part.labels_ = part.tree_.labels
    return part


def memory(line: str, *, forget_peak: bool = False) -> float:
    """Return the current (VmRSS) or the peak (VmHWM) resident size in MiB."""
    if forget_peak:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{line}:")[1].split()[0]) / 1024


class Clock:
    """The seconds of each step."""

    def __init__(self) -> None:
        self.last = time.perf_counter()
        self.steps: list[str] = []

    def stop(self, step: str) -> float:
        """End a step, and return its seconds."""
        now = time.perf_counter()
        seconds, self.last = now - self.last, now
        self.steps.append(f"{step} {seconds:.1f} s")
        return seconds

    def __str__(self) -> str:
        return ", ".join(self.steps)


if __name__ == "__main__":
    main()
