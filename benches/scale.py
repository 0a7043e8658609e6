"""Fit Fashion-MNIST end to end with the defaults: `python benches/scale.py ITEMS [ITEMS …]`.

Prints the seconds of each step, the peak of the memory, and how well the result agrees with the ten
classes: F-measure of the clusters, F-measure of the best cut of the dendrogram and its purity. For
more than 5,000 images the dendrogram is over the sample of the consensus. Ward's linkage of the
same images and components is measured beside it.
"""

import resource
import sys
import time

import numpy as np
from scipy.cluster.hierarchy import linkage

import rbhmc
from dendrograms import best_cut, dendrogram_purity
from paper.fashion_mnist import fetch_fashion_mnist
from rbhmc.metrics import f_measure


def main() -> None:
    """Run each size."""
    for n_items in map(int, sys.argv[1:]):
        run(n_items)


def run(n_items: int) -> None:
    """Fit one size, and print its figures."""
    clock = Clock()
    images = fetch_fashion_mnist(subset="all")
    chosen = np.sort(np.random.default_rng(0).permutation(len(images.data))[:n_items])
    X, classes = images.data[chosen], images.target[chosen]
    del images
    clock.stop("load")
    model = rbhmc.RBHMC(random_state=0).fit(X, progress=False)
    clock.stop("fit")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    clusters = f_measure(model.labels_[:, None], classes)[0]
    print(f"\n{n_items:,} images x {X.shape[1]}: {clock}; peak of {peak:.1f} GiB")
    print(f"  clusters: {len(model.tree_.clusters)}, F {clusters:.3f}")
    sample = model.dendrogram_items_
    linked = {
        "dendrogram": model.dendrogram_,
        "Ward's linkage": linkage(model.prepared_[sample], "ward"),
    }
    for name, merges in linked.items():
        cut = best_cut(merges, classes[sample])
        purity = dendrogram_purity(merges, classes[sample])
        print(
            f"  {name} of {len(sample):,}: best cut F {cut.f:.3f} with {cut.n_clusters} clusters, "
            f"purity {purity:.3f}",
            flush=True,
        )


class Clock:
    """The seconds of each step."""

    def __init__(self) -> None:
        self.last = time.perf_counter()
        self.steps: list[str] = []

    def stop(self, step: str) -> None:
        """End a step."""
        now = time.perf_counter()
        self.steps.append(f"{step} {now - self.last:.1f} s")
        self.last = now

    def __str__(self) -> str:
        return ", ".join(self.steps)


if __name__ == "__main__":
    main()
