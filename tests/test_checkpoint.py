"""Checkpoints: a restored chain continues to the bit, and a damaged one is refused."""

import copy
import pickle
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbhmc
from support import SCHEMES, TABLE, assert_same_draws, assert_same_state, assert_valid, scheme_name

HEADER = 16  # magic (8), version (4), checksum (4)

COPIES: dict[str, Callable[[rbhmc.Sampler], rbhmc.Sampler]] = {
    "bytes": lambda sampler: rbhmc.Sampler.from_bytes(sampler.to_bytes()),
    "bytes twice": lambda sampler: COPIES["bytes"](COPIES["bytes"](sampler)),
    **{
        f"pickle {protocol}": lambda sampler, protocol=protocol: pickle.loads(  # type: ignore[misc]
            pickle.dumps(sampler, protocol=protocol)
        )
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def swept(**settings: Any) -> rbhmc.Sampler:
    sampler = rbhmc.Sampler(TABLE, **{"n_levels": 2, "alpha": 2.0, "seed": 5} | settings)
    sampler.sweep(7)
    return sampler


@pytest.mark.parametrize("scheme", SCHEMES, ids=scheme_name)
@pytest.mark.parametrize("C", [0.0, 1.0])
@pytest.mark.parametrize("make_copy", COPIES.values(), ids=COPIES)
def test_a_copy_continues_to_the_bit(
    scheme: dict[str, Any], C: float, make_copy: Callable[[rbhmc.Sampler], rbhmc.Sampler]
) -> None:
    sampler = swept(C=C, **scheme)
    restored = make_copy(sampler)
    assert restored is not sampler
    assert_same_state(restored, sampler)
    assert restored.n_sweeps == 7
    assert_same_draws(restored.run(20, thin=2), sampler.run(20, thin=2))
    assert_same_state(restored, sampler)


@pytest.mark.parametrize(
    "settings",
    [
        {"noise_cov": [[1.0, 0.3], [0.3, 2.0]], "base_cov": [3.0, 4.0], "base_mean": [1.0, -1.0]},
        {"noise_cov": [1.0, 2.0], "base_cov": [[3.0, 1.0], [1.0, 4.0]], "margin": 0.5},
        {"initial_paths": np.zeros((len(TABLE), 2), dtype=int), "eta_scale": 3.0},
        {"intercept": 2.5, "noise_cov": "learn-diagonal", "noise_warmup": 12},
    ],
)
def test_a_checkpoint_keeps_every_setting(settings: dict[str, Any]) -> None:
    sampler = swept(**settings)
    restored = rbhmc.Sampler.from_bytes(sampler.to_bytes())
    assert_same_draws(restored.run(20), sampler.run(20))


def test_acceptances_count_only_the_run() -> None:
    """One sweep proposes one move for each item; sweeps before the run do not count."""
    sampler = swept(path_move="mh")
    sampler.sweep(5)
    restored = rbhmc.Sampler.from_bytes(sampler.to_bytes())
    draws = sampler.run(1)
    assert_same_draws(restored.run(1), draws)
    moves = draws["path_acceptance"][0] * len(sampler.paths)
    assert moves == pytest.approx(round(moves), abs=1e-9)


def test_a_copy_is_independent() -> None:
    sampler = swept()
    before = sampler.to_bytes()
    copy.deepcopy(sampler).sweep(5)
    assert sampler.to_bytes() == before


def test_checkpoints_do_not_depend_on_the_history_in_memory() -> None:
    """The free slots of the tree differ after a restore; the next checkpoint must not."""
    sampler = swept()
    restored = rbhmc.Sampler.from_bytes(sampler.to_bytes())
    for _ in range(5):
        sampler.sweep(4)
        restored.sweep(4)
        assert_same_state(restored, sampler)


@pytest.mark.parametrize("C", [0.0, 1.0])
def test_every_truncation_is_refused(C: float) -> None:
    checkpoint = swept(C=C).to_bytes()
    for length in range(len(checkpoint)):
        with pytest.raises(rbhmc.InvalidCheckpoint, match="checkpoint"):
            rbhmc.Sampler.from_bytes(checkpoint[:length])


@pytest.mark.parametrize("C", [0.0, 1.0])
def test_altered_bytes_are_refused(C: float) -> None:
    checkpoint = swept(C=C).to_bytes()
    rng = np.random.default_rng(0)
    positions = [*range(HEADER), *rng.integers(0, len(checkpoint), size=2000).tolist()]
    for position in positions:
        altered = bytearray(checkpoint)
        altered[position] ^= int(rng.integers(1, 256))
        with pytest.raises(rbhmc.InvalidCheckpoint, match="checkpoint"):
            rbhmc.Sampler.from_bytes(bytes(altered))


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (lambda b: b"", "0 bytes"),
        (lambda b: b[:5], "5 bytes"),
        (lambda b: b"something else altogether", "signature"),
        (lambda b: b[:8] + (99).to_bytes(4, "little") + b[12:], "version 99"),
        (lambda b: b[:14], "header"),
        (lambda b: b + b"\0", "checksum"),
        (lambda b: b + b, "checksum"),
        (lambda b: b[:-1], "checksum"),
    ],
)
def test_the_error_names_the_damage(damage: Callable[[bytes], bytes], word: str) -> None:
    with pytest.raises(rbhmc.InvalidCheckpoint, match=word):
        rbhmc.Sampler.from_bytes(damage(swept().to_bytes()))


