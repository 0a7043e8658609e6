"""Every code block of the README and the site runs, in order, as a reader would paste it."""

from pathlib import Path

import pytest

from pages.markdown import DATA, Block, blocks, missing_data, pages
from pages.run import run

PAGES = pages()
CODE = {name for name, page in PAGES.items() if {b.kind for b in blocks(page)} & {"python", "sh"}}

SHOWN = {"text"}
CODE_STARTS = ("import ", "from ", ">>> ", "$ ", "rbhmc ", "make ")


@pytest.mark.parametrize("name", sorted(CODE))
@pytest.mark.filterwarnings("ignore:::distributed")
def test_the_code_of_a_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if folder := missing_data(name):
        pytest.skip(f"{folder} is not there: apt install dataset-fashion-mnist")
    monkeypatch.chdir(tmp_path)
    run(name, blocks(PAGES[name]))


def test_pages_with_data_of_their_own_name_its_folder() -> None:
    for name, folder in DATA.items():
        assert str(folder) in PAGES[name].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_every_block_is_run_or_known_as_output(name: str) -> None:
    """The build of the site checks directives."""
    for block in blocks(PAGES[name]):
        known = block.kind in {"python", "sh"} | SHOWN or block.kind.startswith("{")
        assert known, f"{name}, line {block.line}: {block.kind!r}"
        output = block.kind not in SHOWN or not block.text.startswith(CODE_STARTS)
        assert output, f"{name}, line {block.line}: code that is not run"


@pytest.mark.parametrize("name", PAGES)
def test_every_fence_is_parsed(name: str) -> None:
    lines = PAGES[name].read_text(encoding="utf-8").splitlines()
    fences = [line for line in lines if line.lstrip().startswith(("```", "~~~"))]
    assert len(fences) == 2 * len(blocks(PAGES[name]))


@pytest.mark.parametrize(
    "block",
    [
        Block("python", "assert False"),
        Block("sh", "rbhmc fit nothing.csv"),
        Block("sh", "make no-such-target"),
        Block("sh", "python benches/no_such_file.py"),
        Block("sh", 'pip install "rbhmc[no-such-extra]"'),
        Block("sh", "no-such-program"),
        Block("text", "what nothing printed", argument="printed"),
    ],
    ids=lambda block: block.text,
)
def test_control_errors_in_a_block_are_found(block: Block) -> None:
    with pytest.raises(AssertionError):
        run("a page", [block])


def test_control_other_output_than_a_page_shows_is_found() -> None:
    code = Block("python", "print('ant')\nprint('bee')")
    run("a page", [code, Block("text", "ant\nbee", argument="printed")])
    with pytest.raises(AssertionError):
        run("a page", [code, Block("text", "ant\ncat", argument="printed")])
