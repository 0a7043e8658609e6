"""The report without a pointer or a screen: roles, names and the order of the focus."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from rbhmc import RBHMC
from report.conftest import Open

# Elements that the keyboard reaches and that have no name a screen reader could say.
NAMELESS = """() => [...document.querySelectorAll("a, button, input, summary, [tabindex='0']")]
    .filter((each) => !each.getAttribute("aria-label") && !each.textContent.trim()
        && !each.labels?.length)
    .map((each) => each.outerHTML)"""
PICTURES = """() => [...document.querySelectorAll("svg, canvas")]
    .filter((each) => !each.closest("[aria-hidden=true]") && !each.closest("[aria-label]"))
    .map((each) => each.outerHTML.slice(0, 80))"""
HEADINGS = "() => [...document.querySelectorAll('h1, h2, h3, h4')].map((each) => +each.tagName[1])"
NOT_IN_A_TREE = """() => [...document.querySelectorAll("[role=tree] [role=group] > *")]
    .filter((each) => !["treeitem", "none"].includes(each.getAttribute("role"))).length"""


@pytest.fixture
def page(open_page: Open, animals_file: Path) -> Any:
    return open_page(animals_file)


def test_what_the_keyboard_reaches_has_a_name(page: Any) -> None:
    assert page.evaluate(NAMELESS) == []
    page.evaluate("document.body.append(document.createElement('button'))")
    assert page.evaluate(NAMELESS) == ["<button></button>"]  # the control


def test_pictures_have_a_label_or_are_hidden_from_screen_readers(page: Any) -> None:
    assert page.evaluate(PICTURES) == []
    page.evaluate("document.body.append(document.createElement('canvas'))")
    assert page.evaluate(PICTURES) == ["<canvas></canvas>"]  # the control


def test_headings_do_not_skip_a_level(page: Any) -> None:
    levels = page.evaluate(HEADINGS)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_a_tree_holds_nothing_but_items_of_a_tree(page: Any) -> None:
    assert page.evaluate(NOT_IN_A_TREE) == 0


def test_the_focus_follows_the_order_of_the_page(page: Any) -> None:
    tops = []
    for _ in range(30):
        page.keyboard.press("Tab")
        tops.append(
            page.evaluate("""() => {
            const section = document.activeElement.closest("section, header, body");
            return [...document.querySelectorAll("header, section")].indexOf(section);
        }""")
        )
    assert tops[1:] == sorted(tops[1:])
    assert len(set(tops)) >= 4


def test_a_screen_reader_hears_nodes_supports_and_verdicts(page: Any, animals: RBHMC) -> None:
    node = animals.tree_.clusters[0]
    line = page.get_by_role("treeitem", name=f"Node {node.id}, {node.size} items")
    assert line.get_attribute("aria-expanded") in ("true", "false")
    assert "support" in line.get_attribute("aria-label")
    legend = page.locator("#legend").get_by_role("button").first
    assert legend.get_attribute("aria-label").startswith("node 1")
    status = {each.get_attribute("aria-label") for each in page.locator(".verdict .mark").all()}
    assert status <= {"good", "fair", "doubtful", "bad", "unknown"}
    assert page.locator("main").count() == page.locator("nav[aria-label]").count() == 1


def test_sliders_say_what_they_show(page: Any) -> None:
    slider = page.locator("#min-support")
    assert slider.get_attribute("aria-valuetext") == "0%: all nodes shown"
    slider.focus()
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext").startswith("100%: ")
    assert (
        slider.get_attribute("aria-valuetext") == page.locator("#min-support-text").text_content()
    )
