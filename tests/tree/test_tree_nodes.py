"""Nodes and labels of a tree, and equality of trees."""

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rbhmc import InvalidInput, Sampler
from rbhmc.tree import Node, Tree
from tree.cases import (
    NAMES,
    PATHS,
    PROPERTY,
    deepest,
    labels,
    many_labels,
    reference_nodes,
    same_partition,
    trees,
)

X = np.arange(16.0).reshape(8, 2)


def test_a_worked_example() -> None:
    tree = Tree.from_labels(PATHS, names=NAMES, X=X, feature_names=["mass", "speed"])
    table = [(n.id, n.parent, n.level, n.children, n.items.tolist(), n.size) for n in tree.nodes]
    assert table == [
        ("root", None, 0, ("1", "2", "3"), [0, 1, 2, 3, 4, 5, 6, 7], 8),
        ("1", "root", 1, ("1.1", "1.2"), [0, 1, 2, 4, 7], 5),
        ("1.1", "1", 2, (), [2, 4, 7], 3),
        ("1.2", "1", 2, (), [0, 1], 2),
        ("2", "root", 1, (), [3, 5], 2),
        ("3", "root", 1, (), [6], 1),
    ]
    assert [leaf.id for leaf in tree.leaves] == ["1.1", "1.2", "2", "3"]
    assert tree.root is tree.nodes[0] is tree.node("root")
    assert tree.labels.tolist() == [1, 1, 0, 2, 0, 2, 3, 0]
    assert tree.labels_at(0).tolist() == [0] * 8
    assert tree.labels_at(1).tolist() == [0, 0, 0, 1, 0, 1, 2, 0]
    assert tree.labels_at(2).tolist() == [0, 0, 1, 2, 1, 2, 3, 1]
    assert tree.path_of("finch") == tree.path_of(4) == tree.path_of(-4) == ("root", "1", "1.1")
    assert (tree.n_items, tree.n_levels, len(tree)) == (8, 2, 6)
    assert tree.names == tuple(NAMES)
    assert tree.feature_names == ("mass", "speed")
    centroid = tree.node("2").centroid
    assert centroid is not None
    assert centroid.tolist() == [8.0, 9.0]
    assert repr(tree) == "<Tree: 8 items, 2 levels, 6 nodes, 4 leaves>"
    assert repr(tree.node("1.2")) == "Node('1.2', level=2, size=2)"


def test_the_upper_of_two_merged_nodes_stays() -> None:
    # Nodes without siblings above the first split, in the middle, and down to a leaf.
    tree = Tree.from_labels([[0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 2, 2]])
    assert [(node.id, node.level) for node in tree] == [
        ("root", 0),
        ("1", 2),
        ("1.1", 4),
        ("1.2", 4),
        ("2", 2),
    ]


def test_one_group_is_a_root_that_is_a_leaf() -> None:
    tree = Tree.from_labels([[3, 4], [3, 4]])
    assert len(tree) == 1
    assert tree.leaves == (tree.root,)
    assert tree.labels.tolist() == [0, 0]
    assert tree.path_of(1) == ("root",)


@PROPERTY
@given(labels())
def test_nodes_agree_with_the_definition(paths: NDArray[np.int64]) -> None:
    tree = Tree.from_labels(paths)
    assert tree.names == tuple(str(item) for item in range(len(paths)))
    assert [(n.id, n.level, n.items.tolist()) for n in tree] == reference_nodes(paths)
    for node in tree:
        assert [tree.node(child).parent for child in node.children] == [node.id] * len(
            node.children
        )
        assert node.is_leaf == (not node.children)
        assert node.size == len(node.items)
    assert len(set(tree.nodes)) == len(tree)


@PROPERTY
@given(labels())
def test_labels_of_levels_and_leaves(paths: NDArray[np.int64]) -> None:
    tree = Tree.from_labels(paths)
    for level in range(1, tree.n_levels + 1):
        found = tree.labels_at(level)
        assert same_partition(found, paths[:, level - 1])
        assert [found.tolist().index(k) for k in range(found.max() + 1)] == sorted(
            {found.tolist().index(k) for k in found}
        )
    assert same_partition(tree.labels, paths[:, -1])
    for k, leaf in enumerate(tree.leaves):
        assert np.flatnonzero(tree.labels == k).tolist() == leaf.items.tolist()
    assert tree.clusters == tree.leaves
    assert tree.clusters_are_leaves
    assert np.array_equal(tree.leaf_labels, tree.labels)
    for item in range(tree.n_items):
        holders = tuple(node.id for node in tree if item in node.items)
        assert tree.path_of(item) == holders
    assert Tree.from_labels(tree.paths) == tree


