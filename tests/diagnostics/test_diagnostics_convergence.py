"""R-hat and effective sample sizes, and notes if there are none."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rbhmc.diagnostics import Row
from rbhmc.diagnostics.convergence import assess_convergence
from rbhmc.diagnostics.summaries import Summary

array_stats: Any = pytest.importorskip("arviz_stats.base").array_stats
RNG = np.random.default_rng(0)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    """Reset the generator, so that results do not depend on the order of the tests."""
    RNG.bit_generator.state = START


def row(values: Any) -> Row:
    return assess_convergence(Summary("nodes, level 1", 1, np.asarray(values, dtype=np.float64)))


def walk(n_chains: int, n_draws: int) -> Any:
    """Return autoregressive chains, x_t = 0.9 x_(t-1) + noise."""
    noise = np.random.default_rng(1).normal(size=(n_chains, n_draws))
    for draw in range(1, n_draws):
        noise[:, draw] += 0.9 * noise[:, draw - 1]
    return noise


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=(4, 500)),
        walk(4, 501),
        walk(2, 100) + np.array([[0.0], [3.0]]),
        RNG.poisson(0.1, size=(3, 200)),
        RNG.normal(size=(2, 4)),
    ],
    ids=["independent", "walk", "apart", "counts", "four draws"],
)
def test_several_chains_agree_with_arviz(values: Any) -> None:
    values = values.astype(np.float64)
    got = row(values)
    assert got.mean == pytest.approx(values.mean())
    assert got.sd == pytest.approx(values.std(ddof=1))
    assert got.rhat == array_stats.rhat(values, method="rank")
    assert got.ess_bulk == array_stats.ess(values, method="bulk")
    assert got.ess_tail == array_stats.ess(values, method="tail", prob=(0.05, 0.95))
    assert got.note == ""


@pytest.mark.parametrize("n_draws", [8, 9, 400])
def test_one_chain_is_split_into_halves(n_draws: int) -> None:
    values = walk(1, n_draws)
    half = n_draws // 2
    halves = np.stack([values[0, :half], values[0, -half:]])
    rhats = []
    for array in (halves, abs(halves - np.median(halves))):
        z = stats.norm.ppf((stats.rankdata(array) - 0.375) / (array.size + 0.25)).reshape(2, half)
        within = z.var(axis=1, ddof=1).mean()
        between = half * z.mean(axis=1).var(ddof=1)
        rhats.append(math.sqrt(((half - 1) / half * within + between / half) / within))
    got = row(values)
    assert got.rhat == pytest.approx(max(rhats))
    assert got.ess_bulk == array_stats.ess(values, method="bulk")


def test_one_chain_has_the_ranks_of_arviz() -> None:
    # Two equal chains have each half twice: the ranks and the variance within are the same, and the
    # variance of four means that are equal in pairs is 2/3 of the variance of two.
    values = walk(1, 400)
    double = array_stats.rhat(np.repeat(values, 2, axis=0), method="z_scale")
    excess = (double**2 - 1 + 1 / 200) * 3 / 2
    folded = abs(values - np.median(values))
    double_folded = array_stats.rhat(np.repeat(folded, 2, axis=0), method="z_scale")
    excess = max(excess, (double_folded**2 - 1 + 1 / 200) * 3 / 2)
    assert row(values).rhat == pytest.approx(math.sqrt(1 - 1 / 200 + excess), rel=1e-4)


@pytest.mark.parametrize(("value", "words"), [(1, "1"), (0.1, "0.1"), (-214.3771, "-214.377")])
@pytest.mark.parametrize("shape", [(4, 100), (1, 100), (2, 1), (1, 2)])
def test_constants_have_a_note(value: float, words: str, shape: tuple[int, int]) -> None:
    assert row(np.full(shape, value)) == Row(
        "nodes, level 1", 1, value, 0.0, note=f"constant: {words}"
    )


def test_chains_that_stay_at_different_values_are_infinitely_far_apart() -> None:
    got = row(np.repeat([[3.0], [3.0], [5.5]], 100, axis=1))
    assert got.rhat == math.inf
    assert got.note == "stuck: each chain at one value, from 3 to 5.5"
    assert got.ess_bulk is got.ess_tail is None


@pytest.mark.parametrize(
    "values",
    [
        np.repeat([[3.0, 4.0], [3.0, 4.0]], 50, axis=1),
        np.repeat([[3.0, 4.0]], 50, axis=1),
        np.tile([[-1.0, 1.0], [-2.0, 2.0]], 50),
    ],
    ids=["a step half-way", "a step half-way of one chain", "spread alone"],
)
def test_constant_halves(values: Any) -> None:
    got = row(values)
    assert got.rhat is not None
    assert got.rhat > 1e6
    assert got.note == ""


@pytest.mark.parametrize("n_chains", [1, 2])
def test_the_middle_of_an_odd_number_of_draws_is_in_neither_half(n_chains: int) -> None:
    values = np.zeros((n_chains, 101))
    values[0, 50] = 1.0
    assert row(values).rhat == 1.0


@pytest.mark.parametrize("n_chains", [1, 4])
def test_two_values_equally_often(n_chains: int) -> None:
    """Folded at the median, all values are equal and have no R-hat."""
    values = np.tile([0.0, 1.0, 1.0, 0.0], (n_chains, 50))
    got = row(values)
    assert got.rhat == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("shape", [(1, 2), (1, 7), (2, 1), (4, 3)])
def test_too_few_draws(shape: tuple[int, int]) -> None:
    values = np.random.default_rng(0).normal(size=shape)
    expected = Row("nodes, level 1", 1, float(values.mean()), float(values.std(ddof=1)))
    assert row(values) == expected
    assert row([[2.0]]) == Row("nodes, level 1", 1, 2.0)


STARTS = np.repeat(np.arange(8), 2)


def nested_row(values: Any, starts: Any = STARTS) -> Row:
    return assess_convergence(Summary("nodes, level 1", 1, values), np.asarray(starts))


@pytest.mark.parametrize("values", [RNG.normal(size=(16, 20)), walk(16, 21)])
def test_chains_that_share_starts_have_a_nested_rhat(values: Any) -> None:
    got = nested_row(values)
    assert got.rhat == array_stats.rhat_nested(values, superchain_ids=STARTS, method="rank")
    # The sizes are those of chains.
    assert got[:4] == row(values)[:4]
    assert got.ess_bulk == row(values).ess_bulk


@pytest.mark.parametrize(
    "starts",
    [np.zeros(16, int), np.arange(16), np.append(STARTS[:-1], 6)],
    ids=["one start", "a start for each chain", "unequal groups"],
)
def test_without_groups_of_equal_size_rhat_is_not_nested(starts: Any) -> None:
    values = walk(16, 20)
    assert nested_row(values, starts) == row(values)


def test_nested_rhat_tells_the_effect_of_the_start_from_chance() -> None:
    """Chains that stay where they are: by their start, or independently of it."""
    rng = np.random.default_rng(2)
    of_starts = np.repeat(rng.normal(size=8), 2)[:, None] + 0.01 * rng.normal(size=(16, 20))
    of_chains = rng.normal(size=16)[:, None] + 0.01 * rng.normal(size=(16, 20))
    rows = (nested_row(of_starts), nested_row(of_chains), row(of_chains))
    rhats = [each.rhat for each in rows if each.rhat is not None]
    assert rhats[0] > 4 > 1.8 > rhats[1]
    assert rhats[2] > 3


def test_constant_chains_have_a_nested_rhat() -> None:
    got = nested_row(np.repeat(np.arange(16.0) % 3, 20).reshape(16, 20))
    assert got.note == "stuck: each chain at one value, from 0 to 2"
    assert got.rhat is not None
    assert 1.0 < got.rhat < 2.0
    alike = nested_row(np.repeat(STARTS.astype(float), 20).reshape(16, 20))
    assert alike.rhat is not None
    assert alike.rhat > 1e6
