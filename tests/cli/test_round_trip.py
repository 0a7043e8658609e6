"""From a table to a run folder and its exports, in real processes."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster
from sklearn.metrics import adjusted_rand_score

from cli.cases import QUICK, invoke, run_process, table, write_table
from rbhmc import RBHMC, Draws, Tree, fitted_model
from rbhmc.cli.run import Run
from rbhmc.diagnostics import diagnose
from rbhmc.metrics import co_occurrence, f_measure
from rbhmc.posterior.similarity import similarity
from rbhmc.tree.node import SUPPORT_FIELDS

FILES = {"config.json", "checkpoints", "labels.csv", "nodes.csv", "tree.nwk"}
FILES |= {"tree.json", "summary.txt", "report.html"}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table and a run of it, made by a process."""
    folder = tmp_path_factory.mktemp("work")
    write_table(folder / "things.csv")
    done = run_process("fit", "things.csv", "--class-column", "kind", *QUICK, cwd=folder)
    assert "items are named by 'name'" in done.stderr
    assert "15 items x 4 features" in done.stderr
    assert "15 items\n├─" in done.stdout
    assert "Compared with the classes in 'kind' (15 items):" in done.stdout
    assert "runs/things/report.html" in done.stdout
    assert max(len(line) for line in done.stderr.splitlines()) <= 80
    return folder


@pytest.fixture(scope="module")
def model() -> RBHMC:
    """The same model, made here."""
    return fitted(n_draws=40)


def fitted(n_draws: int) -> RBHMC:
    settings: dict[str, Any] = {"n_chains": 2, "n_warmup": 60, "n_draws": n_draws, "thin": 2}
    X = table().set_index("name").drop(columns="kind")
    return RBHMC(**settings, n_levels=2, random_state=3).fit(X)


def assert_same_run(run: Path, model: RBHMC) -> None:
    draws = Run.open(run).load_draws()
    assert np.array_equal(draws.paths, model.draws_.paths)
    assert np.array_equal(draws.rcdll, model.draws_.rcdll)
    assert Tree.from_json((run / "tree.json").read_text()) == model.tree_
    assert (run / "tree.nwk").read_text() == model.tree_.to_newick() + "\n"
    assert model.summary() in (run / "summary.txt").read_text(encoding="utf-8")


def test_the_run_folder(work: Path, model: RBHMC) -> None:
    run = work / "runs" / "things"
    assert {file.name for file in run.iterdir()} == FILES
    assert_same_run(run, model)
    config = json.loads((run / "config.json").read_text())
    data = config["data"]
    assert data["file"] == str(work / "things.csv")
    assert (data["id_column"], data["class_column"]) == ("name", "kind")
    assert data["features"] == ["mass", "length", "age", "x y"]
    assert config["settings"]["n_levels"] == 2
    assert config["settings"]["random_state"] == 3
    assert config["settings"]["noise_cov"] == "auto"
    assert config["settings"]["select"] == "consensus"
    assert config["result"]["chains"] == [0, 1]
    expected = f_measure(model.tree_.paths, table()["kind"])
    measures = config["result"]["measures"]
    assert measures["f_measure"] == expected.tolist()
    kinds = np.unique(table()["kind"], return_inverse=True)[1]
    assert measures["clusters"]["ari"] == pytest.approx(adjusted_rand_score(kinds, model.labels_))
    clusters = f_measure(model.labels_[:, None], kinds)[0]
    assert measures["clusters"]["f_measure"] == clusters
    assert "dendrogram purity" in (run / "summary.txt").read_text(encoding="utf-8")
    assert (run / "checkpoints" / "run.json").exists()
    assert not list(run.glob("**/*.tmp"))


def test_a_fit_diagnoses_its_draws_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def count(*arguments: Any) -> Any:
        calls.append(arguments)
        return diagnose(*arguments)

    monkeypatch.setattr(fitted_model, "diagnose", count)
    data = write_table(tmp_path / "things.csv")
    invoke("fit", data, "--drop", "kind", *QUICK, "-o", tmp_path / "run")
    assert len(calls) == 1