@pytest.mark.parametrize("scheme", [SCHEMES[0], SCHEMES[4]], ids=scheme_name)
def test_a_forged_checksum_gives_an_error_or_a_valid_chain(scheme: dict[str, Any]) -> None:
    """If the checksum fits an altered body, nothing panics and no invalid state is accepted."""
    checkpoint = swept(**scheme).to_bytes()
    rng = np.random.default_rng(1)
    accepted = 0
    for _ in range(3000):
        body = bytearray(checkpoint[HEADER:])
        for position in rng.integers(0, len(body), size=rng.integers(1, 3)):
            body[position] ^= int(rng.integers(1, 256))
        checksum = zlib.crc32(body).to_bytes(4, "little")
        try:
            sampler = rbhmc.Sampler.from_bytes(checkpoint[: HEADER - 4] + checksum + bytes(body))
        except rbhmc.InvalidInput:
            continue
        accepted += 1
        sampler.check()
        sampler.sweep(2)
        sampler.check()
    assert accepted > 0


@pytest.mark.parametrize(
    ("forged", "words"),
    [(np.nan, "intercept is NaN"), (-2.5, "intercept is -2.5"), (np.inf, "intercept is inf")],
)
def test_a_forged_intercept_is_refused(forged: float, words: str) -> None:
    checkpoint = swept(intercept=2.5).to_bytes()
    body = checkpoint[HEADER:].replace(np.float64(2.5).tobytes(), np.float64(forged).tobytes(), 1)
    assert body != checkpoint[HEADER:]
    checksum = zlib.crc32(body).to_bytes(4, "little")
    with pytest.raises(rbhmc.InvalidCheckpoint, match=f"{words}; it must be 0, or a number"):
        rbhmc.Sampler.from_bytes(checkpoint[: HEADER - 4] + checksum + body)


def test_a_forged_intercept_that_has_no_discriminants_is_refused() -> None:
    """The discriminants of the checkpoint have one entry for the intercept, and 0 means none."""
    checkpoint = swept(intercept=2.5).to_bytes()
    body = checkpoint[HEADER:].replace(np.float64(2.5).tobytes(), np.float64(0.0).tobytes(), 1)
    checksum = zlib.crc32(body).to_bytes(4, "little")
    with pytest.raises(rbhmc.InvalidCheckpoint, match="state is inconsistent"):
        rbhmc.Sampler.from_bytes(checkpoint[: HEADER - 4] + checksum + body)


def test_damaged_pickles_are_refused() -> None:
    restore, (checkpoint,) = swept().__reduce__()
    assert_valid(restore(checkpoint))
    with pytest.raises(rbhmc.InvalidCheckpoint):
        restore(checkpoint[:-1])
