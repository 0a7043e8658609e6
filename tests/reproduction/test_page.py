"""The page of the reproduction is what its template and the records give."""

import importlib.util
import json
import re
from pathlib import Path

from paper.records import RECORDS

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_made_from_the_records() -> None:
    spec = importlib.util.spec_from_file_location("make_results", DOCS / "make_results.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (DOCS / "results.md").read_text(encoding="utf-8") == module.fill_template()


def test_the_page_shows_all_of_its_images() -> None:
    shown = re.findall(
        r"\(images/results/(.*?)\)", (DOCS / "results.md").read_text(encoding="utf-8")
    )
    assert sorted(shown) == sorted(file.name for file in (DOCS / "images" / "results").iterdir())


def test_records_have_no_chain_twice() -> None:
    for file in RECORDS.glob("*.jsonl"):
        head, *lines = map(json.loads, file.read_text().splitlines())
        assert (head["n_burn_in"], head["n_draws"], head["thin"]) == (25_000, 50_000, 5)
        chains = [(line["C"], line["margin"], line["repeat"]) for line in lines]
        assert len(set(chains)) == len(chains), file.name
