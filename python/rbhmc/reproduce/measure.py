"""What is measured on a chain of an experiment."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.metrics import dendrogram_purity, f_measure, is_singular
from rbhmc.posterior import measures


@dataclass(frozen=True, eq=False)
class ChainMeasure:
    """AID, AOD, singular draws, and the F-measures of the draw that the paper presents.

    AID and AOD are means over the draws that are no single path, as in the paper; the draw that it
    presents is that of highest RCDLL.

    Examples
    --------
    >>> draws = {"paths": np.array([[[0], [0], [1]], [[0], [0], [0]]]), "rcdll": np.array([-1, -2])}
    >>> found = ChainMeasure(np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 1]))(draws)
    >>> found["f"], found["singular"]
    ([1.0], 0.5)
    """

    X: NDArray[np.float64]
    classes: NDArray[Any]

    def __call__(self, draws: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Measure the draws of a chain."""
        paths = draws["paths"]
        singular = np.asarray(is_singular(paths))
        best = paths[int(np.argmax(draws["rcdll"]))]
        means: dict[str, float | None] = {"aid": None, "aod": None}
        if not singular.all():
            found = measures(paths[~singular], X=self.X)
            means = {key: float(np.nanmean(found[key].values)) for key in means}
        return {
            "singular": float(singular.mean()),
            **means,
            "f": f_measure(best, self.classes).tolist(),
            "purity": float(dendrogram_purity(best, self.classes)),
        }
