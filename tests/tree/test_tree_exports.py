"""Exports: data frames, graphs, Newick, JSON and DOT."""

import importlib
import json
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from rbhmc import InvalidInput
from rbhmc._extras import require
from rbhmc.tree import Tree
from rbhmc.tree.node import SUPPORT_FIELDS
from tree.cases import NAMES, PATHS, PROPERTY, deepest, many_labels, trees

TREE = Tree.from_labels(PATHS, names=NAMES, X=np.arange(16.0).reshape(8, 2))
MARKED = Tree.from_labels(
    PATHS,
    names=NAMES,
    clusters=PATHS[:, 0],
    in_remainder=[name in ("robin", "finch", "wren") for name in NAMES],
)


def names_of(tree: Tree, items: Any) -> list[str]:
    return [tree.names[item] for item in items]


def parse_newick(text: str) -> Any:
    """Parse Newick by its grammar into nested (label, fields, children), without the library."""
    token = r"'((?:[^']|'')*)'(?:\[&&NHX((?::\w+=[\d.e+-]+)+)\])?|([(),;])"
    assert re.sub(token, "", text) == ""
    tokens = re.findall(token, text)
    levels: list[list[Any]] = [[]]
    closed: list[Any] | None = None
    for label, comment, mark in tokens:
        if mark == "(":
            levels.append([])
        elif mark == ")":
            closed = levels.pop()
        elif mark == "":
            pairs = [field.split("=") for field in comment.split(":")[1:]]
            fields = {name: float(value) for name, value in pairs}
            levels[-1].append((label.replace("''", "'"), fields, closed))
            closed = None
    assert tokens[-1] == ("", "", ";")
    assert sum(mark == ";" for *_, mark in tokens) == 1
    assert len(levels) == len(levels[0]) == 1
    return levels[0][0]


def check_newick(tree: Tree) -> None:
    stack = [(parse_newick(tree.to_newick()), "root")]
    n_nodes = 0
    while stack:
        (label, fields, parts), id = stack.pop()
        n_nodes += 1
        node = tree.node(id)
        assert label == id
        renamed = {"support": "transfer", "probability": "calibrated"}
        values = {renamed.get(name, name): getattr(node, name) for name in SUPPORT_FIELDS}
        known = {name: value for name, value in values.items() if value is not None}
        assert fields == pytest.approx(known, rel=1e-3)
        if node.is_leaf:
            assert parts == [(name, {}, None) for name in names_of(tree, node.items)]
            continue
        children = [tree.node(child) for child in node.children]
        groups = [child.id for child in children if not child.is_remainder]
        # The items of a remainder are tips directly below its parent.
        direct = [item for child in children if child.is_remainder for item in child.items]
        assert parts[len(groups) :] == [(name, {}, None) for name in names_of(tree, direct)]
        stack += zip(parts[: len(groups)], groups, strict=True)
    assert n_nodes == len(tree) - sum(node.is_remainder for node in tree)


def test_newick_of_a_worked_example() -> None:
    assert TREE.to_newick() == (
        "((('robin','finch','wren')'1.1',('eagle','owl')'1.2')'1',"
        "('salmon','trout')'2',('ant')'3')'root';"
    )
    assert MARKED.to_newick() == (
        "((('eagle','owl')'1.1','robin','finch','wren')'1',('salmon','trout')'2',('ant')'3')'root';"
    )
    assert Tree.from_labels([[0]], names=["it's\r\n"]).to_newick() == "('it''s\r\n')'root';"


def test_newick_names_each_support() -> None:
    tree = Tree.from_labels([[0], [0], [1]], names=["ant", "bee", "cat"])
    tree = tree.with_support({"root": 1.0, "1": 0.93}, exact={"1": 0.41234}, height={"1": 0.5})
    assert tree.to_newick() == (
        "(('ant','bee')'1'[&&NHX:transfer=0.93:exact=0.4123:height=0.5],('cat')'2')"
        "'root'[&&NHX:transfer=1];"
    )


