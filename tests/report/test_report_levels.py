"""Levels in a browser: the slider changes all figures, which pointer and keys can explore."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbhmc import RBHMC
from rbhmc.metrics import co_occurrence
from rbhmc.posterior import unstable_items
from report.conftest import Open


@pytest.fixture
def page(open_page: Open, animals_file: Path, width: int) -> Any:
    return open_page(animals_file, width)


@pytest.fixture
def wide(open_page: Open, animals_file: Path) -> Any:
    """Open the page at one width, for tests that do not depend on it."""
    return open_page(animals_file)


def colors(page: Any) -> list[str]:
    return list(
        page.eval_on_selector_all(".point", "all => all.map(each => each.getAttribute('fill'))")
    )


def map_image(page: Any) -> str:
    return str(page.evaluate("document.querySelector('#map canvas').toDataURL()"))


def point_at(page: Any, row: int, column: int, n: int) -> None:
    page.locator("#map").scroll_into_view_if_needed()
    box = page.locator("#map canvas").bounding_box()
    x = box["x"] + (column + 0.5) * box["width"] / n
    page.mouse.move(x, box["y"] + (row + 0.5) * box["height"] / n)


def test_the_slider_changes_points_map_and_ranking(page: Any, animals: RBHMC) -> None:
    one = (colors(page), map_image(page), page.locator("#ranking").inner_html())
    for level in (1, 2, 3):
        page.locator("#level-0").fill(str(level))
        n = len(np.unique(animals.labels_at(level)))
        assert f"{level} of 3: {n} nodes" == page.locator("#levels output").inner_text()
        assert page.locator("#level-1").input_value() == str(level)
        assert len(set(colors(page))) == n
        assert page.locator("#legend button").count() == n
    three = (colors(page), map_image(page), page.locator("#ranking").inner_html())
    assert all(before != after for before, after in zip(one, three, strict=True))


def test_keys_move_the_slider(wide: Any) -> None:
    wide.locator("#level-1").focus()
    wide.keyboard.press("ArrowRight")
    assert wide.locator("#level-0").input_value() == "2"


def test_the_map_names_two_items_and_their_share(page: Any, animals: RBHMC) -> None:
    order = animals.tree_.item_order
    shares = co_occurrence(animals.draws_, 1)[np.ix_(order, order)]
    row, column = map(int, np.argwhere((shares > 0.2) & (shares < 0.8))[0])
    point_at(page, row, column, len(order))
    text = page.locator("#tooltip").inner_text()
    names = [animals.tree_.names[order[at]] for at in (row, column)]
    assert all(name in text for name in names)
    found = re.search(r"(\d+)% of the draws", text)
    assert found
    assert int(found[1]) == pytest.approx(100 * shares[row, column], abs=1.0)
    page.mouse.move(2, 2)
    assert not page.locator("#tooltip").is_visible()


def test_keys_move_over_the_map(wide: Any, animals: RBHMC) -> None:
    order = animals.tree_.item_order
    wide.locator("#map").focus()
    wide.keyboard.press("ArrowRight")
    wide.keyboard.press("ArrowRight")
    text = wide.locator("#tooltip").inner_text()
    assert all(animals.tree_.names[order[at]] in text for at in (0, 1))
    wide.keyboard.press("Escape")
    assert not wide.locator("#tooltip").is_visible()


def test_a_cell_of_several_items_names_them(
    open_page: Open, thousand: RBHMC, thousand_file: Path
) -> None:
    page = open_page(thousand_file)
    assert "mean over 2 neighbouring items" in page.locator("#map-figure").inner_text()
    order = thousand.tree_.item_order
    names = [thousand.tree_.names[item] for item in order]
    page.locator("#map").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    text = page.locator("#tooltip").inner_text()
    assert all(name in text for name in (*names[:2], *names[4:6]))
    shares = co_occurrence(thousand.draws_, 1)[np.ix_(order[4:6], order[:2])].mean()
    found = re.search(r"(\d+)% of the draws", text)
    assert found
    assert int(found[1]) == pytest.approx(100 * shares, abs=1.0)


def test_pointing_at_a_point_names_its_item(page: Any, animals: RBHMC) -> None:
    page.locator("#scatter").scroll_into_view_if_needed()
    point = page.locator(".point").first
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    first = animals.tree_.names[animals.tree_.leaves[0].items[0]]
    assert first in page.locator("#tooltip").inner_text()


def test_keys_move_over_the_points(wide: Any, animals: RBHMC) -> None:
    order = animals.tree_.item_order
    wide.locator("#scatter").focus()
    for at in (0, 1, 2):
        wide.keyboard.press("ArrowRight")
        assert animals.tree_.names[order[at]] in wide.locator("#tooltip").inner_text()


def test_the_legend_highlights_a_node(wide: Any, animals: RBHMC) -> None:
    button = wide.locator("#legend button").nth(1)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    faded = wide.locator(".point.faded").count()
    sizes = np.bincount(animals.labels_at(1))
    assert 33 - faded in sizes
    button.click()
    wide.locator("h1").click()
    assert wide.locator(".point.faded").count() == 0


def test_the_chains_have_lines_and_a_legend(wide: Any) -> None:
    assert wide.locator(".trace").count() == 4  # two chains in two charts
    wide.locator("#chain-legend button").first.click()
    assert wide.locator(".trace.faded").count() == 2


def test_the_ranking_is_by_entropy(wide: Any, animals: RBHMC) -> None:
    texts = wide.locator("#ranking .bar").all_inner_texts()
    bits = [float(text.removesuffix(" bits")) for text in texts]
    assert 0 < len(bits) <= 20
    assert bits == sorted(bits, reverse=True)
    assert 0.0 < bits[0] <= np.log2(len(animals.tree_.nodes_at(1)))
    ranked = unstable_items(animals.draws_, animals.tree_).at_level(1)[: len(bits)]
    assert bits == pytest.approx([row.entropy for row in ranked], abs=0.0051)
    names = wide.locator("#ranking .who .name").all_inner_texts()
    assert names == [row.name for row in ranked]
