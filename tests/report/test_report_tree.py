"""The tree in a browser: it opens and closes, can be searched, and works by keyboard alone."""

from pathlib import Path
from typing import Any

import pytest

from rbhmc import RBHMC
from report.conftest import Open


@pytest.fixture
def page(open_page: Open, animals_file: Path, width: int) -> Any:
    return open_page(animals_file, width)


def line(page: Any, id: str) -> Any:
    return page.locator(f'#tree [role="treeitem"][aria-label^="Node {id},"]')


def item(page: Any, name: str) -> Any:
    return page.locator("#tree .item", has_text=name)


def focused_label(page: Any) -> str:
    label = "each.getAttribute('aria-label') || each.textContent"
    return str(page.evaluate(f"(each => {label})(document.activeElement)"))


def test_a_click_closes_a_node_and_a_second_opens_it(page: Any, animals: RBHMC) -> None:
    name = animals.tree_.names[animals.tree_.node("2").items[0]]
    assert item(page, name).is_visible()
    row = line(page, "2").locator("> .row")
    row.click()
    assert line(page, "2").get_attribute("aria-expanded") == "false"
    assert not item(page, name).is_visible()
    assert row.locator(".preview").is_visible()
    row.click()
    assert item(page, name).is_visible()


def test_all_nodes_can_be_closed_and_opened(page: Any) -> None:
    seen = page.locator('#tree [role="treeitem"]:visible')
    page.click("#close-all")
    closed = seen.count()
    page.click("#open-all")
    assert closed < 10 < 33 < seen.count()


def test_keys_move_through_the_tree_and_open_nodes(page: Any, animals: RBHMC) -> None:
    tree = animals.tree_
    page.click("#close-all")
    page.locator('#tree [tabindex="0"]').focus()
    assert focused_label(page).startswith("All 33 items")
    page.keyboard.press("ArrowDown")
    assert focused_label(page).startswith("Node 1,")
    page.keyboard.press("ArrowRight")
    assert line(page, "1").get_attribute("aria-expanded") == "true"
    page.keyboard.press("ArrowRight")
    first = tree.node("1")
    below = f"Node {first.children[0]}," if first.children else tree.names[first.items[0]]
    assert focused_label(page).startswith(below)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    if first.children:  # a closed node leads to the one above
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    last = tree.node(tree.root.children[-1])
    assert focused_label(page).startswith(f"Node {last.id},")
    page.keyboard.press("Enter")
    assert line(page, last.id).get_attribute("aria-expanded") == "true"
    page.keyboard.press("Enter")
    assert line(page, last.id).get_attribute("aria-expanded") == "false"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    assert focused_label(page).startswith("All 33 items")
    assert page.locator('#tree [tabindex="0"]').count() == 1


def test_the_focus_is_visible_and_not_covered(page: Any) -> None:
    page.locator('#tree [tabindex="0"]').focus()
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    row = "(each => each.querySelector('.row') || each)(document.activeElement)"
    assert page.evaluate(f"getComputedStyle({row}).outlineStyle") == "solid"
    covered = """row => {
        const box = row.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + 9, box.top + box.height / 2);
        return !row.contains(top) && !top.contains(row);
    }"""
    assert not page.evaluate(f"({covered})({row})")


def test_a_resting_pointer_does_not_override_the_keys(page: Any) -> None:
    line(page, "2").locator("> .row").hover()
    page.locator('#tree [tabindex="0"]').focus()
    page.keyboard.press("End")
    page.wait_for_timeout(300)  # for events of content that scrolls under the pointer
    name = focused_label(page).removeprefix("Node ").partition(",")[0]
    assert name in page.locator("#panel h3").inner_text()


