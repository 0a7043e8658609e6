"""The page as a whole: it fits the screen, is safe, has two themes, prints, works by keyboard."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbhmc import RBHMC
from rbhmc._text import visible_name
from rbhmc.datasets import load_animals
from rbhmc.report import write_report
from report.conftest import Open
from report.models import HOSTILE, fit_model, make_table

FILES = ("animals_file", "consensus_file", "thousand_file", "hostile_file")
# Texts of nodes and of the ranking that extend beyond their box, or beyond the page's margin.
CUT_OFF = """() => [
    ...document.querySelectorAll(
        "#tree .row > *:not(.preview):not(.traits), #ranking li > *, #ranking li .badge, .pair td"
    ),
].filter(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    const box = each.closest("#tree-view, #ranking, table").getBoundingClientRect();
    return range.getBoundingClientRect().right > box.right + 1;
}).map(each => each.textContent)"""
LUMINANCE = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]"


@pytest.mark.parametrize("file", FILES)
def test_a_page_loads_without_errors_and_fits_the_screen(
    open_page: Open, width: int, file: str, request: pytest.FixtureRequest
) -> None:
    page = open_page(request.getfixturevalue(file), width)
    for view in ("icicle", "tree"):
        page.click(f"#view-{view}")
        page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_no_text_is_cut_off(open_page: Open, width: int, tmp_path: Path) -> None:
    # By default the clusters of the animals have long ids, and some have nodes below them.
    model = RBHMC(random_state=0).fit(load_animals(as_frame=True).data)
    page = open_page(write_report(model, tmp_path / "deep.html"), width)
    assert page.evaluate(CUT_OFF) == []


@pytest.mark.parametrize("n_items", [1, 3])
def test_identical_items_have_a_page(open_page: Open, tmp_path: Path, n_items: int) -> None:
    model = fit_model(np.zeros((n_items, 2)), n_levels=1, n_draws=4, n_warmup=0)
    page = open_page(write_report(model, tmp_path / "few.html"))
    assert page.locator("#tree .item").count() == page.locator(".point").count() == n_items
    page.click("#view-icicle")
    assert page.locator("#icicle .item:visible").count() == n_items


def test_names_are_shown_as_text(open_page: Open, hostile_file: Path) -> None:
    page = open_page(hostile_file)
    page.click("#open-all")
    shown = page.locator("#tree .item .name").all_text_contents()
    assert sorted(shown) == sorted(visible_name(name) for name in HOSTILE)
    for name in HOSTILE[1:4]:
        page.fill("#search", name)
        assert page.locator("#match-count").inner_text() == "1 match"
        assert page.locator("#panel h3").inner_text() == name
    page.locator("#map").focus()
    for _ in HOSTILE:
        page.keyboard.press("ArrowDown")
    page.click("#view-icicle")
    assert page.title() == "</title><script>window.hurt = 1</script>"
    assert page.evaluate("window.hurt") is None
    assert page.locator("img, iframe, [onerror], [onmouseover]").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("#siblings th", has_text="<b>one</b>").count() > 0


def test_the_browser_blocks_injected_scripts_and_requests(
    browser: Any, animals_file: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.html"
    injected = "<main><script>window.hurt = 1</script><img src='http://localhost:9/a.png'>"
    text = animals_file.read_text("utf-8").replace("<main>", injected)
    changed.write_text(text, "utf-8")
    page = browser.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(changed.as_uri())
    page.wait_for_selector("#traces svg")
    assert page.evaluate("window.hurt") is None
    assert len(messages) == 2
    assert all("Content Security Policy" in each for each in messages)
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_until_the_button_is_used(
    open_page: Open, animals_file: Path, scheme: str
) -> None:
    page = open_page(animals_file, color_scheme=scheme)
    other = {"light": "dark", "dark": "light"}[scheme]
    ink = "getComputedStyle(document.querySelector('#map canvas')).color"
    before = page.evaluate(ink)
    assert (page.evaluate(LUMINANCE) > 128) == (scheme == "light")
    button = page.locator("#theme")
    assert button.get_attribute("aria-label") == f"Use {other} colours"
    button.focus()
    page.keyboard.press("Enter")
    assert (page.evaluate(LUMINANCE) > 128) == (scheme == "dark")
    assert page.evaluate(ink) != before
    button.click()
    assert (page.evaluate(LUMINANCE) > 128) == (scheme == "light")


def test_print_is_light_and_has_the_whole_tree(open_page: Open, thousand_file: Path) -> None:
    page = open_page(thousand_file, color_scheme="dark")
    page.click("#close-all")
    page.click("#view-icicle")
    page.emulate_media(media="print")
    assert page.evaluate(LUMINANCE) > 250
    assert page.locator("#tree .item:visible").count() == 1000
    for hidden in ("#search", "#theme", "#panel", "#icicle", "nav", "#view-tree", "#level-0"):
        assert not page.locator(hidden).is_visible()
    page.emulate_media(media="screen")
    assert page.evaluate(LUMINANCE) < 128


def test_the_map_is_printed_in_dark_colour(open_page: Open, animals_file: Path) -> None:
    page = open_page(animals_file, color_scheme="dark")
    picture = "document.querySelector('#map canvas').toDataURL()"
    on_screen = page.evaluate(picture)
    page.evaluate("window.printed = []")
    page.evaluate(f"window.addEventListener('beforeprint', () => printed.push({picture}))")
    assert page.pdf().startswith(b"%PDF")
    (on_paper,) = page.evaluate("window.printed")
    assert page.evaluate(picture) == on_screen
    page.click("#theme")
    assert page.evaluate(picture) == on_paper != on_screen


def test_the_tab_key_reaches_every_part(open_page: Open, animals_file: Path, width: int) -> None:
    page = open_page(animals_file, width)
    unreached = {"view-tree", "search", "min-support", "tree", "open-all"}
    unreached |= {"level-0", "scatter", "map", "level-1"}
    outline = """() => {
        const each = document.activeElement;
        const line = each.matches("#tree [role=treeitem]") ? each.querySelector(".row") : each;
        return [each.closest("[id]")?.id, getComputedStyle(line).outlineStyle];
    }"""
    for _ in range(60):
        page.keyboard.press("Tab")
        id, style = page.evaluate(outline)
        if id in unreached:
            assert style != "none", id
            unreached.remove(id)
        if not unreached:
            return
    pytest.fail(f"the tab key does not reach {unreached}")


def test_differences_open_and_close(open_page: Open, animals_file: Path) -> None:
    page = open_page(animals_file)
    part = page.locator("#siblings details").nth(1)
    assert not part.locator("table").first.is_visible()
    part.locator("summary").click()
    assert part.locator("table").first.is_visible()


def test_names_beside_a_closed_node_have_a_line_of_their_own_on_a_phone(
    open_page: Open, animals_file: Path
) -> None:
    page = open_page(animals_file, 390)
    page.click("#close-all")
    rows = page.locator("#tree .row:visible:has(.preview:visible)").all()
    assert len(rows) >= 2
    for row in rows:
        names, size = (row.locator(each).bounding_box() for each in (".preview", ".size"))
        assert names["y"] >= size["y"] + size["height"] - 1
        assert names["width"] > 200


def test_the_tables_of_settings_leave_no_gaps(open_page: Open, tmp_path: Path) -> None:
    model = fit_model(make_table(30), n_chains=16, n_draws=2, n_warmup=0)
    page = open_page(write_report(model, tmp_path / "settings.html"))
    parts = [each.bounding_box() for each in page.locator(".settings-parts > *").all()]
    top = min(part["y"] for part in parts)
    bottom = max(part["y"] + part["height"] for part in parts)
    assert bottom - top < 1.3 * max(part["height"] for part in parts)
