"""Run `RBHMC()` with nothing set except the seed, on tables with known classes and on noise.

Prints the automatic settings (components, factor, sweeps), the largest R-hat, the number of nodes
at each level of the presented tree, of clusters, the mean and the largest support of its nodes, and
for tables with classes the F-measure of the clusters, which are found without them, and of the best
level, beside Ward's linkage at the best of all its cuts. Then fits the same tables in other units,
which must give the same trees. Tables that are not on this machine are left out, with a message.
"""

import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_digits, load_iris, load_wine

import rbhmc
from dendrograms import best_cut
from paper.fashion_mnist import fetch_fashion_mnist
from paper.kemp import KEMP_CSV, fetch_kemp_animals
from paper.tables import fetch_or_skip
from rbhmc.datasets import load_animals
from rbhmc.metrics import f_measure

SEED = 0
UNITS = (1e-3, 1e3)


class Table(NamedTuple):
    """A table that is not prepared, and its classes if it has any."""

    name: str
    X: NDArray[np.float64]
    classes: NDArray[Any] | None = None


def tables() -> Iterator[Table]:
    """Yield all tables that are available, small ones first."""
    animals = fetch_or_skip("Kemp animals", lambda: fetch_kemp_animals(KEMP_CSV))
    if animals is not None:
        yield Table("Kemp animals", animals.data, animals.target)
    animals = load_animals()
    yield Table("shipped animals", animals.data, animals.target)
    yield Table("iris", *load_iris(return_X_y=True))
    yield Table("wine", *load_wine(return_X_y=True))
    rng = np.random.default_rng(SEED)
    yield Table("one cluster", rng.normal(size=(100, 5)))
    yield Table("uniform noise", rng.uniform(size=(100, 5)))
    yield Table("uniform noise, flat", rng.uniform(size=(100, 2)))
    yield Table("one cluster, one column", rng.normal(size=(60, 1)))
    images = fetch_or_skip("Fashion-MNIST", lambda: fetch_fashion_mnist(n_per_class=100, seed=SEED))
    if images is not None:
        yield Table("Fashion-1000", np.asarray(images.data, np.float64), images.target)
    yield Table("digits", *load_digits(return_X_y=True))


def show(table: Table) -> NDArray[np.intp]:
    """Fit a table, print one line, and return the paths of the presented tree."""
    model = rbhmc.RBHMC(random_state=SEED, n_jobs=-1).fit(table.X)
    done, ran = model.preparation_.describe(), model.draws_.settings
    rhat = max((row.rhat for row in model.diagnostics().table if row.rhat), default=float("nan"))
    paths: NDArray[np.intp] = model.tree_.paths
    nodes = " ".join(str(len(np.unique(level))) for level in paths.T)
    below = [node.support for node in model.tree_.nodes[1:] if node.support is not None]
    support = f"{np.mean(below):.2f} | {max(below):.2f}" if below else " | "
    agreement = "| | |"
    if table.classes is not None:
        clusters = f_measure(model.labels_[:, None], table.classes)[0]
        ours = f_measure(paths, table.classes).max()
        ward = best_cut(linkage(table.X, "ward"), table.classes)
        agreement = f"{clusters:.3f} | {ours:.3f} | {ward.f:.3f} |"
    print(
        f"| {table.name} | {len(table.X)} x {done['n_features']} | {done['n_dims']} | "
        f"{done['factor']:.3g} | {ran['n_warmup']:,} + {ran['thin']} per draw | {rhat:.3f} | "
        f"{nodes} | {len(model.tree_.clusters)} | {support} | {agreement}",
        flush=True,
    )
    return paths


def main() -> None:
    """Print one line for each table, then whether units matter."""
    chosen = sys.argv[1:]
    print(
        "| table | items x columns | components | factor | sweeps | R-hat | nodes at each level | "
        "clusters | mean support | largest | F of clusters | F of best level | Ward's best F |\n"
        + "|---" * 13
        + "|"
    )
    found = list(tables())
    for table in found:
        if not chosen or table.name in chosen:
            show(table)
    for table in found:
        if table.name in ("shipped animals", "iris") and (not chosen or "units" in chosen):
            one, *others = (
                rbhmc.RBHMC(random_state=SEED, n_jobs=-1).fit(table.X * unit).labels_
                for unit in (1.0, *UNITS)
            )
            same = all(np.array_equal(one, other) for other in others)
            print(f"{table.name} times {UNITS[0]:g} and {UNITS[1]:g}: same tree: {same}")


if __name__ == "__main__":
    main()
