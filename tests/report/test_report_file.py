"""The file: complete, small and self-contained, with the numbers of the model."""

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from rbhmc import BHMC, RBHMC, InvalidInput
from rbhmc._text import format_value
from rbhmc.cli.options import use_option_names
from rbhmc.metrics import co_occurrence
from rbhmc.report import write, write_report
from rbhmc.report.page_data import page_data
from rbhmc.report.sample import restrict_model, sample_items
from rbhmc.report.sections import to_sentence
from report.models import fit_model, make_table

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def read_data(file: Path) -> Any:
    found = DATA.search(file.read_text("utf-8"))
    assert found
    return json.loads(found[1])


def fit_small(**settings: Any) -> RBHMC:
    return fit_model(make_table(12), **({"n_draws": 20, "n_warmup": 10} | settings))


def test_a_thousand_items_with_pictures_stay_below_six_megabytes(thousand_file: Path) -> None:
    assert thousand_file.stat().st_size < 6e6


def test_the_file_refers_to_no_other_file(animals_file: Path, thousand_file: Path) -> None:
    for file in (animals_file, thousand_file):
        text = file.read_text("utf-8")
        # The only URL is the namespace of SVG.
        assert set(re.findall(r"https?://[^\s\"']+", text)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"<link(?! rel=\"icon\" href=\"data:,\")|@import|<iframe", text)


def test_levels_match_the_model(animals: RBHMC, animals_file: Path) -> None:
    found = read_data(animals_file)
    ids = [node["id"] for node in found["nodes"]]
    assert ids == [node.id for node in animals.tree_.nodes]
    for level, row in enumerate(found["levels"], start=1):
        pairs = set(zip(row["nodes"], animals.labels_at(level).tolist(), strict=True))
        assert len(pairs) == len(set(row["nodes"])) == len(set(animals.labels_at(level)))
        shares = co_occurrence(animals.draws_, level)
        items = animals.labels_at(level) == animals.labels_at(level)[0]
        others = items.copy()
        others[0] = False
        assert row["together"][0] == pytest.approx(shares[0, others].mean(), abs=1e-3)


def test_traces_have_at_most_a_thousand_points(tmp_path: Path) -> None:
    traces = read_data(write_report(fit_small(n_draws=2001), tmp_path / "a.html"))["traces"]
    assert traces["step"] == 3
    assert [len(chain) for chain in traces["series"][0]["chains"]] == [667, 667]


def test_differences_are_in_standard_deviations(tmp_path: Path) -> None:
    X = make_table(12) * [1.0, 100.0]
    model = fit_model(X, ["a", "b", "c", "d"] * 3, n_levels=1)
    tree, found = model.tree_, read_data(write_report(model, tmp_path / "a.html"))
    node = tree.nodes[1]
    others = np.setdiff1d(np.arange(12), node.items)
    shown, features = found["nodes"][1]["features"], tree.describe()[node.id].features
    for (name, mean, other_mean), feature in zip(shown, features, strict=True):
        column = X[:, int(name[1:])]
        own, rest = column[node.items].mean(), column[others].mean()
        assert mean == format_value(own, column.std())
        assert other_mean == format_value(rest, column.std())
        assert feature.deviations == pytest.approx((own - rest) / column.std(), abs=0.01)


def test_a_table_of_one_column_has_no_points(tmp_path: Path) -> None:
    model = fit_model(make_table(12)[:, :1], n_draws=20, n_warmup=10)
    assert read_data(write_report(model, tmp_path / "a.html"))["plane"] is None


