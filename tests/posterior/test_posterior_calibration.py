"""The probability of a node: its equation, and what it increases with."""

import numpy as np
import pytest

from rbhmc.posterior import consensus, group_probability
from rbhmc.posterior.calibration import COEFFICIENTS

# The root, a node above the clusters, two clusters in it, a node below the first, another cluster.
PARENTS = np.array([-1, 0, 1, 1, 2, 0])
IS_CLUSTER = np.array([False, False, True, True, False, True])
HEIGHT = np.array([0.9, 0.6, 0.3, 0.2, 0.1, 0.4])


def test_the_equation() -> None:
    share = np.array([1.0, 0.5, 0.75, 1.0, 0.25, 0.0])
    exact = np.array([1.0, 0.25, 0.16, 1.0, 0.0, 0.04])
    found = group_probability(share, exact, HEIGHT, IS_CLUSTER, PARENTS)
    b0, b1, b2, b3, b4 = COEFFICIENTS
    expected = [1.0]
    for node in range(1, 6):
        agreement = b4 if node == 1 else b1 * share[node]
        gap = 1 - HEIGHT[node] / HEIGHT[PARENTS[node]]
        score = b0 + agreement + b2 * np.sqrt(exact[node]) + b3 * np.sqrt(gap)
        expected.append(1 / (1 + np.exp(-score)))
    np.testing.assert_allclose(found, expected)


def test_it_increases_with_agreement_recurrence_and_gap() -> None:
    assert min(COEFFICIENTS[1:]) > 0
    low = group_probability(np.zeros(6), np.zeros(6), HEIGHT, IS_CLUSTER, PARENTS)
    high = group_probability(np.ones(6), np.ones(6), HEIGHT, IS_CLUSTER, PARENTS)
    assert (low[1:] < high[1:]).all()


def test_a_single_item_has_none() -> None:
    """A group of one item is outside what the probability was calibrated on."""
    found = consensus([[[[0], [0], [0], [1]]] * 4] * 2)
    assert [len(items) for items in found.nodes] == [4, 3, 1]
    assert np.isnan(found.probability).tolist() == [False, False, True]
    tree = found.to_tree()
    assert tree.root.probability == 1.0
    assert tree.node("2").probability is None
    assert tree.node("1").probability == pytest.approx(0.997, abs=0.005)
