"""Compare RBHMC with BHMC and Ward's linkage on tables with known classes.

Prints, for each sample, the best level's F-measure and the dendrogram purity of the selected tree,
Ward's F at the best of all its cuts (chosen with the classes), and the change of AID and AOD, as
means over draws, against BHMC with the same settings. Tables that are not on this machine are left
out, with a message.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.decomposition import PCA

import rbhmc
from paper.fashion_mnist import fetch_fashion_mnist
from paper.kemp import KEMP_CSV, fetch_kemp_animals
from paper.tables import fetch_or_skip
from rbhmc.metrics import aid, aod, dendrogram_purity, f_measure
from rbhmc.preparation import auto_factor

N_SEEDS = 20
N_SAMPLES = 5
EVERY = 20  # AID and AOD are means over every 20th draw


class Table(NamedTuple):
    """A sample to fit: its name, items, classes and settings."""

    name: str
    X: NDArray[np.float64]
    classes: NDArray[Any]
    settings: dict[str, Any]


def tables() -> Iterator[Table]:
    """Yield all samples that are available."""
    animals = fetch_or_skip("Kemp animals", lambda: fetch_kemp_animals(KEMP_CSV))
    if animals is not None:
        X = PCA(7, svd_solver="full").fit_transform(animals.data)
        for seed in range(N_SEEDS):
            yield Table("Kemp animals, defaults", X, animals.target, {"random_state": seed})
    samples = fetch_or_skip(
        "Fashion-MNIST",
        lambda: [fetch_fashion_mnist(n_per_class=10, seed=seed) for seed in range(2 * N_SAMPLES)],
    )
    if samples is None:
        return
    images = [PCA(10, svd_solver="full").fit_transform(sample.data) for sample in samples]
    first, others = range(N_SAMPLES), range(N_SAMPLES, 2 * N_SAMPLES)
    for name, seeds, finer in [
        ("Fashion-100, defaults", first, False),
        ("Fashion-100, finer", first, True),
        ("other Fashion-100, finer", others, True),
    ]:
        for seed in seeds:
            settings = {"n_levels": 4, "alpha": 0.2, "gamma": 1.5, "random_state": seed}
            if finer:
                settings |= {"scale": 2.4 * auto_factor(images[seed]), "margin": 2.0}
            yield Table(name, images[seed], samples[seed].target, settings)


def main() -> None:
    """Print one line for each sample, and the means of each group."""
    print(
        f"{'table':>28}  {'F':>5} {'purity':>6}  {'BHMC F':>6} {'purity':>6}  {'Ward F':>6}   "
        "AID     AOD     AID*    AOD*   predict"
    )
    group: list[list[float]] = []
    name = ""
    for table in tables():
        if table.name != name and group:
            show(f"mean of {len(group)}", np.mean(group, axis=0))
            group = []
        name = table.name
        group.append(measure(table))
        show(name, np.array(group[-1]))
    if group:
        show(f"mean of {len(group)}", np.mean(group, axis=0))
    print("AID, AOD: change against BHMC, where nodes with one item count 0; * leaves them out")


def measure(table: Table) -> list[float]:
    """Fit both models to a sample, and return a row of the table."""
    plain = rbhmc.BHMC(**table.settings, n_jobs=-1).fit(table.X)
    model = rbhmc.RBHMC(**table.settings, n_jobs=-1).fit(table.X)
    row = []
    for fitted in (model, plain):
        row.append(float(f_measure(fitted.tree_.paths, table.classes).max()))
        row.append(float(dendrogram_purity(fitted.tree_.paths, table.classes)))
    row.append(ward(table.X, table.classes))
    for singletons in ("zero", "skip"):
        for distance in (aid, aod):
            means = [
                np.nanmean(
                    distance(table.X, fitted.draws_.paths[:, ::EVERY], singletons=singletons)
                )
                for fitted in (model, plain)
            ]
            row.append(float(means[0] / means[1] - 1.0))
    row.append(float((model.predict(table.X) == model.labels_).mean()))
    return row


def ward(X: NDArray[np.float64], classes: NDArray[Any]) -> float:
    """Return F of Ward's linkage at the best of all its cuts."""
    merges = linkage(X, "ward")
    cuts = [fcluster(merges, k, "maxclust")[:, None] for k in range(1, len(X) + 1)]
    return max(float(f_measure(cut, classes)[0]) for cut in cuts)


def show(name: str, row: NDArray[np.float64]) -> None:
    """Print one line of the table."""
    f, purity, plain_f, plain_purity, ward_f, *changes, agreement = row
    percents = " ".join(f"{change:+7.0%}" for change in changes)
    print(
        f"{name:>28}  {f:.3f} {purity:6.3f}  {plain_f:6.3f} {plain_purity:6.3f}  {ward_f:6.3f}  "
        f"{percents}  {agreement:6.0%}",
        flush=True,
    )


if __name__ == "__main__":
    main()