def test_without_regularisation_there_is_one_likelihood(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_draws": 20, "n_warmup": 10, "noise_cov": 1.0}
    model = BHMC(**settings, random_state=0).fit(make_table(12), progress=False)
    traces = read_data(write_report(model, tmp_path / "a.html"))["traces"]
    assert [series["name"] for series in traces["series"]] == ["CDLL"]


@pytest.mark.parametrize("n_items", [1, 2])
def test_a_single_item_or_leaf_has_a_report(tmp_path: Path, n_items: int) -> None:
    model = fit_model(np.zeros((n_items, 2)), n_levels=1, n_draws=4, n_warmup=0)
    text = write_report(model, tmp_path / "a.html").read_text("utf-8")
    assert "no siblings" in text or "No feature differs" in text


def test_a_missing_extra_is_named_in_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_import_error(*_: object) -> None:
        raise ImportError('this needs arviz_stats: pip install "rbhmc[diagnostics]"')

    model = fit_small()
    monkeypatch.setattr(model, "diagnostics", raise_import_error)
    text = write_report(model, tmp_path / "a.html").read_text("utf-8")
    assert "pip install &quot;rbhmc[diagnostics]&quot;" in text


def test_the_verdict_matches_the_diagnostics(animals: RBHMC, animals_file: Path) -> None:
    found = animals.verdict()
    text = animals_file.read_text("utf-8")
    boxes = re.findall('class="verdict (.*?)".*?<p>(.*?)</p>', text)
    assert [html.unescape(words) for _, words in boxes] == [
        to_sentence(each.text) for each in found
    ]
    # No tick if one part is bad.
    assert (found.tree.status, found.chains.status) == ("good", "bad")
    assert [status for status, _ in boxes] == ["fair", "bad"]
    assert text.count('<th scope="row">distance to the clusters, level') == 3


def test_settings_seeds_and_versions_are_listed(animals: RBHMC, animals_file: Path) -> None:
    text = animals_file.read_text("utf-8")
    for seed in animals.draws_.settings["seeds"]:
        assert f"<td>{seed}</td>" in text
    for name in ("alpha", "X (SHA-256)", "numpy", "rbhmc"):
        assert f'<th scope="row">{name}</th>' in text


def test_a_report_replaces_an_earlier_one(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    model = fit_small()
    write_report(model, file, title="one")
    assert write_report(model, str(file), title="two") == file
    assert "<title>two</title>" in file.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [file]


def test_invalid_arguments_are_refused_and_leave_no_file(tmp_path: Path) -> None:
    file = tmp_path / "a.html"
    with pytest.raises(NotFittedError):
        write_report(RBHMC(), file)
    model = fit_small()
    with pytest.raises(InvalidInput, match="one for each item"):
        write_report(model, file, images=np.zeros((3, 8, 8)))
    assert list(tmp_path.iterdir()) == []


def test_of_many_items_a_sample_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "MAX_ITEMS", 12)
    centres = np.repeat([[0.0], [9.0], [30.0]], 20, axis=0)
    X = centres + np.random.default_rng(0).normal(size=(60, 1))
    model = RBHMC(n_chains=2, n_draws=5, random_state=0).fit(X)
    images = np.linspace(0.0, 1.0, 60)[:, None, None] * np.ones((60, 4, 4))
    page = model.report(tmp_path / "report.html", images=images).read_text("utf-8")
    assert "a sample of 12 is shown" in page
    assert "A hierarchy of 60 items" in page
    items = sample_items(model.tree_, 12)
    assert {model.tree_.leaf_labels[item] for item in items} == set(range(len(model.tree_.leaves)))
    data = page_data(restrict_model(model, items))
    assert len(data["names"]) == 12
    assert [node["id"] for node in data["nodes"]] == [node.id for node in model.tree_]
    assert [node["support"] for node in data["nodes"]] == [node.support for node in model.tree_]


def test_the_advice_speaks_of_the_command_line_if_asked(tmp_path: Path) -> None:
    model = RBHMC(n_chains=1, n_draws=5, random_state=0).fit(np.arange(6.0)[:, None] ** 2)
    plain = model.report(tmp_path / "a.html").read_text("utf-8")
    page = model.report(tmp_path / "b.html", wording=use_option_names).read_text("utf-8")
    assert "n_chains=8" in plain
    assert "--n-chains 8" in page
