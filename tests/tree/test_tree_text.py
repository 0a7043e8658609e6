"""The printed tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbhmc import InvalidInput
from rbhmc.tree import Tree
from rbhmc.tree.description import lists_items
from tree.cases import NAMES, PATHS, PROPERTY, deepest, trees

TREE = Tree.from_labels(PATHS, names=NAMES)


def test_a_worked_example() -> None:
    assert str(TREE) == "\n".join(
        [
            "8 items",
            "├─ 5 items",
            "│  ├─ robin, finch, wren",
            "│  └─ eagle, owl",
            "├─ salmon, trout",
            "└─ ant",
        ]
    )


def test_lower_levels_are_left_out() -> None:
    assert TREE.to_text(max_level=1).splitlines() == [
        "8 items",
        "├─ 5 items in 2 clusters",
        "├─ salmon, trout",
        "└─ ant",
    ]
    assert TREE.to_text(max_level=2) == str(TREE)


def test_a_cluster_whose_nested_groups_are_left_out_keeps_its_mark() -> None:
    tree = Tree.from_labels(PATHS, names=NAMES, clusters=PATHS[:, 0])
    assert tree.to_text(max_level=1).splitlines()[1] == "├─ ● 5 items"


def test_one_group() -> None:
    assert str(Tree.from_labels([[0], [0]], names=["ant", "bee"])) == "2 items\n└─ ant, bee"
    assert str(Tree.from_labels([[0]])) == "1 item\n└─ 0"


def test_long_leaves_are_wrapped_between_names() -> None:
    assert TREE.to_text(width=15) == "\n".join(
        [
            "8 items",
            "├─ 5 items",
            "│  ├─ robin,",
            "│  │  finch,",
            "│  │  wren",
            "│  └─ eagle,",
            "│     owl",
            "├─ salmon,",
            "│  trout",
            "└─ ant",
        ]
    )
    # The comma at the end of a line counts: "│  ├─ robin, finch," has 19 characters.
    assert "robin, finch,\n" in TREE.to_text(width=19)
    assert "robin,\n" in TREE.to_text(width=18)


def test_the_default_width_is_that_of_a_terminal() -> None:
    tree = Tree.from_labels(np.zeros((200, 1), int), names=[f"n{item}" for item in range(200)])
    lines = tree.to_text(max_items=None).splitlines()
    assert 75 < max(map(len, lines)) <= 80
    assert len(tree.to_text(max_items=None, width=None).splitlines()) == 2


def test_twelve_names_are_shown_by_default() -> None:
    tree = Tree.from_labels(np.zeros((200, 1), int), names=[f"n{item}" for item in range(200)])
    assert str(tree).splitlines()[-1].endswith("n10, n11, +188 more")


def test_large_leaves_are_truncated() -> None:
    assert TREE.to_text(max_items=1) == "\n".join(
        [
            "8 items",
            "├─ 5 items",
            "│  ├─ robin, +2 more",
            "│  └─ eagle, +1 more",
            "├─ salmon, +1 more",
            "└─ ant",
        ]
    )
    assert TREE.to_text(max_items=3) == str(TREE)


def test_clusters_are_marked_and_remainders_have_no_percentage() -> None:
    in_remainder = [name in ("robin", "finch", "wren") for name in NAMES]
    tree = Tree.from_labels(PATHS, names=NAMES, clusters=PATHS[:, 0], in_remainder=in_remainder)
    tree = tree.with_support({"1": 0.94, "1.1": 0.81, "2": 0.5})
    assert str(tree) == "\n".join(
        [
            "8 items",
            "├─ ● 94% 5 items",
            "│  ├─ 81% eagle, owl",
            "│  └─ robin, finch, wren",
            "├─ ● 50% salmon, trout",
            "└─ ● ant",
        ]
    )
    assert "●" not in str(TREE.with_support({"1": 0.94}))
    one = Tree.from_labels(PATHS, names=NAMES, clusters=np.zeros(8, int))
    assert str(one).startswith("● 8 items\n├─ 5 items\n")


def test_many_items_without_names_are_counted() -> None:
    tree = Tree.from_labels(np.repeat([0, 1, 2], [1200, 9, 8])[:, None]).with_support({"1": 0.5})
    assert tree.to_text(width=None).splitlines() == [
        "1,217 items",
        "├─ 50% 1,200 items",
        "├─ 9 items",
        "└─ 1209, 1210, 1211, 1212, 1213, 1214, 1215, 1216",
    ]
    assert tree.to_text(max_items=3).splitlines()[-1] == "└─ 1209, 1210, 1211, +5 more"
    assert str(Tree.from_labels(np.zeros((9, 1), int))) == "9 items"


def test_names_stay_on_one_line() -> None:
    strange = ["a\nb", "tab\t", "\x1b[31mred", "漢字 😀", "par\u2029agraph"]
    tree = Tree.from_labels(np.arange(5)[:, None], names=strange)
    assert str(tree).splitlines()[1:] == [
        "├─ a\\nb",
        "├─ tab\\t",
        "├─ \\x1b[31mred",
        "├─ 漢字 😀",
        "└─ par\\u2029agraph",
    ]


@PROPERTY
@given(trees(), st.integers(1, 120), st.none() | st.integers(1, 5))
def test_lines_respect_the_width(tree: Tree, width: int, max_items: int | None) -> None:
    for line in tree.to_text(width=width, max_items=max_items).splitlines():
        names = (*tree.names, *(tree.feature_names or ()))
        assert len(line) <= width or ", " not in line or any(", " in name for name in names)


@PROPERTY
@given(trees())
def test_each_node_has_a_line(tree: Tree) -> None:
    lines = tree.to_text(width=None).splitlines()
    assert len(lines) == len(tree) + lists_items(tree, tree.root)


def test_the_deepest_tree() -> None:
    lines = str(deepest()).splitlines()
    assert max(map(len, lines)) > 3 * 255


def test_invalid_arguments() -> None:
    with pytest.raises(InvalidInput, match="max_items is 0; it must be at least 1, or None"):
        TREE.to_text(max_items=0)
    with pytest.raises(InvalidInput, match="width is 0; it must be at least 1, or None"):
        TREE.to_text(width=0)
    with pytest.raises(InvalidInput, match="max_level is 0; it must be at least 1, or None"):
        TREE.to_text(max_level=0)
