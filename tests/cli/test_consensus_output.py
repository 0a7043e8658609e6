"""What the command line writes of a consensus tree: clusters, and comparison with classes."""

import io
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster

from rbhmc import posterior
from rbhmc.cli.class_comparison import best_cut, compare_with_classes, format_measures
from rbhmc.cli.results import labels_csv, nodes_csv, tree_legend
from rbhmc.metrics import f_measure
from rbhmc.tree import Tree
from rbhmc.tree.node import SUPPORT_FIELDS
from tree.cases import NAMES, PATHS
from tree.consensus import consensus_tree

KINDS = np.arange(30) % 3


def make_model() -> Any:
    """Make what these functions need of a fitted model with a consensus tree."""
    rng = np.random.default_rng(0)
    noise = 0.2 * rng.random((30, 30))
    shares = 0.1 + 0.6 * (KINDS[:, None] == KINDS) + (noise + noise.T) / 2.0
    np.fill_diagonal(shares, 1.0)
    names = [f"thing {item}" for item in range(30)]
    tree, Z = consensus_tree(shares, 4, names, rng.normal(size=(30, 2)))
    draws = np.where(rng.random((20, 30)) < 0.2, rng.integers(0, 3, (20, 30)), KINDS)
    return as_model(tree, draws[:, :, None], dendrogram_=Z)


def as_model(tree: Tree, draws: Any, **attributes: Any) -> Any:
    """Give a tree of all items the attributes of a fitted model."""
    rows = {"items_": np.arange(tree.n_items), "leaves_": tree.leaf_labels}
    return SimpleNamespace(tree_=tree, draws_=draws, **rows, **attributes)


def test_labels_have_cluster_leaf_and_nodes() -> None:
    model = make_model()
    tree = model.tree_
    labels = pd.read_csv(io.StringIO(labels_csv(model, model.tree_.names)), dtype=str)
    nodes = ["node_1", "node_2", "node_3"]
    similarities = ["similarity", "next_cluster", "next_similarity"]
    assert list(labels) == ["item", "cluster", "leaf", *nodes, *similarities]
    assert labels["cluster"].tolist() == [tree.clusters[label].id for label in tree.labels]
    assert labels["leaf"].tolist() == [tree.leaves[label].id for label in tree.leaf_labels]
    for item in range(30):
        assert labels["cluster"][item] in tree.path_of(item)
        assert labels["node_3"][item] == labels["leaf"][item]


def test_labels_have_the_next_best_cluster() -> None:
    model = make_model()
    clusters = model.tree_.clusters
    labels = pd.read_csv(
        io.StringIO(labels_csv(model, model.tree_.names)),
        dtype={"cluster": str, "next_cluster": str},
    )
    found = posterior.group_similarity(model.draws_, clusters)
    assert labels["similarity"].tolist() == pytest.approx(found.own.tolist(), abs=1e-4)
    assert labels["next_cluster"].tolist() == [clusters[other].id for other in found.other]
    assert (labels["next_cluster"] != labels["cluster"]).all()
    expected = found.other_similarity.tolist()
    assert labels["next_similarity"].tolist() == pytest.approx(expected, abs=1e-4)


def test_one_cluster_has_no_next_best() -> None:
    tree = Tree.from_labels([[0], [0]])  # the root alone
    model = as_model(tree, [[[0], [0]], [[0], [1]]], dendrogram_=None)
    assert labels_csv(model, model.tree_.names).splitlines()[1] == "0,root,root,root,0.5000,,0.0000"


def test_nodes_have_marks_and_supports() -> None:
    tree = make_model().tree_
    known_supports = {
        name: {node.id: node.support for node in tree if not node.is_remainder}
        for name in SUPPORT_FIELDS[:-1]
    }
    tree = tree.with_support(
        **known_supports, effective_chains=dict.fromkeys(known_supports["support"], 8.0)
    )
    nodes = pd.read_csv(io.StringIO(nodes_csv(tree)), dtype={"id": str})
    for name in ("is_leaf", "is_cluster", "is_remainder"):
        assert nodes[name].tolist() == [getattr(node, name) for node in tree]
    for name in SUPPORT_FIELDS:
        known = {node.id: getattr(node, name) for node in tree if not node.is_remainder}
        found = nodes.set_index("id")[name].dropna().to_dict()
        assert found == pytest.approx(known, abs=1e-4)


