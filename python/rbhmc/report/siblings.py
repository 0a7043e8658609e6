"""What separates siblings: a table of features for each pair, or for each against the others."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rbhmc._text import pluralize
from rbhmc.posterior import FeatureDifference, compare_centroids
from rbhmc.report.markup import (
    Markup,
    describe_node,
    format_value,
    join,
    node_badge,
    tag,
    visible_name,
)
from rbhmc.tree import Node, Tree

MAX_PAIRED = 3  # siblings that are compared in pairs; of more, each is compared with the others
MAX_CHILDREN = 24
FULL_BAR = 4.0  # standard deviations


def sibling_sections(tree: Tree, feature_std: NDArray[np.float64]) -> Markup:
    """Write a section for each inner node, with the first one open."""
    inner = [node for node in tree.nodes if node.children]
    if not inner:
        return tag("p", "The tree has a single leaf, so that there are no siblings.")
    sections = [_section(tree, node, feature_std, is_open=node is inner[0]) for node in inner]
    return join(*sections)


def _section(tree: Tree, node: Node, feature_std: NDArray[np.float64], *, is_open: bool) -> Markup:
    children = [tree.node(child) for child in node.children]
    if len(children) <= MAX_PAIRED:
        tables = [
            _table(
                join(describe_node(tree, one), _against(""), describe_node(tree, other)),
                (node_badge(one), node_badge(other)),
                compare_centroids(tree, [one], [other], feature_std),
            )
            for one, other in combinations(children, 2)
        ]
    else:
        tables = [
            _table(
                join(describe_node(tree, child), _against(" its siblings")),
                (node_badge(child), "others"),
                compare_centroids(tree, [child], tree.siblings_of(child.id), feature_std),
            )
            for child in children[:MAX_CHILDREN]
        ]
    size = f"{pluralize(node.size, 'item')} in {pluralize(len(children), 'node')}"
    parts = [
        tag("summary", node_badge(node), " ", tag("span", size)),
        tag("div", *tables, class_="tables"),
    ]
    n_omitted = len(children) - MAX_CHILDREN
    if n_omitted > 0:
        parts.append(tag("p", f"The {n_omitted:,} smallest nodes are omitted.", class_="note"))
    return tag("details", *parts, **({"open": ""} if is_open else {}))


def _against(others: str) -> Markup:
    return tag("span", f"against{others}", class_="against")


def _table(
    caption: str, columns: tuple[str, str], differences: Sequence[FeatureDifference]
) -> Markup:
    if not differences:
        body = tag("p", "No feature differs.")
        return tag("figure", tag("figcaption", caption), body, class_="pair")
    head = tag(
        "tr",
        tag("th", "Feature", scope="col"),
        *(tag("th", column, scope="col", class_="number") for column in columns),
        tag("th", "Difference", scope="col", class_="bar-head"),
    )
    rows = [
        tag(
            "tr",
            tag("th", visible_name(each.name), scope="row"),
            tag("td", format_value(each.mean, each.std), class_="number"),
            tag("td", format_value(each.other_mean, each.std), class_="number"),
            tag("td", _bar(each.deviations)),
        )
        for each in differences
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return tag("figure", tag("figcaption", caption), table, class_="pair")


def _bar(deviations: float) -> Markup:
    share = min(abs(deviations) / FULL_BAR, 1.0)
    text = f"{abs(deviations):.1f} sd"
    return tag("span", tag("span", text), class_="bar", style=f"--share:{share:.0%}")