def test_labels_and_nodes(work: Path, model: RBHMC) -> None:
    run, tree = work / "runs" / "things", model.tree_
    ids = ["cluster", "leaf", "next_cluster", *(f"node_{n + 1}" for n in range(tree.n_levels))]
    labels = pd.read_csv(run / "labels.csv", dtype=dict.fromkeys(ids, str))
    assert labels["item"].tolist() == list(tree.names)
    assert labels["cluster"].tolist() == [tree.clusters[label].id for label in tree.labels]
    assert labels["leaf"].tolist() == [tree.leaves[leaf].id for leaf in tree.leaf_labels]
    for level in range(1, tree.n_levels + 1):
        nodes = labels[f"node_{level}"].to_numpy()
        for item in range(15):
            assert nodes[item] in tree.path_of(item)
            same = tree.labels_at(level) == tree.labels_at(level)[item]
            assert ((nodes == nodes[item]) == same).all()
    found = similarity(model.draws_, np.arange(15))
    for item in range(15):
        shares = found.all[item] / found.n_all
        same = model.labels_ == model.labels_[item]
        expected = (shares[same].sum() - 1) / (same.sum() - 1)
        assert labels["similarity"][item] == pytest.approx(expected, abs=1e-4)
        others = {node.id: shares[node.items].mean() for node in tree.clusters}
        del others[labels["cluster"][item]]
        assert labels["next_similarity"][item] == pytest.approx(max(others.values()), abs=1e-4)
        assert others[labels["next_cluster"][item]] == max(others.values())
    nodes = pd.read_csv(run / "nodes.csv", dtype={"id": str, "parent": str})
    assert nodes["id"].tolist() == [node.id for node in tree.nodes]
    assert nodes["size"].tolist() == [node.size for node in tree.nodes]
    assert nodes["parent"].fillna("").tolist() == [node.parent or "" for node in tree.nodes]
    assert nodes.columns.tolist() == [
        *["id", "parent", "level", "size", "is_leaf", "is_cluster", "is_remainder"],
        *["support", "exact", "height", "chain_share", "probability", "support_error"],
        *["effective_chains", "description", "items", "mass", "length", "age", "x y"],
    ]
    assert nodes["is_cluster"].tolist() == [node.is_cluster for node in tree.nodes]
    assert nodes["description"].tolist() == [str(each) for each in tree.describe().values()]
    for node, mass in zip(tree.nodes, nodes["mass"], strict=True):
        assert node.centroid is not None
        assert mass == pytest.approx(node.centroid[0], rel=1e-6)
    for name in SUPPORT_FIELDS:
        shares = [getattr(node, name) for node in tree.nodes]
        assert nodes[name].tolist() == pytest.approx(shares, abs=1e-4)


def test_labels_of_a_selected_draw_have_a_share_at_each_level(tmp_path: Path) -> None:
    data = write_table(tmp_path / "things.csv")
    options = ["--drop", "kind", *QUICK, "--select", "vi", "-o", tmp_path / "run"]
    invoke("fit", data, *options)
    run = Run.open(tmp_path / "run")
    model = run.restore_model(run.read_table())
    tree = model.tree_
    labels = pd.read_csv(run.path / "labels.csv")
    assert tree.n_levels == 2
    for level in (1, 2):
        together = co_occurrence(model.draws_, level)
        for item in range(15):
            same = tree.labels_at(level) == tree.labels_at(level)[item]
            if same.sum() > 1:
                expected = (together[item][same].sum() - 1) / (same.sum() - 1)
                assert labels[f"coclustering_{level}"][item] == pytest.approx(expected, abs=1e-4)


def test_every_format_can_be_read(work: Path, model: RBHMC) -> None:
    tree, texts = model.tree_, {}
    for form in ("newick", "dot", "json", "csv", "linkage", "graphml"):
        file = work / f"tree.{form}"
        done = invoke("export", work / "runs" / "things", "--format", form, "-o", file)
        assert done.stdout == f"Written to {file}\n"
        texts[form] = file.read_text(encoding="utf-8")
    to_output = run_process("export", "runs/things", "-f", "json", cwd=work).stdout
    assert to_output == texts["json"]
    assert texts["newick"] == tree.to_newick() + "\n"
    assert Tree.from_json(texts["json"]) == tree
    edges = re.findall(r'"(\S+)" -> "(\S+)";', texts["dot"])
    assert edges == [(node.parent, node.id) for node in tree.nodes if node.parent]
    nodes = pd.read_csv(work / "tree.csv", dtype={"id": str})
    assert nodes["id"].tolist() == [node.id for node in tree.nodes]
    assert nodes["items"][0].split("; ") == list(tree.names)
    np.testing.assert_allclose(nodes["x y"], [node.centroid[3] for node in tree.nodes])  # type: ignore[index]
    Z = np.loadtxt(work / "tree.linkage", delimiter=",", skiprows=1)
    assert np.array_equal(Z, tree.to_linkage())
    assert len(set(fcluster(Z, tree.n_levels, "distance"))) == len(set(tree.labels_at(1)))
    graph = nx.read_graphml(work / "tree.graphml")
    assert set(graph.edges) == set(tree.to_networkx().edges)
    leaf = tree.leaves[0]
    assert graph.nodes[leaf.id]["size"] == leaf.size
    assert graph.nodes[leaf.id]["names"].split("; ") == [tree.names[i] for i in leaf.items]
    assert graph.nodes[leaf.id]["centroid mass"] == leaf.centroid[0]  # type: ignore[index]


def test_draws_are_exported_to_a_file(work: Path, model: RBHMC) -> None:
    run, file = work / "runs" / "things", work / "draws.zarr.zip"
    invoke("export", run, "--format", "draws", "-o", file)
    assert np.array_equal(Draws.load(file).paths, model.draws_.paths)
    assert "give -o FILE" in invoke("export", run, "--format", "draws", code=2).stderr