@PROPERTY
@given(trees())
def test_newick_can_be_parsed_back(tree: Tree) -> None:
    check_newick(tree)


def test_newick_of_large_and_deep_trees() -> None:
    check_newick(deepest())
    check_newick(Tree.from_labels(many_labels(10_000, [10, 10, 10])))


@PROPERTY
@given(trees())
def test_json_reads_back_as_an_equal_tree(tree: Tree) -> None:
    text = tree.to_json()
    assert text.isascii()
    assert "\n" not in text
    assert Tree.from_json(text) == tree
    assert Tree.from_json(text.encode()).nodes == tree.nodes
    # The formatting of another program does not matter.
    assert Tree.from_json(json.dumps(json.loads(text), ensure_ascii=False, indent=1)) == tree


def test_json_of_a_worked_example() -> None:
    tree = Tree.from_labels([[0], [1], [1]], names=["a", "b", "c"], X=[[1.0], [2.0], [4.5]])
    expected = """\
{
  "name": "root",
  "id": "root",
  "level": 0,
  "size": 3,
  "description": "3 items",
  "rbhmc_tree": 3,
  "n_levels": 1,
  "feature_names": ["x0"],
  "feature_std": [1.5],
  "is_binary": [false],
  "centroid": [2.5],
  "children": [
    {
      "name": "1",
      "id": "1",
      "level": 1,
      "size": 2,
      "description": "2 items: high x0 (3.2; others 1.0)",
      "centroid": [3.25],
      "support": 0.5,
      "exact": 0.25,
      "height": 0.75,
      "is_cluster": true,
      "children": [
        {"name": "b", "item": 1},
        {"name": "c", "item": 2}
      ]
    },
    {
      "name": "2",
      "id": "2",
      "level": 1,
      "size": 1,
      "description": "1 item: low x0 (1.0; others 3.2)",
      "centroid": [1.0],
      "is_cluster": true,
      "children": [
        {"name": "a", "item": 0}
      ]
    }
  ]
}"""
    tree = tree.with_support({"1": 0.5}, exact={"1": 0.25}, height={"1": 0.75})
    assert tree.features is not None
    assert tree.features.std == pytest.approx(np.std([1.0, 2.0, 4.5]))
    std = {"feature_std": tree.features.std.tolist()}
    assert tree.to_json() == json.dumps(json.loads(expected) | std)


def test_json_marks_clusters_and_remainders() -> None:
    birds = json.loads(MARKED.to_json())["children"][0]
    assert birds["is_cluster"]
    assert "is_remainder" not in birds
    assert ["is_cluster" in child for child in birds["children"]] == [False, False]
    assert [child.get("is_remainder") for child in birds["children"]] == [None, True]


def test_siblings_in_another_order_are_the_same_tree() -> None:
    data = json.loads(TREE.with_support({"2": 0.5, "1.1": 0.25}).to_json())
    data["children"].reverse()
    data["children"][-1]["children"].reverse()
    marked = json.loads(MARKED.to_json())
    marked["children"][0]["children"].reverse()
    assert Tree.from_json(json.dumps(marked)) == MARKED
    assert Tree.from_json(json.dumps(data)) == TREE.with_support({"2": 0.5, "1.1": 0.25})


def test_json_of_large_and_deep_trees() -> None:
    for tree in (deepest(), Tree.from_labels(many_labels(10_000, [10, 10, 10]))):
        assert Tree.from_json(tree.to_json()) == tree