def test_pointing_at_a_node_describes_it(page: Any, animals: RBHMC) -> None:
    node = animals.tree_.node("2")
    line(page, "2").locator("> .row").hover()
    text = page.locator("#panel").inner_text()
    assert "Node 2" in text
    assert f"{node.size} items" in text
    assert f"Support: {node.support:.0%}" in text
    assert "How much of this group recurs in the draws (transfer support)" in text
    assert f"exactly: in {node.exact:.0%} of draws" in text
    assert page.locator("#panel tbody tr").count() == 5
    # The feature that differs most, in the user's units.
    assert animals.tree_.feature_names is not None
    assert page.locator("#panel tbody th").first.inner_text() in animals.tree_.feature_names


def test_pointing_at_an_item_shows_its_nodes(page: Any) -> None:
    item(page, "Dolphin").hover()
    text = page.locator("#panel").inner_text()
    assert "Dolphin" in text
    assert "at level 3" in text


def test_a_search_opens_the_path_to_each_match(page: Any) -> None:
    page.click("#close-all")
    page.fill("#search", "pHin")
    assert page.locator("#match-count").inner_text() == "1 match"
    assert item(page, "Dolphin").is_visible()
    assert "Dolphin" in page.locator("#panel").inner_text()
    page.fill("#search", "tr")  # Trout, Ostrich
    assert page.locator("#tree .match").count() == 2
    assert page.locator("#match-count").inner_text() == "1 of 2 matches"
    first = page.locator("#tree .current").inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#match-count").inner_text() == "2 of 2 matches"
    second = page.locator("#tree .current").inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#tree .current").inner_text() == first
    page.keyboard.press("Shift+Enter")
    assert page.locator("#tree .current").inner_text() == second
    assert {first, second} == {"Trout", "Ostrich"}
    assert page.locator("#scatter .match").count() == 2
    page.fill("#search", "unicorn")
    assert page.locator("#match-count").inner_text() == "no match"
    page.keyboard.press("Escape")
    assert page.locator(".match, .has-match").count() == 0
    assert page.locator("#search").input_value() == ""


def test_blocks_are_a_second_view_that_zooms(page: Any, animals: RBHMC) -> None:
    page.click("#view-icicle")
    assert not page.locator("#tree").is_visible()
    blocks = page.locator("#icicle .block:visible")
    everything = blocks.count()
    block = page.locator('#icicle .block[aria-label^="Node 2,"]')
    block.click()
    inside = animals.tree_.node("2")
    assert page.locator("#icicle .item:visible").count() == inside.size
    assert "Node 2" in page.locator("#panel").inner_text()
    assert page.locator("#breadcrumbs .badge").all_inner_texts() == ["all", "2"]
    block.click(position={"x": 5, "y": 5})
    assert blocks.count() == everything
    page.click("#view-tree")
    assert page.locator("#tree").is_visible()
    assert not page.locator("#icicle").is_visible()


def test_keys_move_through_the_blocks(page: Any) -> None:
    page.click("#view-icicle")
    page.locator('#icicle [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    assert focused_label(page).startswith("Node 1,")
    page.keyboard.press("ArrowDown")
    assert focused_label(page).startswith("Node 2,")
    page.keyboard.press("Enter")
    assert page.locator("#breadcrumbs .badge").all_inner_texts() == ["all", "2"]
    page.keyboard.press("ArrowLeft")  # the parent is not in view
    assert focused_label(page).startswith("Node 2,")
    page.keyboard.press("Escape")
    assert page.locator("#breadcrumbs .badge").all_inner_texts() == ["all"]
    assert focused_label(page).startswith("All 33 items")


def test_a_search_zooms_in_on_a_block(open_page: Open, thousand_file: Path) -> None:
    page = open_page(thousand_file)
    page.click("#view-icicle")
    assert page.locator("#icicle .item:visible").count() == 0
    page.fill("#search", "item 123")
    assert page.locator("#match-count").inner_text() == "1 match"
    assert len(page.locator("#breadcrumbs .badge").all_inner_texts()) > 1
    page.click("#view-tree")
    assert page.locator("#tree .current").is_visible()
