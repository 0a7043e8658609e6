"""The items as points: their first two prepared columns."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rbhmc.report.markup import readable

if TYPE_CHECKING:
    from rbhmc.estimator import RBHMC


def plane_of(model: "RBHMC") -> dict[str, Any] | None:
    """Find the points and what their axes are; None where the table has one column alone."""
    points = model.prepared_[:, :2]
    if points.shape[1] < 2:
        return None
    largest = float(np.abs(points).max()) or 1.0
    places = np.round(points / largest, 4)
    return {"x": places[:, 0].tolist(), "y": places[:, 1].tolist(), "axes": _axes(model)}


def _axes(model: "RBHMC") -> list[str]:
    pca = model.preparation_.pca_
    if pca is None:
        return [readable(name) for name in (model.tree_.feature_names or ("", ""))[:2]]
    shares = pca.explained_variance_ratio_[:2]
    return [
        f"Component {number} ({share:.0%} of the variance)"
        for number, share in enumerate(shares, start=1)
    ]