def edited_json(**fields: Any) -> str:
    return json.dumps(json.loads(TREE.to_json()) | fields)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[]", "not the JSON of a tree"),
        ('{"name": "flare", "children": []}', 'no "rbhmc_tree": 3 at the root'),
        ('{"rbhmc_tree": 3}', "KeyError"),
        (edited_json(rbhmc_tree=2), 'no "rbhmc_tree": 3'),
        (
            TREE.with_support({}, effective_chains={"1": 2.0}).to_json().replace("2.0", "0.5"),
            "the effective_chains of '1' is 0.5; it must be 1 at least",
        ),
        (edited_json(n_levels=0), "n_levels is 0; it must be from 1 to 255"),
        (edited_json(n_levels=10**9), "it must be from 1 to 255"),
        (edited_json(n_levels=1), "node '1.2' is at level 2, below level 1"),
        (edited_json(level=1), "is at level 1, below level 1"),
        (edited_json(level="0"), "TypeError"),
        (edited_json(children=[]), "at least one of each"),
        (edited_json(children=3), "TypeError"),
        (edited_json(children=[{"item": 1, "name": "a"}]), "are not numbered from 0 to 0"),
        (edited_json(children=[{"item": 0, "name": "a"}] * 2), "an item occurs twice in the tree"),
        (edited_json(children=[{"item": []}]), "TypeError"),
        (edited_json(feature_names=["a"]), "feature_names has 1 entries; it must have 2"),
        (
            edited_json(feature_std=[1.0]),
            r"feature_std has shape \(1,\); it must have shape \(2,\)",
        ),
        (edited_json(feature_std=None), "feature_std"),
        (edited_json(is_binary=[True]), "true or false for each of the 2 features"),
        (edited_json(is_binary=[0, 1]), "true or false for each of the 2 features"),
        (edited_json(centroid=[1.0]), "centroid could not be converted to an array"),
        (edited_json(centroid=[1.0, float("inf")]), "it must be finite"),
        (edited_json(support=2), "it must be from 0 to 1"),
        (edited_json(support="high"), "TypeError"),
        (edited_json(height=-0.5), "the height of 'root' is -0.5; it must be from 0 to 1"),
        (edited_json(is_cluster=True), "item 0 is in 2 clusters; it must be in exactly one"),
        (edited_json(is_cluster=1), "is_cluster of 'root' is 1; it must be true or false"),
        (edited_json(is_remainder=True), "node 'root' is a remainder with children"),
        (TREE.to_json().replace('"is_cluster"', '"x"'), "item 0 is in 0 clusters"),
    ],
)
def test_invalid_json(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Tree.from_json(text)


def test_the_frame_of_a_worked_example() -> None:
    frame = TREE.with_support({"1": 0.5}).to_pandas()
    assert list(frame.columns) == [
        *["id", "parent", "level", "size", "is_leaf", "is_cluster", "is_remainder"],
        *["support", "exact", "height", "chain_share", "probability", "support_error"],
        *["effective_chains", "description", "items", "x0", "x1"],
    ]
    assert frame["id"].tolist() == ["root", "1", "1.1", "1.2", "2", "3"]
    assert frame["parent"].isna().tolist() == [True] + [False] * 5
    assert frame["parent"].tolist()[1:] == ["root", "1", "1", "root", "root"]
    assert frame["level"].tolist() == [0, 1, 2, 2, 1, 1]
    assert frame["size"].tolist() == [8, 5, 3, 2, 2, 1]
    assert frame["is_leaf"].tolist() == [False, False, True, True, True, True]
    assert frame["is_cluster"].tolist() == frame["is_leaf"].tolist()
    assert not frame["is_remainder"].any()
    assert frame["support"].dtype == frame["exact"].dtype == frame["height"].dtype == np.float64
    assert frame["support"].dropna().to_dict() == {1: 0.5}
    assert frame["items"][3] == ["eagle", "owl"]
    assert frame["description"].tolist() == [str(each) for each in TREE.describe().values()]
    np.testing.assert_array_equal(frame[["x0", "x1"]], [node.centroid for node in TREE])


def test_frames_and_graphs_have_the_marks() -> None:
    frame, graph = MARKED.to_pandas(), MARKED.to_networkx()
    for name in ("is_leaf", "is_cluster", "is_remainder"):
        flags = [getattr(node, name) for node in MARKED]
        assert frame[name].tolist() == flags
        assert [graph.nodes[node.id][name] for node in MARKED] == flags


def test_dot_draws_clusters_bold_and_remainders_dashed() -> None:
    styles = re.findall(r'^  "([\w.]+)" \[.* style=(\w+)\];$', MARKED.to_dot(), flags=re.M)
    assert styles == [("1", "bold"), ("1.2", "dashed"), ("2", "bold"), ("3", "bold")]
    assert "style" not in TREE.to_dot()


def test_features_with_the_names_of_columns() -> None:
    tree = Tree.from_labels([[0]], X=[[1.0, 2.0, 3.0]], feature_names=["size", "a", "a"])
    assert list(tree.to_pandas().columns[-3:]) == ["centroid size", "a", "a"]


@PROPERTY
@given(trees())
def test_frames_and_graphs_contain_the_nodes(tree: Tree) -> None:
    frame, graph = tree.to_pandas(), tree.to_networkx()
    n_features = len(tree.feature_names or ())
    assert frame.shape == (len(tree), 16 + n_features)
    assert frame["items"].tolist() == [names_of(tree, node.items) for node in tree]
    assert list(graph.nodes) == [node.id for node in tree]
    assert {(a, b) for a, b in graph.edges} == {(n.parent, n.id) for n in tree if n.parent}
    for node in tree:
        assert list(graph.successors(node.id)) == list(node.children)


def test_the_graph_of_a_worked_example() -> None:
    networkx = importlib.import_module("networkx")
    graph = TREE.to_networkx()
    assert networkx.is_arborescence(graph)
    assert graph.nodes["2"] == {
        "level": 1,
        "size": 2,
        "is_leaf": True,
        "is_cluster": True,
        "is_remainder": False,
        "items": (3, 5),
        "names": ("salmon", "trout"),
        "centroid": {"x0": 8.0, "x1": 9.0},
        "description": str(TREE.describe()["2"]),
    }
    # Unknown values are left out.
    assert "centroid" not in Tree.from_labels(PATHS).to_networkx().nodes["2"]


@PROPERTY
@given(trees())
def test_dot_shows_names_or_descriptions(tree: Tree) -> None:
    string = r'"((?:[^"\\]|\\.)*)"'
    text = tree.to_dot()
    style = r"(?: style=(?:bold|dashed))?"
    labels = dict(re.findall(rf"^  {string} \[label={string}{style}\];$", text, flags=re.M | re.S))
    assert list(labels) == [node.id for node in tree]
    meaning = {"\\n": "\n", '\\"': '"', "\\\\": "\\", "&amp;": "&"}
    for leaf in tree.leaves:
        shown = re.sub(r"\\.|&amp;", lambda found: meaning[found[0]], labels[leaf.id], flags=re.S)
        if tree.has_names:
            assert shown == "\n".join(names_of(tree, leaf.items))
        elif tree.features is not None:
            assert shown.startswith(tree.describe()[leaf.id].count)
    edges = [(node.parent, node.id) for node in tree if node.parent]
    assert re.findall(r'^  "([\w.]+)" -> "([\w.]+)";$', text, flags=re.M) == edges


@pytest.mark.parametrize(
    ("module", "extra", "method"),
    [("pandas", "frames", "to_pandas"), ("networkx", "graphs", "to_networkx")],
)
def test_a_missing_extra_is_named(
    module: str, extra: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf'{module}: pip install "rbhmc\[{extra}\]"') as caught:
        getattr(TREE, method)()
    assert caught.value.name == module


def test_a_submodule_is_imported_and_its_package_named() -> None:
    assert require("xml.dom", "graphs").__name__ == "xml.dom"
    with pytest.raises(ImportError, match=r'needs no_such: pip install "rbhmc\[graphs\]"'):
        require("no_such.part", "graphs")


def test_trees_work_without_the_extras() -> None:
    # sys.modules does not tell: scikit-learn imports pandas if it is installed.
    code = (
        "import sys; sys.modules |= {'pandas': None, 'networkx': None}; import rbhmc.tree;"
        "tree = rbhmc.tree.Tree.from_labels([[0], [1]], X=[[1.0], [2.0]]);"
        "tree.to_json(), tree.to_newick(), tree.to_dot(), tree.to_linkage(), str(tree)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
