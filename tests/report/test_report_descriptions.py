"""A report of items without names: nodes are described, and rows are not listed."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from rbhmc import RBHMC, Tree
from rbhmc.report import write_report
from rbhmc.report.page_data import node_rows
from rbhmc.report.sections import describe_columns, sibling_sections
from report.conftest import Open
from report.models import fit_model
from report.test_report_tree import line
from tree.consensus import with_consensus

COLUMNS = ["body mass (g)", "flipper_length_mm", "sex=female"]
TEXT_HEIGHT = """(() => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return range.getBoundingClientRect().height;
})()"""
PIXELS = Tree.from_labels([[0], [0], [1]], X=np.random.default_rng(0).random((3, 64)))


@pytest.fixture(scope="module")
def model() -> RBHMC:
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], [40, 30, 20])
    means = np.array([[3700.0, 190.0], [5100.0, 217.0], [3700.0, 230.0]])
    X = means[group] + rng.normal(size=(90, 2)) * [150.0, 4.0]
    female = rng.random(90) < 0.5
    frame = pandas.DataFrame(np.column_stack([X, female]), columns=COLUMNS)
    return fit_model(frame, n_warmup=40, n_draws=20)


@pytest.fixture(scope="module")
def file(model: RBHMC, tmp_path_factory: pytest.TempPathFactory) -> Path:
    supports = {node.id: 0.9 for node in model.tree_ if not node.is_remainder}
    model.tree_ = model.tree_.with_support(supports | {"2": 0.3})
    return write_report(model, tmp_path_factory.mktemp("unnamed") / "unnamed.html")


@pytest.fixture
def page(open_page: Open, file: Path, width: int) -> Any:
    return open_page(file, width)


def test_nodes_are_described_in_the_list(page: Any, model: RBHMC) -> None:
    described = model.tree_.describe()
    assert page.locator("#tree .preview").count() == 0
    for id in model.tree_.root.children:
        row = line(page, id).locator("> .row")
        assert row.locator(".traits").is_visible()
        assert row.locator(".traits span").all_inner_texts() == described[id].mentions
        assert described[id].mentions[0] in str(line(page, id).get_attribute("aria-label"))
    assert page.locator("#tree .item:visible").count() == 0


def test_a_search_shows_a_row(page: Any, model: RBHMC) -> None:
    page.fill("#search", "77")
    assert page.locator("#tree .current").is_visible()
    assert page.locator("#tree .current").inner_text() == "77"


def test_the_panel_lists_no_rows(page: Any) -> None:
    line(page, "1").locator("> .row").hover()
    assert "Node 1" in page.locator("#panel").inner_text()
    assert page.locator("#panel .sample").count() == 0


def test_uncertain_nodes_are_paler(page: Any) -> None:
    uncertain = page.locator("#tree .badge.uncertain")
    assert uncertain.all_inner_texts() == ["2"]
    assert page.locator("#icicle .block.uncertain").count() == 1
    color = "each => getComputedStyle(each).backgroundColor"
    full = line(page, "2").evaluate("each => each.style.getPropertyValue('--node')")
    page.evaluate("document.body.style.setProperty('background', 'white')")
    assert uncertain.evaluate(color) != full
    assert "Paler nodes have a support below 50%." in page.locator("#the-tree").inner_text()


def test_rows_of_nodes_have_descriptions(model: RBHMC) -> None:
    tree = model.tree_
    for row, (id, described) in zip(node_rows(tree), tree.describe().items(), strict=True):
        assert row["id"] == id
        assert row["mentions"] == described.mentions
        assert len(row["features"]) == len(described.features)


def test_pixels_are_not_compared() -> None:
    assert "columns of the table have no names" in sibling_sections(PIXELS)
    assert all(row["features"] == [] for row in node_rows(PIXELS))


def test_a_node_between_its_siblings_has_others_on_both_sides() -> None:
    group = np.repeat([0, 1, 2, 3], 2)
    X = 10.0 * np.minimum(group, 2)[:, None]
    in_remainder = group == 3
    tree = Tree.from_labels(
        group[:, None], X=X, clusters=np.zeros(8), in_remainder=in_remainder, feature_names=["mass"]
    )
    assert node_rows(tree)[2]["mentions"] == ["medium mass (10.0)"]
    assert node_rows(tree)[2]["features"] == [("mass", "10.0", "below, above")]
    html = sibling_sections(tree)
    assert html.count("<figure") == 3  # the remainder is no group, and is not compared
    assert html.count("below, above") == 1


def test_one_gap_is_one_gap() -> None:
    frame = pandas.DataFrame({"age": [None, 2.0, 3.0, 9.0], "size": [1.0, None, None, 7.0]})
    rows = describe_columns(fit_model(frame, n_warmup=5, n_draws=5))
    assert (rows["age"], rows["size"]) == ("feature, number, 1 gap", "feature, number, 2 gaps")


def test_descriptions_have_room_where_nodes_are_placed_by_height(
    open_page: Open, model: RBHMC, tmp_path: Path
) -> None:
    consensus = with_consensus(copy.copy(model), 4)
    page = open_page(write_report(consensus, tmp_path / "heights.html"))
    page.click("#open-all")
    page.click("#by-height")
    shown = page.locator("#tree .traits.alone:visible:not(:empty)").all()
    assert len(shown) >= 4
    for traits in shown:
        box = traits.bounding_box()
        assert box["width"] > 250
        assert box["height"] < 60  # two lines


def test_names_of_features_and_numbers_are_not_broken_on_a_phone(
    open_page: Open, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(4), 30)
    columns = ["Jahreseinkommen", "flipper_length_mm", "x"]
    means = np.array([[20_000, 1, 0], [40_000, 9, 0], [60_000, 1, 9], [80_000, 9, 9]])
    X = means[group] + rng.normal(size=(120, 3)) * [500.0, 0.3, 0.3]
    tree = Tree.from_labels(group[:, None], X=X, feature_names=columns)
    model = fit_model(pandas.DataFrame(X, columns=columns), n_warmup=20, n_draws=10)
    model.tree_ = tree
    page = open_page(write_report(model, tmp_path / "pairs.html"), 390)
    cells = page.locator("#siblings .pair tbody tr > *:not(:last-child)")
    texts = cells.all_inner_texts()
    assert "below, above" in texts
    assert set(columns) <= set(texts)
    heights = cells.evaluate_all(f"cells => cells.map(each => [each.innerText, {TEXT_HEIGHT}])")
    assert [text for text, height in heights if height > 30 and text != "below, above"] == []
