"""Fit Fashion-MNIST end to end with the defaults: `python benches/scale.py ITEMS [ITEMS …]`.

Prints the seconds of a fit, the peak of the memory, and how well the result agrees with the ten
classes: F-measure of the clusters, F-measure of the best cut of the dendrogram and its purity. For
more than 5,000 images the dendrogram is over the sample of the consensus. Ward's linkage of the
same images and components is measured beside it.

`--max-items` is the size of the sample that is fitted; `--seeds` the number of fits, whose means
are printed with their standard errors. `--simulated` takes 40 Gaussian groups in 10 columns in
place of the images, for more items than there are images. `--dask` takes these groups as a Dask
array, whose blocks are made on a cluster of two processes, and fits and places them there.
"""

import argparse
import resource
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage

import rbhmc
from dendrograms import best_cut, dendrogram_purity
from paper.fashion_mnist import fetch_fashion_mnist
from quality_rows import with_error
from rbhmc.metrics import f_measure

# Rows of a block of a Dask array.
ROWS_PER_BLOCK = 100_000


def main() -> None:
    """Run each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("n_items", type=int, nargs="+")
    parser.add_argument("--max-items", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--dask", action="store_true")
    arguments = parser.parse_args()
    for n_items in arguments.n_items:
        if arguments.dask:
            run_on_cluster(n_items, arguments.max_items)
            continue
        clock = Clock()
        X, classes = (read_groups if arguments.simulated else read_images)(n_items)
        print(f"\n{n_items:,} items x {X.shape[1]}, loaded: {clock.stop()}")
        found = [run(X, classes, arguments.max_items, seed) for seed in range(arguments.seeds)]
        if arguments.seeds > 1:
            print(f"  means of {arguments.seeds} seeds:")
            for measure in found[0]:
                print(f"    {measure}: {with_error([one[measure] for one in found])}")


def read_images(n_items: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return images and their classes."""
    images = fetch_fashion_mnist(subset="all")
    chosen = np.sort(np.random.default_rng(0).permutation(len(images.data))[:n_items])
    return images.data[chosen], images.target[chosen]


def read_groups(n_items: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return 40 Gaussian groups, whose centres have three times the standard deviation of items."""
    rng = np.random.default_rng(0)
    groups = rng.integers(40, size=n_items)
    return 3.0 * rng.normal(size=(40, 10))[groups] + rng.normal(size=(n_items, 10)), groups


def run_on_cluster(n_items: int, max_items: int | None) -> None:
    """Fit groups whose blocks are made on a cluster of two processes, and print the figures."""
    from dask import array
    from distributed import Client, LocalCluster

    n_blocks = -(-n_items // ROWS_PER_BLOCK)
    lengths = tuple(len(part) for part in np.array_split(np.arange(n_items), n_blocks))
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster):
        X = array.map_blocks(make_block, dtype=np.float64, chunks=(lengths, (10,)))
        clock = Clock()
        model = rbhmc.RBHMC(max_items=max_items, random_state=0).fit(X, progress=False)
        seconds = clock.stop()
        classes = np.concatenate([block_classes(i, n) for i, n in enumerate(lengths)])
        clusters = f_measure(model.labels_[:, None], classes)[0]
        print(
            f"\n{n_items:,} items x 10 in {n_blocks} blocks on two processes, "
            f"{len(model.items_):,} fitted: {seconds}\n  clusters: {len(model.tree_.clusters)}, "
            f"F {clusters:.3f}"
        )


def block_classes(block: int, n_items: int) -> NDArray[np.intp]:
    """Return the groups of the rows of a block."""
    return np.random.default_rng([1, block]).integers(40, size=n_items)


def make_block(block_info: Any = None) -> NDArray[np.float64]:
    """Return a block of 40 Gaussian groups, as `read_groups` has them."""
    block, n_items = block_info[None]["chunk-location"][0], block_info[None]["chunk-shape"][0]
    centres = 3.0 * np.random.default_rng(0).normal(size=(40, 10))
    noise = np.random.default_rng([2, block]).normal(size=(n_items, 10))
    return np.asarray(centres[block_classes(block, n_items)] + noise)


def run(
    X: NDArray[np.float64], classes: NDArray[Any], max_items: int | None, seed: int
) -> dict[str, float]:
    """Fit with one seed, print the figures, and return those of quality."""
    clock, processor = Clock(), time.process_time()
    model = rbhmc.RBHMC(max_items=max_items, random_state=seed).fit(X, progress=False)
    seconds, processor = clock.stop(), time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    found = {"F of the clusters": float(f_measure(model.labels_[:, None], classes)[0])}
    sample = model.items_[model.dendrogram_items_]
    linked = {
        "dendrogram": model.dendrogram_,
        "Ward linkage": linkage(model.prepared_[model.dendrogram_items_], "ward"),
    }
    for name, merges in linked.items():
        found[f"best cut F of the {name}"] = best_cut(merges, classes[sample]).f
        found[f"purity of the {name}"] = dendrogram_purity(merges, classes[sample])
    print(
        f"  seed {seed}: {len(model.items_):,} fitted in {seconds}, {processor:.0f} s of processor "
        f"time, peak of {peak:.1f} GiB; {len(model.tree_.clusters)} clusters; "
        + ", ".join(f"{measure} {value:.3f}" for measure, value in found.items()),
        flush=True,
    )
    return found


class Clock:
    """The seconds of a step."""

    def __init__(self) -> None:
        self.began = time.perf_counter()

    def stop(self) -> str:
        """Return the seconds since the clock was made."""
        return f"{time.perf_counter() - self.began:.1f} s"


if __name__ == "__main__":
    main()
