"""A tree as a data frame."""

from typing import Any

from rbhmc._extras import require
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.node import SHARES


def frame_of(tree: Hierarchy) -> Any:
    """Make a row for each node; see `Tree.to_pandas`."""
    pandas = require("pandas", "frames")
    nodes = tree.nodes
    columns = {
        "id": [node.id for node in nodes],
        "parent": [node.parent for node in nodes],
        "level": [node.level for node in nodes],
        "size": [node.size for node in nodes],
        "is_leaf": [node.is_leaf for node in nodes],
        **{
            name: pandas.Series([getattr(node, name) for node in nodes], dtype="float64")
            for name in SHARES
        },
        "items": [[tree.names[item] for item in node.items.tolist()] for node in nodes],
    }
    frame = pandas.DataFrame(columns)
    if tree.feature_names is None:
        return frame
    features = [f"centroid {name}" if name in columns else name for name in tree.feature_names]
    centroids = pandas.DataFrame([node.centroid for node in nodes], columns=features)
    return pandas.concat([frame, centroids], axis=1)
