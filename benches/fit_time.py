"""Time `RBHMC().fit` against bootstrap Ward linkages, one linkage and HDBSCAN, in the same run.

A bootstrap is the usual way to say how stable the nodes of a dendrogram are: items are resampled
with replacement and linked again. Linkages are those of fastcluster on the prepared table, so they
do not pay for principal components. Above 1,797 items a few linkages are timed and their mean is
multiplied; the table says how many. Images of Fashion-MNIST are given on 10 principal components.

The ratios are of processor time, with that of the fit divided by the number of cores, over which
its chains are spread: other programs on the machine change them less than elapsed time. "From
import" is measured in a new interpreter, from before `import rbhmc` until the tree is there; most
of the import is that of scikit-learn, which is timed alone, too.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import fastcluster
import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA

import rbhmc
from paper.fashion_mnist import fetch_fashion_mnist
from paper.tables import fetch_or_skip
from rbhmc.datasets import load_animals
from rbhmc.preparation import Preparation

Floats = NDArray[np.float64]

N_BOOTSTRAPS = 1_000
# Above this number of items only some linkages are timed.
MAX_ITEMS_IN_FULL = 1_797
N_TIMED = 3
# Fashion-MNIST is projected on so many components.
N_PCA = 10


def read_tables(largest: bool) -> Iterator[tuple[str, Floats]]:
    """Yield tables of growing size."""
    yield "animals", load_animals().data
    yield "iris", load_iris().data
    digits = load_digits().data
    rng = np.random.default_rng(0)
    for n_items in (500, 1_000):
        yield "digits", digits[rng.permutation(len(digits))[:n_items]]
    yield "digits", digits
    images = fetch_or_skip("Fashion-MNIST", lambda: fetch_fashion_mnist(subset="all"))
    if images is None:
        return
    X = PCA(N_PCA, svd_solver="full").fit_transform(images.data / 255.0)
    yield "Fashion-MNIST", X[rng.permutation(len(X))[:10_000]]
    if largest:
        yield "Fashion-MNIST", X


def time_call(call: Callable[[], Any]) -> Floats:
    """Return the seconds of a call: elapsed, and of processor time."""
    start = np.array([time.perf_counter(), time.process_time()])
    call()
    return np.array([time.perf_counter(), time.process_time()]) - start


def time_from_import(X: Floats) -> float:
    """Return the elapsed seconds from before `import rbhmc` to the tree."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/X.npy", X)
        return time_in_new_interpreter(
            f"import rbhmc; rbhmc.RBHMC(random_state=0).fit(numpy.load({folder + '/X.npy'!r}), "
            "progress=False).tree_"
        )


def time_in_new_interpreter(code: str) -> float:
    """Return the elapsed seconds of code in a new interpreter that has imported NumPy."""
    timed = f"import time, numpy; start = time.perf_counter(); {code}; " + (
        "print(time.perf_counter() - start)"
    )
    run = subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, text=True)
    return float(run.stdout)


def time_bootstrap(X: Floats, n_timed: int) -> Floats:
    """Return the times of `N_BOOTSTRAPS` Ward linkages of resampled items, from `n_timed`."""
    rng = np.random.default_rng(0)

    def link_resampled() -> None:
        for _ in range(n_timed):
            fastcluster.linkage_vector(X[rng.integers(len(X), size=len(X))], "ward")

    return time_call(link_resampled) * N_BOOTSTRAPS / n_timed


def measure(name: str, X: Floats) -> str:
    """Time a table, and return its row."""
    print(f"{name}: {len(X):,} items", file=sys.stderr, flush=True)
    from_import = time_from_import(X)
    fit = time_call(lambda: rbhmc.RBHMC(random_state=0).fit(X, progress=False))
    prepared = Preparation().fit_transform(X)
    single = np.min(
        [time_call(lambda: fastcluster.linkage_vector(prepared, "ward")) for _ in range(N_TIMED)],
        axis=0,
    )
    hdbscan = time_call(lambda: HDBSCAN(copy=True).fit(prepared))
    n_timed = N_BOOTSTRAPS if len(X) <= MAX_ITEMS_IN_FULL else N_TIMED
    bootstrap = time_bootstrap(prepared, n_timed)
    on_all_cores = fit[1] / (os.cpu_count() or 1)
    ratio = on_all_cores / bootstrap[1]
    return (
        f"| {name} | {len(X):,} × {prepared.shape[1]} | {from_import:.2f} | {fit[0]:.2f} | "
        f"{fit[1]:.2f} | {bootstrap[0]:.2f} | {bootstrap[1]:.2f} | {n_timed:,} | {ratio:.2g} | "
        f"{single[1]:.2g} | {on_all_cores / single[1]:,.0f} | {on_all_cores / hdbscan[1]:,.0f} |"
    )


def main() -> None:
    """Print one line for each table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--largest", action="store_true", help="70,000 items too")
    arguments = parser.parse_args()
    # The first fit of a process loads modules.
    rbhmc.RBHMC(random_state=0).fit(load_iris().data[:10], progress=False)
    sklearn = time_in_new_interpreter("import sklearn.base")
    print(
        f"Seconds, {os.cpu_count()} cores; one fit, one linkage at a time. `import sklearn.base` "
        f"takes {sklearn:.2f}, `import rbhmc` {time_in_new_interpreter('import rbhmc'):.2f}.\n"
    )
    print(
        "| table | items × dimensions | from import | fit | processor time | "
        "1,000 bootstrap Ward linkages | "
        "processor time | of which timed | fit / bootstrap | one Ward linkage, processor time | "
        "fit / linkage | fit / HDBSCAN |\n" + "|---" * 12 + "|"
    )
    for name, X in read_tables(arguments.largest):
        print(measure(name, X), flush=True)


if __name__ == "__main__":
    main()
