"""What is measured on a chain of an experiment."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc.metrics import aid, aod, co_occurrence, dendrogram_purity, f_measure, is_singular
from rbhmc.posterior import measures

# Draws that the slower measures are averaged over, evenly spaced.
FEW = 200


@dataclass(frozen=True, eq=False)
class ChainMeasure:
    """AID, AOD, singular draws, and the F-measures of the draw that the paper presents.

    AID and AOD are means over the draws that are no single path, as in the paper; nodes of one item
    count 0, and are left out of ``"aid skip"`` and ``"aod skip"``. The draw that the paper presents
    is that of highest RCDLL.

    Examples
    --------
    >>> draws = {"paths": np.array([[[0], [0], [1]], [[0], [0], [0]]]), "rcdll": np.array([-1, -2])}
    >>> found = ChainMeasure(np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 1]))(draws)
    >>> found["f"], found["singular"], found["aid"], found["aid skip"]
    ([1.0], 0.5, 0.5, 1.0)
    """

    X: NDArray[np.float64]
    classes: NDArray[Any]

    def __call__(self, draws: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Measure the draws of a chain."""
        paths = draws["paths"]
        singular = np.asarray(is_singular(paths))
        best = paths[int(np.argmax(draws["rcdll"]))]
        return {
            "singular": float(singular.mean()),
            **self._distances(paths[~singular]),
            "f": f_measure(best, self.classes).tolist(),
            "purity": float(dendrogram_purity(best, self.classes)),
        }

    def _distances(self, paths: NDArray[Any]) -> dict[str, float | None]:
        if not len(paths):
            return dict.fromkeys(("aid", "aod", "aid skip", "aod skip"))
        every = measures(paths, X=self.X)
        few = paths[:: max(1, len(paths) // FEW)]
        return {
            "aid": _mean(every["aid"].values),
            "aod": _mean(every["aod"].values),
            "aid skip": _mean(aid(self.X, few, singletons="skip")),
            "aod skip": _mean(aod(self.X, few, singletons="skip")),
        }


class CaseMeasure(ChainMeasure):
    """What `ChainMeasure` gives, and ``"together"``: by level, how often each pair shares its node.

    Examples
    --------
    >>> draws = {"paths": np.array([[[0], [0], [1]], [[0], [0], [0]]]), "rcdll": np.array([-1, -2])}
    >>> CaseMeasure(np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 1]))(draws)["together"]
    [[1.0, 0.5, 0.5]]
    """

    def __call__(self, draws: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Measure the draws of a chain."""
        levels = range(1, draws["paths"].shape[2] + 1)
        maps = [pairs(co_occurrence(draws["paths"], level)) for level in levels]
        return {**super().__call__(draws), "together": [one.round(4).tolist() for one in maps]}


def pairs(matrix: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Entries of a symmetric matrix above its diagonal.

    Examples
    --------
    >>> pairs(np.array([[1.0, 0.25], [0.25, 1.0]]))
    array([0.25])
    """
    return matrix[np.triu_indices(len(matrix), k=1)]


def _mean(values: Any) -> float | None:
    found = np.asarray(values, np.float64)
    return None if np.isnan(found).all() else float(np.nanmean(found))