@PROPERTY
@given(labels(), st.integers(0, 2**32 - 1))
def test_centroids_are_means(paths: NDArray[np.int64], seed: int) -> None:
    table = np.random.default_rng(seed).normal(size=(len(paths), 3))
    for node in Tree.from_labels(paths, X=table):
        assert node.centroid is not None
        np.testing.assert_allclose(node.centroid, table[node.items].mean(axis=0), rtol=1e-12)


def test_centroids_of_the_largest_numbers() -> None:
    largest = np.finfo(float).max
    tree = Tree.from_labels([[0], [0], [0], [1]], X=np.full((4, 1), -largest))
    for node in tree:
        assert node.centroid is not None
        np.testing.assert_allclose(node.centroid, -largest)


@PROPERTY
@given(trees())
def test_pickles_and_copies_are_equal_and_read_only(tree: Tree) -> None:
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), copy.copy(tree)):
        assert other == tree
        assert hash(other) == hash(tree)
        assert other.nodes == tree.nodes
        assert not other.paths.flags.writeable
    for node in tree:
        assert pickle.loads(pickle.dumps(node)) == node


def test_inequality() -> None:
    tree = Tree.from_labels(PATHS, names=NAMES, X=X)
    others: list[Any] = [
        Tree.from_labels(PATHS, names=NAMES),
        Tree.from_labels(PATHS, X=X),
        Tree.from_labels(PATHS, names=NAMES, X=X + 1),
        Tree.from_labels(PATHS, names=NAMES, X=X, feature_names=["a", "b"]),
        Tree.from_labels(PATHS[:, :1], names=NAMES, X=X),
        tree.with_support({"1": 0.5}),
        tree.with_support({}, exact={"1": 0.5}),
        tree.with_support({}, height={"1": 0.5}),
        Tree.from_labels(PATHS, names=NAMES, X=X, clusters=PATHS[:, 0]),
        "tree",
        None,
    ]
    assert all(tree != other for other in others)
    assert tree == Tree.from_labels(PATHS * 3 - 50, names=NAMES, X=X)
    assert len({tree, Tree.from_labels(PATHS + 1, names=NAMES, X=X)}) == 1
    assert tree.node("1") != tree.node("2")
    assert tree.node("1") != "1"


