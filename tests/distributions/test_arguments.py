"""Seeds, pinned first draws and bad parameters of `rbhmc.distributions`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbhmc
from rbhmc.distributions import beta, crt, dirichlet, gig, inverse_gamma_above, inverse_gaussian

DRAWS: dict[str, Callable[..., Any]] = {
    "gig": lambda **given: gig(0.7, 2.0, 3.0, **given),
    "gig_gamma": lambda **given: gig(0.7, 2.0, 0.0, **given),
    "inverse_gaussian": lambda **given: inverse_gaussian(2.0, **given),
    "inverse_gamma_above": lambda **given: inverse_gamma_above(3.0, 2.0, 0.5, **given),
    "inverse_gamma_far_above": lambda **given: inverse_gamma_above(3.0, 2.0, 9.0, **given),
    "beta": lambda **given: beta(0.5, 2.0, **given),
    "dirichlet": lambda **given: dirichlet([0.5, 1.0, 2.0], **given),
    "crt": lambda **given: crt(50, 3.0, **given),
}
PINNED: dict[str, list[Any]] = {
    "gig": [2.5519858058087115, 2.0133939990285836, 2.313312758786344],
    "gig_gamma": [0.8061516171436134, 2.521481688520099, 1.1403251784194761],
    "inverse_gaussian": [4.8493968329368595, 0.715378182014064, 0.5902520099916487],
    "inverse_gamma_above": [1.1470785020903917, 1.0070470451984022, 1.1051704105301676],
    "inverse_gamma_far_above": [9.310411905274627, 12.581662687430045, 44.853791818667084],
    "beta": [0.3649177440410535, 0.2096512200488858, 0.036440418446138434],
    "dirichlet": [
        [0.15364182368989382, 0.06216257025912274, 0.7841956060509834],
        [0.009625072397748983, 0.018824025073821277, 0.9715509025284298],
        [0.08872388480016513, 0.5756241461784981, 0.33565196902133676],
    ],
    "crt": [10, 7, 9],
}


@pytest.mark.parametrize("name", DRAWS)
def test_first_draws_equal_the_pinned_ones(name: str) -> None:
    assert DRAWS[name](size=3).tolist() == PINNED[name]


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_equal_seeds_give_equal_draws_and_other_seeds_others(draw: Callable[..., Any]) -> None:
    sample = draw(size=20, seed=11)
    np.testing.assert_array_equal(sample, draw(size=20, seed=11))
    np.testing.assert_array_equal(sample[:7], draw(size=7, seed=11))
    assert (sample != draw(size=20, seed=12)).any()
    assert len(draw(size=0)) == 0
    assert len(draw()) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: gig(0.5, 0.0, 0.0),
        lambda: gig(0.5, 0.0, 1.0),
        lambda: gig(0.0, 0.0, 1.0),
        lambda: gig(-0.5, 1.0, 0.0),
        lambda: gig(0.5, -1.0, 1.0),
        lambda: gig(0.5, 1.0, -1.0),
        lambda: gig(np.nan, 1.0, 1.0),
        lambda: gig(0.5, np.inf, 1.0),
        lambda: gig(0.5, 1.0, 1e200),
        lambda: gig(np.inf, 1.0, 1.0),
        lambda: inverse_gaussian(0.0),
        lambda: inverse_gaussian(-1.0),
        lambda: inverse_gaussian(np.nan),
        lambda: inverse_gaussian(np.inf),
        lambda: inverse_gamma_above(1.0, 1.0, 1.0),
        lambda: inverse_gamma_above(np.nan, 1.0, 1.0),
        lambda: inverse_gamma_above(2.0, 0.0, 1.0),
        lambda: inverse_gamma_above(2.0, np.inf, 1.0),
        lambda: inverse_gamma_above(2.0, 1.0, 0.0),
        lambda: inverse_gamma_above(2.0, 1.0, np.nan),
        lambda: beta(-1.0, 1.0),
        lambda: beta(1.0, np.nan),
        lambda: beta(np.inf, 1.0),
        lambda: beta(0.0, 0.0, limit=1.5),
        lambda: beta(0.0, 0.0, limit=np.nan),
        lambda: dirichlet([]),
        lambda: dirichlet([0.0, 0.0]),
        lambda: dirichlet([1.0, -1.0]),
        lambda: dirichlet([1.0, np.nan]),
        lambda: dirichlet([1.0, np.inf]),
        lambda: crt(5, -1.0),
        lambda: crt(5, np.nan),
        lambda: crt(5, np.inf),
        lambda: crt(-1, 1.0),
        lambda: crt(2**32, 1.0),
    ],
)
def test_bad_parameters_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="must be"):
        call()


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("bad", [{"size": -1}, {"seed": -1}, {"size": 2**64}, {"seed": 2**64}])
def test_bad_sizes_and_seeds_are_refused(draw: Callable[..., Any], bad: dict[str, int]) -> None:
    with pytest.raises(rbhmc.InvalidInput, match="must be a whole number"):
        draw(**bad)


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("size", [2**50, 2**62, 2**64 - 1])
def test_absurd_sizes_raise_a_memory_error(draw: Callable[..., Any], size: int) -> None:
    with pytest.raises(MemoryError, match=r"cannot allocate [0-9]+ bytes for"):
        draw(size=size)
