"""Summaries of each draw: by hand, against their definitions, and their invariances."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbhmc
from diagnostics.runs import diagnose_run, independent_draws, make_run
from metrics.trees import Paths, entropy, quick, several_trees
from rbhmc.diagnostics import diagnose
from rbhmc.diagnostics.summaries import summarize_draws
from rbhmc.draws import blocks
from rbhmc.metrics import variation_of_information

# Level 1 has clusters of 2, 1, 1 items; level 2 splits the first.
TREE = [[0, 0], [0, 1], [1, 2], [2, 3]]
PAIRS = [[0, 0], [0, 0], [1, 1], [1, 1]]


def values_by_name(draws: Any, selected: Any) -> dict[str, Any]:
    tree = rbhmc.Tree.from_labels(selected)
    return {summary.name: summary.values for summary in summarize_draws(draws, tree)}


def test_by_hand() -> None:
    values = values_by_name(make_run([[TREE, PAIRS]]), PAIRS)
    # Shares 1/2, 1/4, 1/4: entropy 1.5 bits. Four of 1/4: 2 bits. Two of 1/2: 1 bit.
    assert values["effective clusters, level 1"] == pytest.approx(np.array([[2**1.5, 2]]))
    assert values["effective clusters, level 2"] == pytest.approx(np.array([[4, 2]]))
    # VI = 2 H(both) - H - H': the draw refines the clusters, so H(both) is the entropy of the draw.
    assert values["distance to the clusters, level 1"] == pytest.approx(np.array([[1.5 - 1, 0]]))
    assert values["distance to the clusters, level 2"] == pytest.approx(np.array([[2 - 1, 0]]))
    assert values["nodes, level 1"].tolist() == [[3, 2]]
    assert values["nodes, level 2"].tolist() == [[4, 2]]


def test_names_and_values_of_the_draws() -> None:
    draws = make_run(independent_draws(2, 5))
    found = summarize_draws(draws, rbhmc.Tree.from_labels(draws.paths[0, 0]))
    kinds = ("nodes", "effective clusters", "distance to the clusters")
    assert [(summary.name, summary.level) for summary in found] == [
        *((name, None) for name in ("RCDLL", "CDLL", "loss", "components")),
        *((f"{kind}, level {level}", level) for kind in kinds for level in (1, 2, 3)),
    ]
    for summary, name in zip(found, ("rcdll", "cdll", "loss", "n_components"), strict=False):
        assert np.array_equal(summary.values, getattr(draws, name))


@quick
@given(several_trees(3, 6))
def test_definitions(trees: Paths) -> None:
    values = values_by_name(make_run(trees[None]), trees[0])
    for level in range(trees.shape[2]):
        clusters = [2 ** entropy(tree[:, level].tolist()) for tree in trees]
        assert values[f"effective clusters, level {level + 1}"][0] == pytest.approx(clusters)
        leaves = trees[0][:, -1]
        apart = [variation_of_information(tree, leaves)[level] for tree in trees]
        got = values[f"distance to the clusters, level {level + 1}"][0]
        assert got == pytest.approx(apart, abs=1e-8)


@quick
@given(several_trees(8, 8), st.integers(0, 2**32))
def test_invariance_to_node_numbers(trees: Paths, seed: int) -> None:
    rng = np.random.default_rng(seed)
    others = np.empty_like(trees)
    for draw, level in np.ndindex(trees.shape[0], trees.shape[2]):
        numbers = rng.choice(2**31, size=trees.max() + 1, replace=False)
        others[draw, :, level] = numbers[trees[draw, :, level]]
    shape = (2, 4, *trees.shape[1:])
    one, other = (diagnose_run(make_run(a.reshape(shape)), a[0]) for a in (trees, others))
    for name, values in one.values.items():
        assert other.values[name] == pytest.approx(values, abs=1e-8)
    assert str(one) == str(other)


def test_rounding_does_not_separate_equal_partitions() -> None:
    """Sums in another order differ in their last digits, with either sign."""
    sizes = np.repeat(np.arange(30), np.arange(1, 31))
    rng = np.random.default_rng(0)
    paths = np.stack([rng.permutation(30)[sizes] for _ in range(200)]).reshape(4, 50, -1, 1)
    found = diagnose_run(make_run(paths), paths[0, 0])
    assert not np.signbit(found.values["distance to the clusters, level 1"]).any()
    words = {row.name: row.note for row in found.table}
    assert words["distance to the clusters, level 1"] == "constant: 0"
    assert words["effective clusters, level 1"].startswith("constant: ")


def test_invariance_to_the_order_of_items() -> None:
    paths = independent_draws(2, 50)
    order = np.random.default_rng(1).permutation(paths.shape[2])
    one = diagnose_run(make_run(paths), paths[0, 0])
    assert str(one) == str(diagnose_run(make_run(paths[:, :, order]), paths[0, 0][order]))


def test_invariance_to_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = make_run(independent_draws(2, 50))
    whole = values_by_name(draws, draws.paths[1, 3])
    monkeypatch.setattr(blocks, "BLOCK_LABELS", 1)
    for size in (1, 7):
        monkeypatch.setattr(blocks, "MIN_BLOCK_DRAWS", size)
        for name, values in values_by_name(draws, draws.paths[1, 3]).items():
            assert np.array_equal(values, whole[name])


def test_one_item() -> None:
    values = values_by_name(make_run(np.zeros((2, 3, 1, 1), int)), [[0]])
    assert values["effective clusters, level 1"].tolist() == [[1.0] * 3] * 2
    assert values["distance to the clusters, level 1"].tolist() == [[0.0] * 3] * 2


GOOD = make_run([[TREE, PAIRS]])
SELECTED = rbhmc.Tree.from_labels(PAIRS)


@pytest.mark.parametrize(
    ("draws", "selected", "words"),
    [
        (GOOD.paths, SELECTED, "draws is a ndarray; it must be the draws of a run.*model.draws_"),
        (make_run(np.zeros((1, 0, 4, 2))), SELECTED, "1 chains x 0 draws.*at least one draw"),
        (
            GOOD,
            rbhmc.Tree.from_labels(PAIRS[:3]),
            "tree has 3 items and 2 levels.*have 4 items, as",
        ),
        (GOOD, PAIRS, "tree is a list; it must be a Tree"),
        (
            make_run(GOOD.paths, cdll=np.array([[1.0, np.nan]])),
            SELECTED,
            "CDLL is not finite in draw 1 of chain 0",
        ),
    ],
)
def test_invalid_input(draws: Any, selected: Any, words: str) -> None:
    with pytest.raises(rbhmc.InvalidInput, match=words):
        diagnose(draws, selected)
