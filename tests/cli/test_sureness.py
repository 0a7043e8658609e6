"""The probabilities of `labels.csv`, against co-occurrence written out."""

import numpy as np
import pytest

from rbhmc.cli import sureness as module
from rbhmc.cli.sureness import sureness
from rbhmc.metrics import co_occurrence


@pytest.mark.parametrize("block", [1, 50, 2**18])
def test_it_is_the_mean_co_occurrence_within_the_node(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    rng = np.random.default_rng(4)
    draws = rng.integers(0, 5, size=(37, 12))
    draws[:, 11] = np.where(rng.random(37) < 0.4, 9, 2)
    nodes = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 1, 4])
    together = co_occurrence(draws[:, :, None], 1)
    np.fill_diagonal(together, 0.0)
    found = sureness(nodes, draws)
    for item, node in enumerate(nodes):
        others = np.flatnonzero((nodes == node) & (np.arange(12) != item))
        alone = [(draw == draw[item]).sum() == 1 for draw in draws]
        expected = together[item, others].mean() if len(others) else np.mean(alone)
        assert found[item] == pytest.approx(expected, abs=1e-12)


def test_many_items_take_no_square_of_memory() -> None:
    # The square would be 20 GB.
    nodes = np.arange(50_000) // 3
    draws = np.stack([nodes, np.arange(50_000), np.zeros(50_000, int)])
    found = sureness(nodes, draws)
    np.testing.assert_allclose(found[:-2], 2 / 3)
