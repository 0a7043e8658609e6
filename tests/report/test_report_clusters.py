"""A consensus tree in a browser: marked clusters, nodes hidden by support, and heights."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbhmc import RBHMC
from rbhmc.posterior.similarity import similarity
from report.conftest import Open
from report.test_report_file import read_data
from report.test_report_tree import line


@pytest.fixture
def page(open_page: Open, consensus_file: Path, width: int) -> Any:
    return open_page(consensus_file, width)


def lines(page: Any) -> list[str]:
    """Return the ids of the nodes in the list, in order."""
    labels = page.eval_on_selector_all(
        "#tree [aria-expanded]", "all => all.map(each => each.getAttribute('aria-label'))"
    )
    return [label.removeprefix("Node ").partition(",")[0] for label in labels]


def shown_ids(model: RBHMC, least: float) -> list[str]:
    """Return the ids that must be shown: clusters, and other nodes with enough support."""
    return [
        node.id
        for node in model.tree_.nodes[1:]
        if node.is_cluster
        or (not node.is_remainder and (node.support is None or node.support >= least))
    ]


def set_support(page: Any, value: int) -> None:
    page.locator("#min-support").fill(str(value))


def test_clusters_are_marked_in_both_views(page: Any, consensus: RBHMC) -> None:
    clusters = [node.id for node in consensus.tree_.clusters]
    assert page.locator("#tree .row:has(.mark) > .badge").all_inner_texts() == clusters
    assert page.locator("#tree .badge.cluster").all_inner_texts() == clusters
    labels = page.eval_on_selector_all(
        "#icicle .block.cluster", "all => all.map(each => each.getAttribute('aria-label'))"
    )
    assert [label.split()[1].rstrip(",") for label in labels] == clusters
    assert all(label.endswith(", cluster") for label in labels)
    assert "Outlined nodes are the clusters" in page.locator("#the-tree .lead").inner_text()
    line(page, clusters[0]).locator("> .row").hover()
    assert ", a cluster" in page.locator("#panel").inner_text()


def test_clusters_that_are_the_leaves_are_not_marked(open_page: Open, animals_file: Path) -> None:
    page = open_page(animals_file)
    assert page.locator(".mark:not(.verdict .mark), .badge.cluster, .block.cluster").count() == 0
    assert "cluster" not in page.locator("#the-tree .lead").inner_text()
    assert not page.locator("#by-height").is_visible()  # no heights are known


def test_the_items_of_a_remainder_are_directly_in_their_node(page: Any, consensus: RBHMC) -> None:
    tree = consensus.tree_
    rest = next(node for node in tree if node.is_remainder)
    parent = str(rest.parent)
    assert rest.id not in lines(page)
    direct = line(page, parent).locator("> ul > .direct .item").all_inner_texts()
    assert direct == [tree.names[item] for item in rest.items]
    page.click("#view-icicle")
    item = page.locator("#icicle .item", has_text=direct[0]).bounding_box()
    block = page.locator(f'#icicle .block[aria-label^="Node {parent},"]').bounding_box()
    assert item["x"] == pytest.approx(block["x"] + block["width"], abs=4)


@pytest.mark.parametrize("least", [40, 100])
def test_the_slider_hides_nodes_and_shows_them_again(
    page: Any, consensus: RBHMC, least: int
) -> None:
    tree = consensus.tree_
    everything = lines(page)
    assert everything[1:] == shown_ids(consensus, 0.0)
    set_support(page, least)
    expected = shown_ids(consensus, least / 100)
    assert lines(page)[1:] == expected
    assert {node.id for node in tree.clusters} <= set(expected)
    n_hidden = len(everything) - 1 - len(expected)
    text = f"{least}%: {n_hidden} node{'s' * (n_hidden != 1)} hidden"
    assert page.locator("#min-support-text").inner_text() == text
    assert page.locator("#tree .item").count() == 33
    blocks = page.locator("#icicle .block:not(.item):not([hidden])")
    assert blocks.count() == len(expected) + 1
    # The children of a hidden node are children of the node above it.
    for id in expected:
        above = [each for each in tree.path_of(int(tree.node(id).items[0])) if each in expected]
        assert line(page, id).get_attribute("aria-level") == str(above.index(id) + 2)
    set_support(page, 0)
    assert lines(page) == everything
    assert page.locator("#min-support-text").inner_text() == "0%: all nodes shown"


def test_closed_nodes_stay_closed(page: Any, consensus: RBHMC) -> None:
    cluster = consensus.tree_.clusters[0].id
    line(page, cluster).locator("> .row").click()
    set_support(page, 40)
    assert line(page, cluster).get_attribute("aria-expanded") == "false"
    assert page.locator('#tree [tabindex="0"]').count() == 1


def test_the_slider_works_by_keyboard(page: Any) -> None:
    page.locator("#min-support").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert page.locator("#min-support-text").inner_text().startswith("20%: ")
    page.keyboard.press("End")
    assert page.locator("#min-support-text").inner_text().startswith("100%: ")
    page.keyboard.press("Home")
    assert page.locator("#min-support-text").inner_text() == "0%: all nodes shown"


def test_a_search_finds_items_of_hidden_nodes(page: Any) -> None:
    page.fill("#search", "horse")
    set_support(page, 100)
    assert page.locator("#tree .match").all_inner_texts() == ["Horse"]
    page.locator("#search").press("Enter")
    assert page.locator("#tree .current").is_visible()
    page.click("#view-icicle")
    assert page.locator("#icicle .match").count() == 1


def test_a_zoom_leaves_a_node_that_is_hidden(page: Any, consensus: RBHMC) -> None:
    page.click("#view-icicle")
    hidden = next(id for id in shown_ids(consensus, 0.0) if id not in shown_ids(consensus, 1.0))
    page.locator(f'#icicle .block[aria-label^="Node {hidden},"]').click(position={"x": 4, "y": 4})
    assert page.locator("#breadcrumbs .badge").all_inner_texts()[-1] == hidden
    set_support(page, 100)
    assert hidden not in page.locator("#breadcrumbs .badge").all_inner_texts()
    assert page.locator("#icicle .block:visible").count() > 1


def test_nodes_are_placed_by_height(page: Any, consensus: RBHMC) -> None:
    button = page.locator("#by-height")
    assert button.get_attribute("aria-pressed") == "false"
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert page.locator("#height-scale").is_visible()
    nodes = [node for node in consensus.tree_.nodes if node.level == 2 and node.is_cluster]
    left = [line(page, node.id).locator("> .row").bounding_box()["x"] for node in nodes]
    heights = [node.height or 0.0 for node in nodes]
    assert np.corrcoef(left, heights)[0, 1] == pytest.approx(-1.0, abs=1e-3)
    text = f"height {nodes[0].height:.2f}"
    assert line(page, nodes[0].id).locator("> .row .height").inner_text() == text
    line(page, nodes[0].id).locator("> .row").hover()
    assert f"Formed at {text} of the dendrogram" in page.locator("#panel").inner_text()
    button.click()
    left = [line(page, node.id).locator("> .row").bounding_box()["x"] for node in nodes]
    assert len(set(left)) == 1


def test_the_page_is_not_wider_than_the_screen(page: Any, width: int) -> None:
    page.click("#by-height")
    for view in ("#view-tree", "#view-icicle"):
        page.click(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_one_map_serves_all_levels(consensus: RBHMC, consensus_file: Path) -> None:
    found = read_data(consensus_file)
    assert len(found["maps"]) == 1
    assert [row["map"] for row in found["levels"]] == [0, 0, 0, 0]
    names = ["the clusters", "level 1", "level 2", "level 3"]
    assert [row["name"] for row in found["levels"]] == names
    found_all = similarity(consensus.draws_, np.arange(33))
    shares = found_all.all / found_all.n_all
    items = consensus.labels_at(2) == consensus.labels_at(2)[0]
    items[0] = False
    assert found["levels"][2]["together"][0] == pytest.approx(shares[0, items].mean(), abs=1e-3)


def test_uncertain_items_are_ranked_by_ratio(open_page: Open, consensus_file: Path) -> None:
    page = open_page(consensus_file)
    shares = [float(text.rstrip("%")) for text in page.locator("#ranking .bar").all_inner_texts()]
    assert 0 < len(shares) <= 20
    assert shares == sorted(shares, reverse=True)
    assert "almost as similar" in page.locator("#uncertain .lead").inner_text()


def test_the_clusters_come_before_the_levels(page: Any, consensus: RBHMC) -> None:
    clusters = [node.id for node in consensus.tree_.clusters]
    output = page.locator("#levels output")
    assert output.inner_text() == "the clusters: 7 nodes"
    assert page.locator("#legend .badge").all_inner_texts() == clusters
    fills = page.eval_on_selector_all(".point", "all => all.map(e => e.getAttribute('fill'))")
    assert len(set(fills)) == 7
    slider = page.locator("#level-0")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert output.inner_text() == "1 of 3: 2 nodes"
    assert slider.get_attribute("aria-valuetext") == "level 1"
    page.locator("#tree .item", has_text="Horse").hover()
    text = page.locator("#panel").inner_text()
    assert "its cluster" in text
    assert "at level 3" in text


def test_the_summary_counts_clusters(open_page: Open, consensus_file: Path) -> None:
    summary = open_page(consensus_file).locator(".run-summary").inner_text()
    assert summary.split("Clusters")[1].split()[0] == "7"
