"""Draws are read in blocks, from memory or a file, with equal results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metrics.trees import random_draws
from posterior.brute_force import as_draws
from rbhmc import Draws, Tree, metrics, posterior
from rbhmc.draws import blocks as blocks_module
from rbhmc.draws.blocks import TreeBlocks
from rbhmc.posterior import selection

PATHS = random_draws(4, 3, 40, 11, 3)
TREE = Tree.from_labels(PATHS[1, 7], names=[f"item {n}" for n in range(11)])
X = np.random.default_rng(0).normal(size=(11, 2))

ANSWERS: dict[str, Callable[[Any], Any]] = {
    "support": lambda draws: posterior.support(TREE, draws),
    "consensus": lambda draws: vars(posterior.consensus(draws)),
    "ball": lambda draws: vars(posterior.credible_ball(draws, TREE)),
    "unstable_items": lambda draws: vars(posterior.unstable_items(draws, TREE)),
    "coclustering_share": lambda draws: posterior.coclustering_share(draws, TREE),
    "measures": lambda draws: {
        name: found.values for name, found in posterior.measures(draws, X=X).items()
    },
    "co_occurrence": lambda draws: metrics.co_occurrence(draws, 2),
    "select": lambda draws: selection.select(draws),
    "expected_loss": lambda draws: selection.expected_loss(TREE.paths, draws, loss="vi"),
}


def assert_same(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name, value in one.items():
            assert_same(value, other[name])
    elif isinstance(one, tuple) and isinstance(one[0], np.ndarray):
        for value, other_value in zip(one, other, strict=True):
            assert_same(value, other_value)
    elif isinstance(one, tuple):
        assert one == pytest.approx(other) if isinstance(one[0], float) else one == other
    elif isinstance(one, np.ndarray):
        np.testing.assert_allclose(one, other)
    else:
        assert one == other


@pytest.mark.parametrize("name", ANSWERS)
def test_a_file_is_never_read_as_a_whole(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = as_draws(PATHS)
    expected = ANSWERS[name](draws)
    draws.save(tmp_path / "draws.zarr.zip")
    loaded = Draws.load(tmp_path / "draws.zarr.zip")

    def refuse(self: Draws, name: str) -> Any:
        raise AssertionError(f"{name} is read as a whole")

    monkeypatch.setattr(Draws, "_whole", refuse)
    assert_same(ANSWERS[name](loaded), expected)


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("size", [1, 7])
def test_results_do_not_depend_on_the_block_size(
    name: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = as_draws(PATHS)
    expected = ANSWERS[name](draws)
    monkeypatch.setattr(blocks_module, "BLOCK_LABELS", 1)
    monkeypatch.setattr(blocks_module, "MIN_BLOCK_DRAWS", size)
    assert max(len(block.trees) for block in TreeBlocks(draws).read()) == size
    assert_same(ANSWERS[name](draws), expected)


def test_names_come_from_the_draws() -> None:
    draws = as_draws(PATHS)
    assert posterior.credible_ball(draws, TREE).farthest.names == TREE.names


@pytest.mark.parametrize("every", [1, 3, 40])
def test_thinned_draws(every: int) -> None:
    blocks = TreeBlocks(PATHS)
    found = list(blocks.read(every))
    assert [block.chain for block in found] == [0, 1, 2]
    for block in found:
        assert block.draws.tolist() == list(range(every - 1, 40, every))
        for draw, tree in zip(block.draws, block.trees, strict=True):
            expected = Tree.from_labels(PATHS[block.chain, draw]).paths
            np.testing.assert_array_equal(tree.T, expected)


def test_thinning_respects_the_maximum() -> None:
    blocks = TreeBlocks(PATHS)
    assert blocks.thinning(10**9) == 1
    assert blocks.thinning(120) == 1
    assert blocks.thinning(60) == 2
    assert blocks.thinning(1) == 40
    for most in range(3, 130):
        assert 0 < 3 * len(range(blocks.thinning(most) - 1, 40, blocks.thinning(most))) <= most
