"""A tree as JSON, in the form that d3's `hierarchy` reads."""

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbhmc._checks import check_names, check_numbers
from rbhmc._core import InvalidInput
from rbhmc.tree.description import describe_nodes
from rbhmc.tree.features import Features
from rbhmc.tree.hierarchy import Hierarchy
from rbhmc.tree.labels import MAX_LEVELS, check_paths
from rbhmc.tree.node import SUPPORT_FIELDS, build_shape, check_support_field

FORMAT_VERSION = 3
MARKS = ("is_cluster", "is_remainder")


class TreeParts(NamedTuple):
    """The arguments of `Hierarchy`."""

    paths: NDArray[np.int32]
    names: tuple[str, ...]
    features: Features | None
    centroids: NDArray[np.float64] | None
    supports: dict[str, dict[str, float]]
    clusters: NDArray[np.intp]
    in_remainder: NDArray[np.bool_]


def write_json(tree: Hierarchy) -> str:
    """Nest the nodes, each in the children of its parent; see `Tree.to_json`."""
    written: dict[str, dict[str, Any]] = {}
    descriptions = describe_nodes(tree)
    for node in tree.nodes:
        fields = {"name": node.id, "id": node.id, "level": node.level, "size": node.size}
        fields["description"] = str(descriptions[node.id])
        written[node.id] = fields
        if node.parent is None:
            fields |= {"rbhmc_tree": FORMAT_VERSION, "n_levels": tree.n_levels}
            if tree.features is not None:
                names, std, is_binary = tree.features
                fields |= {"feature_names": names, "feature_std": std.tolist()}
                fields["is_binary"] = is_binary.tolist()
        else:
            written[node.parent]["children"].append(fields)
        if node.centroid is not None:
            fields["centroid"] = node.centroid.tolist()
        for name in SUPPORT_FIELDS:
            if getattr(node, name) is not None:
                fields[name] = getattr(node, name)
        fields |= {name: True for name in MARKS if getattr(node, name)}
        items = node.items.tolist() if node.is_leaf else []
        fields["children"] = [{"name": tree.names[item], "item": item} for item in items]
    return json.dumps(written["root"])


def read_json(text: str | bytes) -> TreeParts:
    """Check and parse the output of `write_json`; see `Tree.from_json`."""
    try:
        root = json.loads(text)
    except (ValueError, RecursionError, TypeError) as error:
        raise InvalidInput(f"this is not JSON: {error}") from error
    if not isinstance(root, dict) or root.get("rbhmc_tree") != FORMAT_VERSION:
        raise InvalidInput(
            f'this is not the JSON of a tree: no "rbhmc_tree": {FORMAT_VERSION} at the root'
        )
    try:
        return _read_parts(root)
    except InvalidInput:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"this is not the JSON of a tree: {error!r}") from error


def _read_parts(root: dict[str, Any]) -> TreeParts:
    if not 1 <= root["n_levels"] <= MAX_LEVELS:
        raise InvalidInput(f"n_levels is {root['n_levels']}; it must be from 1 to {MAX_LEVELS}")
    nodes, rows, names = _collect_nodes(root)
    n_items = len(rows)
    if sorted(rows) != list(range(n_items)):
        raise InvalidInput(f"the {n_items} items are not numbered from 0 to {n_items - 1}")
    numbers = np.array([rows[item] for item in range(n_items)])
    paths = check_paths(numbers)
    clusters = _find_clusters(nodes, numbers)
    is_remainder = np.array([_read_mark(node, "is_remainder") for node in nodes])
    in_remainder = is_remainder[numbers[:, -1]]
    if len(inner := np.setdiff1d(np.flatnonzero(is_remainder), numbers[:, -1])):
        raise InvalidInput(
            f"node {nodes[inner[0]]['id']!r} is a remainder with children; it must hold items"
        )
    # The text may list siblings in another order than the tree.
    shape = build_shape(paths, in_remainder)
    places = zip(shape.levels, shape.items, strict=True)
    ordered = [nodes[numbers[items[0], level - 1] if level else 0] for level, items in places]
    supports = {
        name: {
            id: check_support_field(name, node[name], id)
            for id, node in zip(shape.ids, ordered, strict=True)
            if node.get(name) is not None
        }
        for name in SUPPORT_FIELDS
    }
    centroids = features = None
    if root.get("feature_names") is not None:
        values = [node["centroid"] for node in ordered]
        centroids = check_numbers(values, "centroid", (len(values), "n_features"), allow_empty=True)
        features = _read_features(root, centroids.shape[1])
    item_names = check_names((names[item] for item in range(n_items)), n_items, what="names")
    return TreeParts(paths, item_names, features, centroids, supports, clusters, in_remainder)


def _read_features(root: dict[str, Any], n_features: int) -> Features:
    is_binary = root["is_binary"]
    if len(is_binary) != n_features or not all(isinstance(mark, bool) for mark in is_binary):
        raise InvalidInput(
            f"is_binary is {is_binary!r}; it must hold true or false for each of the {n_features} "
            "features"
        )
    return Features(
        check_names(root["feature_names"], n_features, what="feature_names"),
        check_numbers(root["feature_std"], "feature_std", (n_features,), allow_empty=True),
        np.array(is_binary, np.bool_),
    )


def _find_clusters(nodes: list[dict[str, Any]], numbers: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the cluster of each item, given the positions of the nodes above it, by level."""
    is_cluster = np.array([_read_mark(node, "is_cluster") for node in nodes])
    above = np.concatenate([np.zeros((len(numbers), 1), np.int32), numbers], axis=1)
    marked = is_cluster[above]
    n_clusters = [len(set(row[here].tolist())) for row, here in zip(above, marked, strict=True)]
    if set(n_clusters) != {1}:
        item = next(item for item, n in enumerate(n_clusters) if n != 1)
        raise InvalidInput(
            f"item {item} is in {n_clusters[item]} clusters; it must be in exactly one"
        )
    first = marked.argmax(axis=1)
    clusters: NDArray[np.intp] = above[np.arange(len(above)), first].astype(np.intp)
    return clusters


def _read_mark(node: dict[str, Any], name: str) -> bool:
    mark = node.get(name, False)
    if not isinstance(mark, bool):
        raise InvalidInput(f"{name} of {node['id']!r} is {mark!r}; it must be true or false")
    return mark


def _collect_nodes(
    root: dict[str, Any],
) -> tuple[list[dict[str, Any]], dict[int, NDArray[np.int32]], dict[int, str]]:
    """Return all nodes; for each item the positions of its nodes, by level; and its name."""
    nodes: list[dict[str, Any]] = []
    rows: dict[int, NDArray[np.int32]] = {}
    names: dict[int, str] = {}
    stack = [(root, np.zeros(root["n_levels"], np.int32), -1)]
    while stack:
        node, above, level_above = stack.pop()
        level = node["level"]
        if not level_above < level <= len(above):
            raise InvalidInput(
                f"node {node['id']!r} is at level {level}, below level {level_above}"
            )
        row = above.copy()
        row[max(level - 1, 0) :] = len(nodes)
        nodes.append(node)
        for child in node["children"]:
            if "item" not in child:
                stack.append((child, row, level))
                continue
            if child["item"] in rows:
                raise InvalidInput("an item occurs twice in the tree")
            rows[child["item"]] = row
            names[child["item"]] = child["name"]
    return nodes, rows, names