def test_predict_matches_columns_by_name(work: Path, model: RBHMC) -> None:
    new = table().iloc[[3, 8, 13, 0]].drop(columns="kind")
    new.loc[0, ["mass", "length"]] = [400.0, -300.0]
    new = new.assign(colour="red")[["x y", "colour", "age", "name", "length", "mass"]]
    new.to_csv(work / "new.csv", index=False)
    done = run_process("predict", "runs/things", "new.csv", "-o", "places.csv", cwd=work)
    assert "1 column of new.csv unknown to the run and ignored: colour" in done.stderr
    places = pd.read_csv(work / "places.csv", dtype={"cluster": str, "leaf": str})
    assert list(places) == ["item", "cluster", "leaf", "probability", "new_branch"]
    X = new.set_index("name")[["mass", "length", "age", "x y"]]
    expected = model.predict_path_proba(X)
    assert places["item"].tolist() == ["thing 3", "thing 8", "thing 13", "thing 0"]
    tree = model.tree_
    clusters = [tree.clusters[label].id for label in model.predict(X)]
    assert places["cluster"].tolist() == clusters
    # Items of the table are where they are.
    own = [tree.leaves[tree.leaf_labels[item]].id for item in (3, 8, 13)]
    assert places["leaf"].tolist()[:3] == own
    columns = [model.path_columns_.index(leaf) for leaf in places["leaf"]]
    probability = expected[np.arange(4), columns].tolist()
    assert places["probability"].tolist() == pytest.approx(probability, abs=1e-4)
    assert places["new_branch"].tolist() == pytest.approx(expected[:, -1].tolist(), abs=1e-4)
    strangers = [
        name for name, p in zip(places["item"], places["new_branch"], strict=True) if p > 0.5
    ]
    assert all(name in done.stderr for name in strangers)

    new.drop(columns=["age", "mass"]).to_csv(work / "short.csv", index=False)
    done = invoke("predict", work / "runs" / "things", work / "short.csv", code=1)
    assert "lacks 2 columns of the 4 that the run was fitted on: mass, age" in " ".join(
        done.stderr.split()
    )


def test_the_report_is_written_again(work: Path) -> None:
    pytest.importorskip("rbhmc.report")
    before = (work / "runs" / "things" / "report.html").read_bytes()
    done = invoke("report", work / "runs" / "things", "-o", work / "again.html")
    assert f"Written to {work / 'again.html'}" in done.stdout
    assert (work / "again.html").read_bytes() == before
    assert b"thing 7" in before


def test_a_request_for_more_draws_changes_no_results(
    work: Path, tmp_path: Path, model: RBHMC
) -> None:
    run = shutil.copytree(work / "runs" / "things", tmp_path / "copy")
    config = json.loads((run / "config.json").read_text())
    config["settings"]["n_draws"] = 10**9
    (run / "config.json").write_text(json.dumps(config))
    opened = Run.open(run)
    again = opened.restore_model(opened.read_table())
    assert np.array_equal(again.draws_.paths, model.draws_.paths)


def test_added_draws_equal_those_of_a_longer_run(work: Path, tmp_path: Path) -> None:
    # The run finds its data after both were moved together.
    moved = tmp_path / "moved"
    (moved / "runs").mkdir(parents=True)
    write_table(moved / "things.csv")
    settings = [word if word != "40" else "25" for word in QUICK]
    run = moved / "runs" / "things"
    invoke("fit", moved / "things.csv", "--class-column", "kind", *settings, "-o", run)
    assert json.loads((moved / "runs/things/config.json").read_text())["result"]["n_draws"] == 25
    there = moved.rename(tmp_path / "there")
    run = there / "runs" / "things"
    run_process("fit", "--resume", run, "--n-draws", 55, "--no-progress", cwd=there)
    assert_same_run(run, fitted(n_draws=55))

    # If only the data are moved, --data tells the run where they are.
    elsewhere = (there / "things.csv").rename(tmp_path / "else.csv")
    done = invoke("fit", "--resume", run, code=1)
    for place in (there, moved):
        assert str(place / "things.csv") in done.stderr
    assert "The run is complete" not in done.stderr
    assert "--data FILE" in done.stderr
    done = invoke("fit", "--resume", run, "--data", elsewhere, "--no-progress")
    assert "The run is complete, with 55 draws per chain" in " ".join(done.stderr.split())
    assert_same_run(run, fitted(n_draws=55))
    assert json.loads((run / "config.json").read_text())["data"]["file"] == str(elsewhere)
    elsewhere.write_text(elsewhere.read_text().replace("cow", "cat"))
    done = invoke("predict", run, elsewhere, code=1)
    assert "the SHA-256 is not the same" in " ".join(done.stderr.split())