def test_tables_without_features_are_written() -> None:
    tree = Tree.from_labels(PATHS, names=NAMES)
    first, second = nodes_csv(tree).splitlines()[:2]
    assert first.endswith(",effective_chains,description,items")
    assert second.startswith("root,,0,8,False,False,False,,,,,,,,8 items,eagle; owl;")


def test_the_legend_explains_what_is_shown() -> None:
    plain = Tree.from_labels(PATHS)
    marked = Tree.from_labels(PATHS, clusters=PATHS[:, 0])
    assert tree_legend(plain) == []
    assert [line[0] for line in tree_legend(plain.with_support({"1": 0.5}))] == ["A"]
    assert [line[0] for line in tree_legend(marked)] == ["●"]
    assert [line[0] for line in tree_legend(marked.with_support({"1": 0.5}))] == ["●", "A"]
    X = np.arange(8.0)[:, None]
    (described,) = tree_legend(Tree.from_labels(PATHS, X=X))
    assert described.startswith("A node is described by the columns that set it apart")
    assert tree_legend(Tree.from_labels(PATHS, X=X, names=NAMES)) == [described]


def test_clusters_and_the_best_cut_are_compared_with_classes() -> None:
    model = make_model()
    classes = [f"kind {kind}" for kind in KINDS]
    classes[5] = ""
    known = np.arange(30) != 5
    measures = compare_with_classes(model, classes)
    assert measures is not None
    assert measures["n_items"] == 29
    assert measures["best_cut"] == {"n_clusters": 3, "f_measure": 1.0}
    expected = f_measure(model.tree_.labels[known, None], KINDS[known])[0]
    assert measures["clusters"]["f_measure"] == expected < 1.0
    text = format_measures(measures, "kind")
    assert f"clusters: F-measure {expected:.3f}, adjusted Rand index" in text
    assert "F-measure of the best cut of the dendrogram, into 3 clusters: 1.000" in text
    assert compare_with_classes(model, None) is None


def test_a_dendrogram_of_a_sample_is_compared_on_the_sample() -> None:
    model = make_model()
    model.dendrogram_items_ = np.arange(0, 30, 2)
    model.dendrogram_ = Tree.from_labels(KINDS[model.dendrogram_items_, None]).to_linkage()
    measures = compare_with_classes(model, [str(kind) for kind in KINDS])
    assert measures is not None
    assert measures["best_cut"] == {"n_clusters": 3, "f_measure": 1.0}


def test_the_best_cut_is_the_best_of_all() -> None:
    model = make_model()
    rng = np.random.default_rng(1)
    classes = rng.choice(["a", "b", "c"], 30)
    found = best_cut(model.dendrogram_, classes)
    cuts = [fcluster(model.dendrogram_, k, "maxclust") for k in range(1, 31)]
    assert found is not None
    assert found["f_measure"] == max(f_measure(cut[:, None], classes)[0] for cut in cuts)
    assert best_cut(model.dendrogram_, np.full(30, "")) is None
    assert best_cut(np.empty((0, 4)), np.array(["a"])) is None


def test_of_many_levels_the_best_is_printed() -> None:
    measures = {
        "n_items": 9,
        "clusters": {"f_measure": 0.5, "ari": 0.25},
        "f_measure": [0.1, 0.2, 0.3, 0.9, 0.5, 0.4, 0.3],
        "dendrogram_purity": None,
    }
    assert format_measures(measures, "kind").splitlines()[2:] == [
        "  F-measure of the best level, 4: 0.900",
        "  dendrogram purity: undefined, since no two items share a class",
    ]
