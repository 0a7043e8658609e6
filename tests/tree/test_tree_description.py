"""Descriptions of nodes: the features that set them apart, in the words and units of the table."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from rbhmc.posterior import compare_centroids
from rbhmc.tree import Tree
from rbhmc.tree.features import Features
from tree.cases import PROPERTY, trees

# Twelve penguins, of which two groups are like each other.
GROUP = np.repeat([0, 1, 2], [6, 4, 2])
MASS = np.array([3700.0, 5100.0, 3800.0])[GROUP] + np.tile([-50.0, 50.0], 6)
FLIPPER = np.array([190.0, 217.0, 190.0])[GROUP]
DEPTH = np.array([18.0, 15.0, 21.0])[GROUP]
FEMALE = (np.arange(12) % 6 != 0) & (GROUP == 0)
FRAME = {
    "body_mass_g": MASS,
    "flipper (mm)": FLIPPER,
    "bill depth [mm]": DEPTH,
    "sex=female": FEMALE.astype(float),
    "sex=male": 1.0 - FEMALE,
    "constant": np.full(12, 7.0),
}


def make_tree(columns: dict[str, Any] = FRAME, paths: Any = GROUP[:, None], **more: Any) -> Tree:
    X = np.stack([np.asarray(column, float) for column in columns.values()], axis=1)
    return Tree.from_labels(paths, X=X, feature_names=list(columns), **more)


def test_a_worked_example() -> None:
    described = make_tree().describe()
    assert list(described) == ["root", "1", "2", "3"]
    assert str(described["root"]) == "12 items"
    assert described["root"].features == ()
    assert str(described["1"]) == (
        "6 items: sex = female (5 of 6; others 0 of 6), low body_mass_g (3,700; others 4,667), "
        "medium bill depth (18.0 mm; others below and above)"
    )
    assert described["2"].mentions == [
        "high flipper (217 mm)",
        "high body_mass_g (5,100)",
        "low bill depth (15.0 mm)",
    ]
    # Of the two values of a column, the one that the items have.
    assert described["3"].mentions == [
        "high bill depth (21.0 mm)",
        "sex = male (all)",
        "low flipper (190 mm)",
    ]


def test_it_prints_as_a_table_within_a_terminal() -> None:
    lines = str(make_tree().describe()).splitlines()
    assert lines[0] == "root  12 items"
    assert lines[1].startswith("1     6 items: ")
    assert max(map(len, lines)) <= 80
    assert repr(make_tree().describe()) == "\n".join(lines)


def test_a_node_is_compared_with_the_rest_of_its_parent() -> None:
    paths = np.stack([np.minimum(GROUP, 1), GROUP], axis=1)
    tree = make_tree(paths=paths)
    described = tree.describe()
    for node in tree.nodes[1:]:
        parent = tree.node(str(node.parent))
        rest = np.setdiff1d(parent.items, node.items)
        assert described[node.id].n_others == len(rest)
        for feature in described[node.id].features:
            column = FRAME[feature.name]
            assert feature.mean == pytest.approx(column[node.items].mean())
            assert feature.other_mean == pytest.approx(column[rest].mean())
            difference = feature.mean - feature.other_mean
            assert feature.deviations == pytest.approx(difference / column.std())
        sizes = [feature.strength for feature in described[node.id].features]
        assert sizes == pytest.approx(sorted(sizes, reverse=True))
        others = tree.siblings_of(node.id)
        assert len(others) == 1  # so that nothing lies between
        compared = compare_centroids(tree, [node], others)
        assert [each.name for each in compared] == [f.name for f in described[node.id].features]


@pytest.mark.parametrize(
    ("n_with", "n_others_with", "count"),
    [
        (4, 0, "all"),
        (3, 0, "3 of 4"),
        (1, 0, "1 of 4"),
        (0, 6, "none"),
        (1, 6, "only 1 of 4"),
        (2, 6, "only 2 of 4"),
    ],
)
def test_yes_or_no(n_with: int, n_others_with: int, count: str) -> None:
    fins = np.concatenate([np.arange(4) < n_with, np.arange(6) < n_others_with])
    tree = make_tree({"fins": fins}, np.repeat([0, 1], [4, 6])[:, None])
    assert tree.describe()["2"].mentions == [f"fins ({count})"]
    described = f"4 items: fins ({count}; others {n_others_with} of 6)"
    assert str(tree.describe()["2"]) == described


def test_a_single_item() -> None:
    tree = make_tree({"fins": [1, 0, 0]}, [[0], [1], [1]])
    assert [tree.describe()[id].mentions for id in ("1", "2")] == [["fins (none)"], ["fins (yes)"]]
    assert str(make_tree({"fins": [0, 1, 1]}, [[0], [1], [1]])).endswith("1 item: fins (no)")


def test_a_group_between_two_others_is_medium() -> None:
    group = np.repeat([0, 1, 2], 4)
    tree = make_tree({"mass (kg)": 10.0 * group, "age": np.tile([3.0, 5.0], 6)}, group[:, None])
    described = tree.describe()
    assert [described[id].mentions for id in ("1", "2", "3")] == [
        ["low mass (0.0 kg)"],
        ["medium mass (10.0 kg)"],
        ["high mass (20.0 kg)"],
    ]
    assert str(described["2"]) == "4 items: medium mass (10.0 kg; others below and above)"
    feature = described["2"].features[0]
    assert feature.deviations == pytest.approx(0.0)
    assert feature.gap == feature.strength == pytest.approx(10.0 / np.std(10.0 * group))
    half = make_tree({"fins": np.repeat([0, 1, 0, 1], [4, 4, 2, 2])}, group[:, None])
    assert half.describe()["3"].mentions == ["fins (2 of 4)"]


def test_small_differences_are_not_mentioned() -> None:
    rng = np.random.default_rng(0)
    group = np.repeat([0.0, 1.0], 500)
    noise = rng.normal(size=(1000, 3))
    columns = {"a": noise[:, 0] + 5.0 * group, "b": noise[:, 1], "c": noise[:, 2] + 0.5 * group}
    tree = make_tree(columns, group.astype(int)[:, None])
    assert [text.split()[1] for text in tree.describe()["1"].mentions] == ["a"]
    tree = make_tree({"b": noise[:, 1]}, rng.integers(0, 2, 1000)[:, None])
    assert tree.describe()["1"].mentions == []


def test_pixels_are_not_mentioned_but_few_numbered_columns_are() -> None:
    X = np.random.default_rng(0).random((8, 64))
    paths = (np.arange(8) // 4)[:, None]
    assert str(Tree.from_labels(paths, X=X).describe()["1"]) == "4 items"
    assert str(Tree.from_labels(paths, X=X)) == "8 items\n├─ 0, 1, 2, 3\n└─ 4, 5, 6, 7"
    pixels = [f"pixel_{at // 8}_{at % 8}" for at in range(64)]
    assert not Tree.from_labels(paths, X=X, feature_names=pixels).describe()["1"].features
    few = Tree.from_labels(paths, X=X[:, :20])
    assert few.describe()["1"].mentions[0].split()[1].startswith("x")
    genes = [f"ENSG{at:09}" for at in range(1000, 1064)]
    assert Tree.from_labels(paths, X=X, feature_names=genes).describe()["1"].features


@pytest.mark.parametrize(
    ("names", "readable"),
    [
        ([f"V{at}" for at in range(1, 31)], False),
        ([*(f"V{at}" for at in range(1, 30)), "Amount"], True),
        ([str(year) for year in range(1990, 2020)], True),
        (["a"] * 30, True),
    ],
)
def test_many_columns_must_have_names(names: list[str], readable: bool) -> None:
    features = Features(tuple(names), np.ones(30), np.zeros(30, bool))
    assert features.are_readable is readable


def test_without_a_table_a_description_is_the_size() -> None:
    described = Tree.from_labels(GROUP[:, None], names=[f"n{at}" for at in range(12)]).describe()
    sizes = ["12 items", "6 items", "4 items", "2 items"]
    assert [str(each) for each in described.values()] == sizes


def test_items_without_names_are_described_in_print() -> None:
    assert str(make_tree().with_support({"2": 0.93})) == "\n".join(
        [
            "12 items",
            "├─ 6 items: sex = female (5 of 6), low body_mass_g (3,700),",
            "│  medium bill depth (18.0 mm)",
            "├─ 93% 4 items: high flipper (217 mm), high body_mass_g (5,100),",
            "│  low bill depth (15.0 mm)",
            "└─ 2 items: high bill depth (21.0 mm), sex = male (all), low flipper (190 mm)",
        ]
    )
    # As a command numbers the rows, from 1.
    from_one = make_tree(names=range(1, 13))
    assert str(from_one) == str(make_tree())
    assert not from_one.has_names
    named = make_tree(names=[f"n{at}" for at in range(12)])
    assert named.has_names
    assert str(named).splitlines()[-1] == "└─ n10, n11"


def test_named_leaves_too_long_to_list_are_described_in_print() -> None:
    paths = np.repeat([[0], [1]], [20, 3], axis=0)
    X = np.column_stack([paths[:, 0], np.arange(23) % 5])
    names = [f"house {number}" for number in range(23)]
    tree = Tree.from_labels(paths, names=names, X=X, feature_names=["size", "age"])
    lines = tree.to_text().splitlines()[1:]
    assert lines == ["├─ 20 items: size (none)", "└─ house 20, house 21, house 22"]
    assert "house 0, house 1" in tree.to_text(max_items=None)


def test_inner_nodes_and_remainders_are_described_in_print() -> None:
    paths = np.stack([np.minimum(GROUP, 1), GROUP], axis=1)
    tree = make_tree(paths=paths, clusters=paths[:, 0], in_remainder=GROUP == 2)
    assert str(tree).splitlines() == [
        "12 items",
        "├─ ● 6 items: sex = female (5 of 6), low body_mass_g (3,700),",
        "│  low flipper (190 mm)",
        "└─ ● 6 items: sex = male (all), high body_mass_g (4,667), high flipper (208 mm)",
        "   ├─ 4 items: low bill depth (15.0 mm), high flipper (217 mm),",
        "   │  high body_mass_g (5,100)",
        "   └─ 2 other items",
    ]
    assert tree.describe()["2.2"].features == ()
    # Items with names are listed at leaves; the nodes above them are described all the same.
    named = make_tree(paths=paths, names=[f"n{at}" for at in range(12)])
    assert str(named).splitlines()[:3] == [
        "12 items",
        "├─ n0, n1, n2, n3, n4, n5",
        "└─ 6 items: sex = male (all), high body_mass_g (4,667), high flipper (208 mm)",
    ]
    assert "sex = male (all)" in named.to_dot()


def test_odd_names_stay_on_one_line_and_short() -> None:
    tree = make_tree({"two\nlines" + 60 * "x": [0.0, 0.0, 9.0], "": [1, 0, 0]}, [[0], [0], [1]])
    assert str(tree).count("\n") == 2
    assert "two\\nlinesx" in str(tree)
    assert "…" in str(tree)
    assert max(map(len, str(tree).splitlines())) <= 80


def test_extreme_values() -> None:
    X = np.array([[1e308], [1.5e308], [-1e308], [-1.6e308], [1e308]])
    tree = Tree.from_labels([[0], [0], [1], [1], [2]], X=X)
    assert tree.describe()["1"].mentions == ["high x0 (1.25e+308)"]


@PROPERTY
@given(trees())
def test_every_tree_can_be_described(tree: Tree) -> None:
    described = tree.describe()
    assert list(described) == [node.id for node in tree]
    for node in tree:
        assert described[node.id].size == node.size
        assert len(described[node.id].mentions) <= 3
        assert len(str(described[node.id]).splitlines()) == 1
    assert not described["root"].features
    assert pickle.loads(pickle.dumps(tree)).describe() == described
    assert Tree.from_json(tree.to_json()).describe() == described
    assert json.loads(tree.to_json())["description"] == str(described["root"])
