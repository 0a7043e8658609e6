"""Credible balls against their definition."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.trees import Paths, quick, reference_binder, reference_vi, several_trees
from posterior.brute_force import draws_and_tree, relabel_and_shuffle
from rbhmc import Tree
from rbhmc.metrics.partitions import Loss
from rbhmc.posterior import credible_ball

LOSSES: tuple[Loss, ...] = ("vi", "binder")


def reference_distance(a: NDArray[Any], b: NDArray[Any], loss: Loss) -> float:
    return float(np.mean(reference_vi(a, b) if loss == "vi" else reference_binder(a, b)))


@quick
@given(
    draws_and_tree(),
    st.sampled_from(LOSSES),
    st.sampled_from([0.05, 0.5, 0.8, 0.95, 1.0]),
    st.integers(0, 2**32),
)
def test_definition(case: tuple[Paths, Paths], loss: Loss, probability: float, seed: int) -> None:
    draws, paths = case
    tree = Tree.from_labels(paths)
    ball = credible_ball(draws, tree, probability=probability, loss=loss)
    expected = np.array([reference_distance(paths, draw, loss) for draw in draws])
    np.testing.assert_allclose(ball.distances[0], expected, atol=1e-8)
    # The smallest sufficient radius.
    radii = [r for r in np.unique(ball.distances) if (ball.distances <= r).mean() >= probability]
    assert ball.radius == min(radii)
    np.testing.assert_array_equal(ball.inside, ball.distances <= ball.radius)
    n_nodes = np.array([[len(np.unique(level)) for level in draw.T] for draw in draws]).sum(axis=1)
    inside = ball.inside[0]
    for bound, most in (
        (ball.coarsest, n_nodes[inside].min()),
        (ball.finest, n_nodes[inside].max()),
    ):
        assert sum(len(np.unique(level)) for level in bound.paths.T) == most
        away = reference_distance(paths, bound.paths, loss)
        assert away == pytest.approx(expected[inside & (n_nodes == most)].max(), abs=1e-8)
    farthest = reference_distance(paths, ball.farthest.paths, loss)
    assert farthest == pytest.approx(ball.radius, abs=1e-8)
    for bound in (ball.coarsest, ball.finest, ball.farthest):
        assert bound in ball
        assert any(reference_distance(bound.paths, draw, loss) < 1e-9 for draw in draws[inside])
    again = credible_ball(
        relabel_and_shuffle(draws, seed), tree, probability=probability, loss=loss
    )
    assert again.radius == ball.radius
    assert (again.coarsest, again.finest, again.farthest) == (
        ball.coarsest,
        ball.finest,
        ball.farthest,
    )


@quick
@given(several_trees(1, 1), st.integers(1, 5), st.sampled_from(LOSSES))
def test_equal_draws_have_a_ball_of_radius_0(draws: Paths, times: int, loss: Loss) -> None:
    tree = Tree.from_labels(draws[0])
    ball = credible_ball(np.repeat(draws, times, axis=0), tree, loss=loss)
    assert ball.radius == 0.0
    assert ball.inside.all()
    assert ball.coarsest == ball.finest == ball.farthest == tree


def test_two_equally_likely_trees_are_both_in_the_ball() -> None:
    one, other = [[0, 0], [0, 0], [1, 1], [1, 2]], [[0, 0], [1, 1], [0, 0], [1, 1]]
    for loss in LOSSES:
        ball = credible_ball([one, other] * 10, Tree.from_labels(one), loss=loss)
        assert ball.inside.all()
        assert Tree.from_labels(one) in ball
        assert Tree.from_labels(other) in ball
        assert ball.finest == Tree.from_labels(one)
        assert ball.coarsest == ball.farthest == Tree.from_labels(other)
        half = credible_ball([one, other] * 10, Tree.from_labels(one), probability=0.5, loss=loss)
        assert half.radius == 0.0
        assert Tree.from_labels(other) not in half


def test_vertical_bounds_by_hand() -> None:
    centre = [[0], [0], [1], [1]]
    coarse, fine, far = [[0], [0], [0], [0]], [[0], [1], [2], [2]], [[0], [1], [0], [1]]
    draws = [centre] * 90 + [coarse] * 3 + [fine] * 2 + [far] * 5
    ball = credible_ball(draws, Tree.from_labels(centre))
    # VI: 1 to the coarse tree, 1/2 to the fine one, 2 to the far one, which has the last 5 %.
    assert ball.radius == 1.0
    assert ball.inside.sum() == 95
    assert ball.coarsest == ball.farthest == Tree.from_labels(coarse)
    assert ball.finest == Tree.from_labels(fine)
    assert "95.0% of the draws within 1 bits" in repr(ball)
    assert "leaves 1, 2, 3" in repr(ball)
