"""Clusters that are not the leaves, and remainders."""

import copy
import pickle
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from rbhmc import InvalidInput
from rbhmc.tree import Tree
from rbhmc.tree.node import SUPPORT_FIELDS
from tree.cases import NAMES, PATHS, PROPERTY, same_partition, trees

# Robin, finch and wren stay directly in the cluster of the birds.
BIRDS = [name in ("robin", "finch", "wren") for name in NAMES]
TREE = Tree.from_labels(PATHS, names=NAMES, clusters=PATHS[:, 0], in_remainder=BIRDS)


def test_a_worked_example() -> None:
    rows = [(node.id, node.size, node.is_cluster, node.is_remainder) for node in TREE]
    assert rows == [
        ("root", 8, False, False),
        ("1", 5, True, False),
        ("1.1", 2, False, False),
        ("1.2", 3, False, True),  # a remainder comes last, although it is larger
        ("2", 2, True, False),
        ("3", 1, True, False),
    ]
    assert [node.id for node in TREE.clusters] == ["1", "2", "3"]
    assert [node.id for node in TREE.leaves] == ["1.1", "1.2", "2", "3"]
    assert TREE.labels.tolist() == [0, 0, 0, 1, 0, 1, 2, 0]
    assert TREE.leaf_labels.tolist() == [0, 0, 1, 2, 1, 2, 3, 1]
    assert not TREE.clusters_are_leaves
    assert TREE.path_of("wren") == ("root", "1", "1.2")
    assert repr(TREE) == "<Tree: 8 items, 2 levels, 6 nodes, 4 leaves, 3 clusters>"


def test_labels_of_any_type_name_the_clusters() -> None:
    texts = np.array(["fish", "bird", "insect"])[[1, 1, 1, 0, 1, 0, 2, 1]]
    assert Tree.from_labels(PATHS, names=NAMES, clusters=texts, in_remainder=BIRDS) == TREE


def test_the_root_can_be_the_only_cluster() -> None:
    tree = Tree.from_labels(PATHS, clusters=np.zeros(8, int))
    assert tree.clusters == (tree.root,)
    assert set(tree.labels) == {0}


def test_a_single_item_can_be_a_cluster_and_a_remainder() -> None:
    alone = [name == "ant" for name in NAMES]
    node = Tree.from_labels(PATHS, in_remainder=alone).node("3")
    assert node.is_cluster
    assert node.is_remainder


@PROPERTY
@given(trees())
def test_clusters_partition_the_items(tree: Tree) -> None:
    items = np.concatenate([node.items for node in tree.clusters])
    assert sorted(items.tolist()) == list(range(tree.n_items))
    for k, node in enumerate(tree.clusters):
        assert np.flatnonzero(tree.labels == k).tolist() == node.items.tolist()
    assert same_partition(tree.leaf_labels, tree.paths[:, -1])
    for node in tree:
        remainders = [child for child in node.children if tree.node(child).is_remainder]
        assert remainders in ([], [*node.children[-1:]])
        if node.is_remainder:
            assert node.is_leaf
            assert all(getattr(node, name) is None for name in SUPPORT_FIELDS)


@PROPERTY
@given(trees())
def test_marks_survive_pickles_copies_and_new_supports(tree: Tree) -> None:
    again = tree.with_support({"root": 1.0})
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), again):
        assert [node.is_cluster for node in other] == [node.is_cluster for node in tree]
        assert [node.is_remainder for node in other] == [node.is_remainder for node in tree]
        assert np.array_equal(other.labels, tree.labels)


def test_trees_with_other_marks_differ() -> None:
    others = [
        Tree.from_labels(PATHS, names=NAMES, in_remainder=[name == "ant" for name in NAMES]),
        Tree.from_labels(PATHS, names=NAMES, clusters=PATHS[:, 0]),
        Tree.from_labels(PATHS, names=NAMES),
    ]
    assert all(other != TREE for other in others)
    assert len({Tree.from_labels(PATHS, names=NAMES), others[1]}) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clusters": [0, 0]}, "clusters has shape (2,); it must have shape (8,)"),
        ({"clusters": [0, None, 1, 1, 1, 1, 1, 1]}, "labels that cannot be compared"),
        ({"clusters": [0, 0, 0, 1, 0, 1, 1, 0]}, "puts 3 items, the first at 3, in a group that"),
        ({"clusters": [0, 0, 1, 2, 1, 2, 3, 4]}, "puts 2 items, the first at 2, in a group"),
        ({"in_remainder": [True]}, "in_remainder has shape (1,)"),
        ({"in_remainder": [0] * 8}, "dtype int64; it must have shape (8,), with True or False"),
        ({"in_remainder": np.arange(8) == 0}, "at node '1.2' marks only some items of this leaf"),
        ({"in_remainder": BIRDS}, "at node '1.2' marks a cluster of several items; give clusters"),
        (
            {"clusters": PATHS[:, 0], "in_remainder": PATHS[:, 0] == 7},
            "at node '1.2' marks this node and a sibling; '1' can have only one remainder",
        ),
    ],
)
def test_invalid_marks(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        Tree.from_labels(PATHS, **arguments)


def test_the_root_is_no_remainder() -> None:
    with pytest.raises(InvalidInput, match="at node 'root' marks the root; only nodes with sib"):
        Tree.from_labels([[0], [0]], in_remainder=[True, True])


def test_a_remainder_has_no_support() -> None:
    for name in SUPPORT_FIELDS:
        with pytest.raises(InvalidInput, match=rf"the {name} of '1\.2' is given; a remainder has"):
            TREE.with_support(**({"support": {}} | {name: {"1.2": 0.5}}))


def test_given_arrays_are_copied() -> None:
    clusters, in_remainder = PATHS[:, 0].copy(), np.array(BIRDS)
    tree = Tree.from_labels(PATHS, names=NAMES, clusters=clusters, in_remainder=in_remainder)
    clusters[:], in_remainder[:] = 0, False
    assert pickle.loads(pickle.dumps(tree)) == tree == TREE
