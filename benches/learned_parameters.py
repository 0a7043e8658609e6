"""Compare trees with given and with learned parameters, on tables with known classes.

Prints, for each table and for RBHMC and BHMC with given parameters, with both covariances learned,
and with all parameters learned: the best level's F-measure and the dendrogram purity of the
selected tree, its leaves, the clusters of its first level, and the learned noise, as means over
seeds. Tables that are not on this machine are left out, with a message.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

import rbhmc
from earlier_defaults import EARLIER_DEFAULTS
from paper.fashion_mnist import fetch_fashion_mnist
from paper.kemp import KEMP_CSV, fetch_kemp_animals
from paper.tables import fetch_or_skip
from rbhmc.metrics import dendrogram_purity, f_measure

SEEDS = range(3)
LENGTH = {"n_warmup": 2000, "n_draws": 300, "thin": 5, "n_jobs": -1}
GIVEN = EARLIER_DEFAULTS | LENGTH
COVARIANCES = dict.fromkeys(("noise_cov", "base_cov"), "learn")
SETTINGS: dict[str, dict[str, Any]] = {
    "given": GIVEN,
    "covariances": GIVEN | COVARIANCES,
    "all": GIVEN | COVARIANCES | dict.fromkeys(("alpha", "gamma", "gamma0"), "learn"),
}


def tables() -> Iterator[tuple[str, NDArray[np.float64], NDArray[Any], int | None]]:
    """Yield name, items, classes and number of components of every available table."""
    animals = fetch_or_skip("Kemp animals", lambda: fetch_kemp_animals(KEMP_CSV))
    if animals is not None:
        yield "Kemp animals", animals.data, animals.target, 7
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        table = load()
        yield name, np.asarray(scale(table.data)), table.target, None
    images = fetch_or_skip("Fashion-MNIST", lambda: fetch_fashion_mnist(n_per_class=10, seed=0))
    if images is not None:
        yield "Fashion-100", images.data, images.target, 10


def main() -> None:
    """Print one line for each table, model and choice of learned parameters."""
    print(f"{'table':>14} {'model':>6} {'learned':>12}  F     purity  leaves  level 1  noise")
    for name, X, classes, components in tables():
        for kind, C in (("RBHMC", 1.0), ("BHMC", 0.0)):
            for learned, settings in SETTINGS.items():
                rows = []
                for seed in SEEDS:
                    model = rbhmc.RBHMC(C=C, n_pca=components, random_state=seed, **settings).fit(
                        X, progress=False
                    )
                    paths = model.tree_.paths
                    noise = rbhmc.posterior.learned(model.draws_).get("noise_cov")
                    rows.append(
                        [
                            f_measure(paths, classes).max(),
                            dendrogram_purity(paths, classes),
                            len(model.tree_.leaves),
                            len(np.unique(model.labels_at(1))),
                            1.0 if noise is None else noise.mean,
                        ]
                    )
                f, purity, leaves, first, noise = np.mean(rows, axis=0)
                print(
                    f"{name:>14} {kind:>6} {learned:>12}  {f:.3f}  {purity:.3f} "
                    f"{leaves:7.1f} {first:8.1f} {noise:7.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
