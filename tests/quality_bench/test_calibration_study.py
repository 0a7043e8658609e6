"""The calibration study: tables with known trees, reliability tables, and bootstrap Ward."""

from pathlib import Path

import numpy as np
import pytest

from bootstrap_ward import bootstrap_ward, sum_keys, ward
from calibration import Nodes, Tenth, draw, is_true, reliability
from nested_tables import FAMILIES, MIN_GROUP, draw_table
from plots.figures import assert_clear


@pytest.mark.parametrize("family", FAMILIES)
def test_tables_have_nested_groups(family: str) -> None:
    for seed in range(5):
        table = draw_table(family, seed)
        assert table.X.shape[0] in FAMILIES[family].n_items
        assert table.X.shape[1] in FAMILIES[family].n_columns
        low, high = FAMILIES[family].separation
        assert low <= table.separation <= high
        sets = [set(node.tolist()) for node in table.nodes]
        assert min(len(each) for each in sets) >= MIN_GROUP
        assert set().union(*sets) == set(range(len(table.X)))
        for a in sets:
            assert all(a <= b or b <= a or not a & b for b in sets)
        np.testing.assert_array_equal(table.X, draw_table(family, seed).X)


def test_groups_far_apart_are_nodes_of_wards_linkage() -> None:
    """Resampling does not change them, but it changes what is inside."""
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0] * 4, [30.0] * 4, [90.0] * 4], 20, axis=0) + rng.normal(size=(60, 4))
    nodes = bootstrap_ward(X, 0, n_samples=20)
    groups = [np.arange(first, first + 20) for first in (0, 20, 40)]
    shares = [
        (node.by_items, node.by_columns)
        for node in nodes
        if any(np.array_equal(node.items, group) for group in groups)
    ]
    assert shares == [(1.0, 1.0)] * 3
    assert np.mean([node.by_items for node in nodes]) < 0.6


def test_curves_are_whole_and_explained(tmp_path: Path) -> None:
    rows = [Tenth(at, 50, at + 0.05, at + 0.05, (at, at + 0.1), True) for at in (0.0, 0.9)]
    rows.append(Tenth(0.9, 50, 1.0, 1.0, (1.0, 1.0), True))
    studies = ("transfer support", "probability", "Ward, resampled items", "resampled columns")
    curves = {study: {"chosen on": rows, "held out": rows[1:]} for study in studies}
    figure = draw(curves, tmp_path / "curves.png")
    assert_clear(figure)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "within 0.07 of the truth",
        "families of the constants",
        "held-out families",
    ]
    for ax in figure.axes:
        assert all(not line.get_clip_on() for line in ax.lines)


def test_keys_tell_sets_of_items() -> None:
    X = np.array([[0.0], [1.0], [10.0], [12.0]])
    sums = sum_keys(ward(X), np.array([1, 2, 4, 8], np.uint64))
    assert sorted(sums.tolist()) == [3, 12, 15]


def test_a_true_group_has_at_most_a_tenth_astray() -> None:
    true = [np.arange(20), np.arange(10)]
    assert is_true(np.arange(9), true)
    assert not is_true(np.arange(8), true)
    assert is_true(np.arange(19), true)
    assert not is_true(np.arange(24), true)


def test_the_reliability_of_a_calibrated_statement() -> None:
    rng = np.random.default_rng(1)
    stated = rng.random(20_000)
    nodes = Nodes(stated, rng.random(20_000) < stated, rng.integers(0, 200, 20_000))
    rows = reliability(nodes)
    assert [round(row.low, 1) for row in rows] == [tenth / 10 for tenth in range(10)]
    for row in rows:
        assert row.is_judged
        assert row.true == pytest.approx(row.stated, abs=0.03)
        assert row.interval[0] < row.true < row.interval[1]
