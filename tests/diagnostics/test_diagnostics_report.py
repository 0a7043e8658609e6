"""Diagnostics of artificial runs and of a real one, as text and as data frames."""

import sys

import numpy as np
import pytest

import rbhmc
from diagnostics.runs import constant_chains, diagnose_run, independent_draws, make_run
from rbhmc.diagnostics import Diagnostics, diagnose, summary_text
from rbhmc.metrics import variation_of_information

CLASSES = np.repeat([0, 1, 2], 10)
X = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])[CLASSES]
X += np.random.default_rng(1).normal(size=(30, 2)) * 0.7


@pytest.fixture(scope="module")
def model() -> rbhmc.RBHMC:
    return rbhmc.RBHMC(n_chains=2, n_warmup=300, n_draws=300, random_state=0).fit(X)


@pytest.fixture(scope="module")
def found(model: rbhmc.RBHMC) -> Diagnostics:
    return diagnose(model.draws_, model.tree_)


def test_a_real_run(model: rbhmc.RBHMC, found: Diagnostics) -> None:
    # RCDLL, CDLL, loss, components, the learned noise; and three summaries of each of four levels.
    assert len(found.table) == 5 + 3 * 4
    assert model.verdict().chains.status in ("good", "doubtful", "bad")
    assert all(values.shape == (2, 300) for values in found.values.values())
    for chain, draw in np.ndindex(2, 300):
        apart = variation_of_information(model.draws_.paths[chain, draw], model.labels_)
        assert [
            found.values[f"distance to the clusters, level {n}"][chain, draw] for n in "1234"
        ] == pytest.approx(apart, abs=1e-8)
    effective = found.values["effective clusters, level 4"]
    assert ((effective >= 1) & (effective <= model.draws_.n_nodes[..., 3] + 1e-8)).all()


def test_the_text_is_aligned_and_fits(found: Diagnostics) -> None:
    made = diagnose_run(make_run(independent_draws(4, 99)), independent_draws(1, 1)[0, 0])
    for diagnostics in (found, made):
        text = str(diagnostics)
        head, *lines = text.splitlines()
        assert all(len(line) <= 80 for line in lines)
        assert {len(line) for line in lines if not ("constant" in line or "stuck" in line)} == {
            len(head)
        }
        assert [line.split("  ")[0] for line in lines] == [row.name for row in diagnostics.table]
        assert "nan" not in text
        assert "inf" not in text


def test_notes_replace_numbers() -> None:
    paths = constant_chains([[0], [0], [1]], [[0], [1], [1]], n_draws=10)
    draws = make_run(paths, loss=np.zeros((2, 10)))
    lines = str(diagnose_run(draws, [[0], [0], [1]])).splitlines()
    assert lines[3] == "loss                               constant: 0"
    assert lines[7] == (
        "distance to the clusters, level 1  stuck: each chain at one value, from 0 to 1.33333"
    )


def test_a_data_frame(found: Diagnostics) -> None:
    frame = found.to_pandas()
    assert list(frame.columns) == list(found.table[0]._fields)
    assert frame["name"].tolist() == [row.name for row in found.table]
    assert frame["level"].isna().sum() == 5
    for row, rhat in zip(found.table, frame["rhat"], strict=True):
        assert rhat == row.rhat or (np.isnan(rhat) and row.rhat is None)


def test_the_order_of_the_summary(model: rbhmc.RBHMC, found: Diagnostics) -> None:
    verdict = model.verdict()
    text = summary_text("30 items x 2 features", "", model.tree_, verdict, found)
    start, end = f"30 items x 2 features\n\n{model.tree_}\n\n", f"\n\n{found}"
    assert text.startswith(start)
    assert text.endswith(end)
    words = text.removeprefix(start).removesuffix(end)
    assert words.replace("\n  ", " ") == verdict.text


def test_equal_runs_have_equal_diagnostics(model: rbhmc.RBHMC, found: Diagnostics) -> None:
    again = diagnose(model.draws_, model.tree_)
    assert again.table == found.table
    assert repr(again) == repr(found)
    assert repr(found) == "Diagnostics(17 summaries)"


def test_without_arviz_the_extra_is_named(
    model: rbhmc.RBHMC, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "arviz_stats.base", None)
    with pytest.raises(ImportError, match=r'needs arviz_stats: pip install "rbhmc\[diagnostics\]"'):
        diagnose(model.draws_, model.tree_)
