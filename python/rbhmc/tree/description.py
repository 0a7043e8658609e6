"""What sets a node apart from its siblings, in the words and units of the table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rbhmc._text import format_value, pluralize, shorten_text, visible_name, wrap_parts
from rbhmc.tree.differences import FeatureDifference, gaps_between, rank_features, rest_mean

if TYPE_CHECKING:
    from rbhmc.tree.hierarchy import Hierarchy
    from rbhmc.tree.node import Node

# A description mentions up to three features: those that differ by at least a tenth of a standard
# deviation, and by at least a third of the largest difference.
MAX_MENTIONED = 3
LEAST_DEVIATIONS, LEAST_SHARE = 0.1, 1.0 / 3.0
MAX_NAME = 40  # characters of a feature's name
MAX_UNIT = 12  # characters of a unit after a name, as in "length (cm)"
MAX_NUMBERS = 8  # of rows that are listed if their items have neither names nor descriptions
WIDTH = 80


@dataclass(frozen=True)
class Description:
    """The size of a node, and the features in which it differs most from the rest of its parent.

    As a text it says so in words; `mentions` are the features of this text, without the others.

    Attributes
    ----------
    size, n_others : int
        The number of its items, and of the other items of its parent.
    features : tuple of FeatureDifference
        Up to five, the largest difference first.
    is_remainder : bool
        Whether its items are those of its parent that are in no other child.

    Examples
    --------
    >>> legs = FeatureDifference("legs", 3.9, 2.0, 1.2, 1.6, is_binary=False)
    >>> female = FeatureDifference("sex=female", 0.75, 0.0, 0.5, 1.5, is_binary=True)
    >>> description = Description(8, 20, (legs, female), is_remainder=False)
    >>> print(description)
    8 items: high legs (3.9; others 2.0), sex = female (6 of 8; others 0 of 20)
    >>> description.mentions
    ['high legs (3.9)', 'sex = female (6 of 8)']
    """

    size: int
    n_others: int
    features: tuple[FeatureDifference, ...]
    is_remainder: bool

    @property
    def count(self) -> str:
        """The number of items, as text."""
        return pluralize(self.size, "other item" if self.is_remainder else "item")

    @property
    def mentions(self) -> list[str]:
        """The features that set the node apart, as short texts."""
        return [_mention(feature, self.size) for feature in _select(self.features)]

    def __str__(self) -> str:
        full = [_mention(feature, self.size, self.n_others) for feature in _select(self.features)]
        return ", ".join(add_count(self.count, full))


class Descriptions(dict[str, Description]):
    """The description of each node by id, in printing order; `print` it to read it."""

    def __repr__(self) -> str:
        indent = max(map(len, self), default=0) + 2
        lines = [
            wrap_parts(str(each).split(", "), f"{id:<{indent}}", " " * indent, WIDTH)
            for id, each in self.items()
        ]
        return "\n".join(line for wrapped in lines for line in wrapped)


def add_count(count: str, mentions: Sequence[str]) -> list[str]:
    """Put the number of items before the first feature.

    Examples
    --------
    >>> add_count("8 items", ["high legs (3.9)", "low mass (2)"]), add_count("8 items", [])
    (['8 items: high legs (3.9)', 'low mass (2)'], ['8 items'])
    """
    return [f"{count}: {mentions[0]}", *mentions[1:]] if mentions else [count]


def describe_nodes(tree: "Hierarchy") -> Descriptions:
    """Describe each node by what sets it apart from its siblings; see `Tree.describe`."""
    nodes = tree.nodes
    n_others = [
        0 if node.parent is None else tree.node(node.parent).size - node.size for node in nodes
    ]
    features: dict[str, tuple[FeatureDifference, ...]] = {}
    if tree.features is not None and tree.features.are_readable:
        for parent in nodes:
            children = [tree.node(id) for id in parent.children]
            groups = [child for child in children if not child.is_remainder]
            means = np.array([child.centroid for child in groups], np.float64)
            for child, mean, gaps in zip(groups, means, gaps_between(means), strict=True):
                rest = rest_mean(parent, child)
                features[child.id] = rank_features(tree, mean, rest, gaps)
    return Descriptions(
        {
            node.id: Description(node.size, n, features.get(node.id, ()), node.is_remainder)
            for node, n in zip(nodes, n_others, strict=True)
        }
    )


def lists_items(tree: "Hierarchy", node: "Node") -> bool:
    """Return whether a node is shown by its items: a leaf with names, or with few numbers.

    Numbers of rows say little, so they are listed only if there are few and nothing describes them.

    Examples
    --------
    >>> from rbhmc import Tree
    >>> named = Tree.from_labels([[0]] * 9, names=list("abcdefghi"))
    >>> numbered = Tree.from_labels([[0]] * 9)
    >>> lists_items(named, named.root), lists_items(numbered, numbered.root)
    (True, False)
    """
    if tree.has_names or node.children:
        return node.is_leaf
    is_described = tree.features is not None and tree.features.are_readable
    return not is_described and node.size <= MAX_NUMBERS


def _select(features: Sequence[FeatureDifference]) -> list[FeatureDifference]:
    """Select the features to mention: of the indicators "column=value" of a column only one."""
    if not features:
        return []
    least = max(LEAST_DEVIATIONS, LEAST_SHARE * features[0].strength)
    selected: dict[str, FeatureDifference] = {}
    for feature in features:
        column = feature.name.partition("=")[0] if feature.is_binary else feature.name
        if feature.strength >= least:
            selected.setdefault(column, feature)
    return list(selected.values())[:MAX_MENTIONED]


def _mention(feature: FeatureDifference, size: int, n_others: int | None = None) -> str:
    """Say how a feature sets a node apart; with the number of others, compare it with them."""
    name = visible_name(feature.name)
    if feature.is_binary:
        name = shorten_text(" = ".join(name.split("=", 1)), MAX_NAME)
        is_low = feature.deviations < 0.0 and not feature.is_between
        value = _say_count(round(feature.mean * size), size, is_low=is_low)
        n = 0 if n_others is None else n_others
        others = f"{round(feature.other_mean * n):,} of {n:,}"
    else:
        name, unit = _split_unit(name)
        # A year has no separator of thousands, and needs no unit.
        is_year = "year" in feature.name.casefold()

        def write(mean: float) -> str:
            text = format_value(mean, feature.std)
            return text.replace(",", "") if is_year else text + unit

        kind = "high" if feature.deviations > 0.0 else "low"
        name = f"{'medium' if feature.is_between else kind} {shorten_text(name, MAX_NAME)}"
        value = write(feature.mean)
        others = "below and above" if feature.is_between else write(feature.other_mean)
    others = "" if n_others is None else f"; others {others}"
    return f"{name} ({value}{others})"


def _split_unit(name: str) -> tuple[str, str]:
    """Split a unit in brackets from a name, to write it after the value.

    Examples
    --------
    >>> _split_unit("petal length (cm)"), _split_unit("mass [kg]"), _split_unit("(x)")
    (('petal length', ' cm'), ('mass', ' kg'), ('(x)', ''))
    >>> _split_unit("sales (2021)")
    ('sales (2021)', '')
    """
    found = re.fullmatch(rf"(.*\S)\s*[(\[]([^()\[\]]{{1,{MAX_UNIT}}})[)\]]", name)
    if found is None or found[2][0].isdigit():
        return name, ""
    return found[1], f" {found[2]}"


def _say_count(count: int, size: int, *, is_low: bool) -> str:
    """Say how many items have a feature, and whether that is less than elsewhere.

    Its name stands before it, whether that is a noun, an adjective or a verb: "fins (all)",
    "feathered (none)", "goes on four legs (8 of 9)".

    Examples
    --------
    >>> [_say_count(count, 9, is_low=False) for count in (1, 8, 9)]
    ['1 of 9', '8 of 9', 'all']
    >>> [_say_count(count, 9, is_low=True) for count in (0, 1)]
    ['none', 'only 1 of 9']
    >>> _say_count(1, 1, is_low=False), _say_count(0, 1, is_low=True)
    ('yes', 'no')
    """
    if size == 1:
        return "yes" if count else "no"
    if count in (0, size):
        return "all" if count else "none"
    return f"{'only ' if is_low else ''}{count:,} of {size:,}"