def test_a_tree_is_immutable() -> None:
    tree = Tree.from_labels(PATHS, X=X)
    for name in ("nodes", "names", "anything"):
        with pytest.raises(AttributeError):
            setattr(tree, name, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.root.level = 3  # type: ignore[misc]
    centroid = tree.root.centroid
    assert centroid is not None
    for array in (tree.paths, tree.root.items, tree.node("1.1").items, centroid):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    given = PATHS.copy()
    tree = Tree.from_labels(given)
    given[:] = 0
    tree.labels[:] = 9
    tree.labels_at(1)[:] = 9
    assert tree == Tree.from_labels(PATHS)
    assert tree.labels.max() == 3


def test_support() -> None:
    tree = Tree.from_labels(PATHS, X=X).with_support({"1": 1, "2": 0.25})
    assert [node.support for node in tree] == [None, 1.0, None, None, 0.25, None]
    assert repr(tree.node("2")) == "Node('2', level=1, size=2, support=0.25)"
    assert tree.with_support({}) == Tree.from_labels(PATHS, X=X)
    with pytest.raises(InvalidInput, match=r"the support of '1' is 1\.5; it must be from 0 to 1"):
        tree.with_support({"1": 1.5})
    with pytest.raises(KeyError, match="no node '9'"):
        tree.with_support({"9": 0.5})
    full = tree.with_support({"1": 0.5}, exact={"1": 0.25}, height={"1": 0.75})
    assert (full.node("1").support, full.node("1").exact, full.node("1").height) == (
        0.5,
        0.25,
        0.75,
    )
    with pytest.raises(InvalidInput, match=r"the height of '1' is -1; it must be from 0 to 1"):
        tree.with_support({}, height={"1": -1})


@pytest.mark.parametrize(
    ("paths", "arguments", "message"),
    [
        ([[0, 0], [1, 0]], {}, "items 0 and 1 share node 0 at level 2 but not its parent"),
        ([[0, 5], [1, 6], [1, 5]], {}, "items 0 and 2 share node 5 at level 2"),
        ([0, 1], {}, r"shape \(2,\); it must be \(n_items, n_levels\)"),
        (np.zeros((0, 2), int), {}, "at least one of each"),
        (np.zeros((2, 0), int), {}, "at least one of each"),
        (np.zeros((2, 256), int), {}, "paths has 256 levels; at most 255"),
        ([[0.0], [1.0]], {}, "dtype float64; it must hold whole numbers"),
        ([["a"], ["b"]], {}, "it must hold whole numbers"),
        ([[0, 1], [0]], {}, "paths could not be converted to an array .*inhomogeneous"),
        ([[0], [1]], {"names": ["a"]}, "names has 1 entries; it must have 2"),
        ([[0], [1]], {"names": "ab"}, "names is one string"),
        ([[0], [1]], {"feature_names": ["a"]}, "feature_names is given without X"),
        ([[0], [1]], {"X": [[1.0]]}, r"X has shape \(1, 1\); it must have shape \(2, n_features\)"),
        ([[0], [1]], {"X": [1.0, 2.0]}, r"X has shape \(2,\)"),
        ([[0], [1]], {"X": [[1.0], [np.nan]]}, r"X\[1, 0\] is nan; it must be finite"),
        ([[0], [1]], {"X": [["a"], ["b"]]}, "X has dtype <U1; it must hold numbers"),
        ([[0], [1]], {"X": [[1], [2]], "feature_names": []}, "feature_names has 0 entries"),
    ],
)
def test_invalid_input(paths: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Tree.from_labels(paths, **arguments)


def test_unknown_nodes_items_and_levels() -> None:
    tree = Tree.from_labels([[0], [1], [1]], names=["a", "b", "b"])
    with pytest.raises(KeyError, match="no node '3'; they go from 'root' to '2'"):
        tree.node("3")
    with pytest.raises(KeyError, match="no node '1'; the root is the only one"):
        Tree.from_labels([[0], [0]]).node("1")
    with pytest.raises(KeyError, match="no item is called 'c'"):
        tree.path_of("c")
    with pytest.raises(InvalidInput, match=r"2 items are called 'b'; give an index of \[1, 2\]"):
        tree.path_of("b")
    for index in (3, -4):
        with pytest.raises(IndexError, match="it must be below 3"):
            tree.path_of(index)
    for level in (-2, 2):
        with pytest.raises(InvalidInput, match="it must be a whole number from 0 to 1"):
            tree.labels_at(level)


def test_labels_of_every_width() -> None:
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        assert Tree.from_labels(PATHS.astype(dtype)) == Tree.from_labels(PATHS)
    huge = np.array([[2**64 - 1], [0], [2**64 - 1]], dtype=np.uint64)
    assert Tree.from_labels(huge).paths.tolist() == [[0], [1], [0]]


def test_the_labels_of_a_sampler() -> None:
    table = np.random.default_rng(0).normal(scale=4, size=(20, 2))
    sampler = Sampler(table, n_levels=3, base_cov=16.0, seed=1)
    sampler.sweep(50)
    tree = Tree.from_labels(sampler.paths, X=table)
    np.testing.assert_array_equal(tree.paths, sampler.paths)
    again = Sampler(table, n_levels=3, initial_paths=tree.paths, seed=1)
    np.testing.assert_array_equal(again.paths, sampler.paths)


def test_the_deepest_tree() -> None:
    tree = deepest()
    assert max(node.level for node in tree) == 255
    assert len(tree.path_of(-1)) == 256
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_fifty_thousand_items_make_a_tree() -> None:
    paths = many_labels(50_000, [30, 40, 10**6])
    tree = Tree.from_labels(paths)
    assert len(tree.leaves) > 49_000


def test_a_node_is_a_plain_value() -> None:
    node = Tree.from_labels(PATHS).node("1")
    sure = dataclasses.replace(node, support=0.5)
    assert isinstance(sure, Node)
    assert sure.support == 0.5
    assert sure != node
    assert hash(sure) == hash(node)
