"""Ctrl-C, progress and threads: long calls report, can be stopped, and leave a valid chain."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbhmc
from support import TABLE, assert_same_state, assert_valid, call_within

LONG = 10**12  # sweeps, which never end

# Scripts of a separate process, with `sampler` and `other`, two chains of the same seed.
PRELUDE = """
import sys, warnings
import numpy as np, rbhmc
X = np.array(eval(sys.argv[1]))
sampler, other = rbhmc.Sampler(X, seed=4), rbhmc.Sampler(X, seed=4)
sampler.sweep(3)
print("ready", flush=True)
"""
STOPPED_SWEEP = """
try:
    sampler.sweep(10**12)
except KeyboardInterrupt:
    assert sampler.n_sweeps > 3
else:
    raise SystemExit("not interrupted")
"""
STOPPED_RUN = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    draws = sampler.run(10**6, thin=20, burn_in=2)
n_draws = len(draws["cdll"])
assert 0 < n_draws < 10**6
assert {len(values) for values in draws.values()} == {n_draws}
assert [w.category for w in caught] == [RuntimeWarning], caught
assert f"{n_draws} of 1000000 draws" in str(caught[0].message)
assert 5 + 20 * n_draws <= sampler.n_sweeps < 5 + 20 * (n_draws + 1)
other.sweep(3)
expected = other.run(n_draws, thin=20, burn_in=2)
for name in draws:
    np.testing.assert_array_equal(draws[name], expected[name])
"""
STOPPED_BURN_IN = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    draws = sampler.run(5, burn_in=10**12)
assert draws["paths"].shape == (0, *X.shape[:1], 3)
assert [w.category for w in caught] == [RuntimeWarning], caught
"""
CONTINUES = """
sampler.check()
other.sweep(sampler.n_sweeps - other.n_sweeps)
sampler.sweep(5), other.sweep(5)
np.testing.assert_array_equal(sampler.paths, other.paths)
assert sampler.rcdll == other.rcdll
print("fine", flush=True)
"""


@pytest.mark.parametrize(
    "body",
    [STOPPED_SWEEP, STOPPED_RUN, STOPPED_BURN_IN],
    ids=["sweep", "run", "burn-in"],
)
def test_ctrl_c_stops_between_two_sweeps_and_the_chain_can_continue(body: str) -> None:
    script = PRELUDE + body + CONTINUES
    command = [sys.executable, "-c", script, repr(TABLE.tolist())]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.4)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, out) == (0, "fine\n"), err


def test_an_interrupt_during_progress_returns_the_complete_draws() -> None:
    sampler = rbhmc.Sampler(TABLE)

    def interrupt(now: dict[str, Any]) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.warns(RuntimeWarning, match=r"interrupted: \d+ of 10000000 draws"):
        draws = sampler.run(10_000_000, progress=interrupt)
    assert len(draws["cdll"]) == sampler.n_sweeps > 0
    assert draws["cdll"][-1] == sampler.cdll
    assert_valid(sampler)


def test_other_signals_are_handled_during_a_sweep() -> None:
    """A handler that returns does not end the sweep; one that raises does, with its error."""
    handled: list[int] = []

    def handle(number: int, frame: object) -> None:
        handled.append(number)
        if len(handled) == 2:
            raise TimeoutError

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.15)
    try:
        sampler = rbhmc.Sampler(TABLE)
        with pytest.raises(TimeoutError):
            sampler.sweep(LONG)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert len(handled) == 2
    assert_valid(sampler)


def stop_after(seconds: float) -> Callable[[dict[str, Any]], None]:
    """Return a progress callback that stops its run after so many seconds."""
    start = time.monotonic()

    def stop(now: dict[str, Any]) -> None:
        if time.monotonic() - start > seconds:
            raise TimeoutError

    return stop


def test_progress_reports_the_state_of_a_run() -> None:
    reports: list[dict[str, Any]] = []
    sampler = rbhmc.Sampler(TABLE, alpha=2.0)
    sampler.sweep(10)
    total = 0
    while len(reports) < 4:
        reports.clear()
        total = max(1000, 4 * total)
        sampler.run(total // 4, thin=3, burn_in=total // 4, progress=reports.append)
    sweeps = [report["sweeps"] for report in reports]
    assert sweeps == sorted(set(sweeps))
    assert sweeps[-1] == total
    for report in reports:
        assert set(report) == {
            "sweeps",
            "n_sweeps",
            "n_draws",
            "rcdll",
            "n_components",
            "n_nodes",
        }
        assert report["n_sweeps"] == total
        assert report["n_draws"] == max(0, report["sweeps"] - total // 4) // 3
    last = reports[-1]
    assert last["rcdll"] == sampler.rcdll
    assert last["n_components"] == len(sampler.means)
    assert last["n_nodes"] == len(sampler.tree["parent"])


def test_a_short_run_reports_its_end() -> None:
    reports: list[dict[str, Any]] = []
    rbhmc.Sampler(TABLE).run(3, progress=reports.append)
    assert [report["sweeps"] for report in reports] == [3]


def test_progress_does_not_change_the_draws() -> None:
    watched, other = rbhmc.Sampler(TABLE), rbhmc.Sampler(TABLE)
    watched.run(300, progress=lambda now: None)
    other.run(300)
    assert_same_state(watched, other)


class OwnError(Exception):
    pass


@pytest.mark.parametrize("error", [OwnError, SystemExit, GeneratorExit, StopIteration])
def test_an_error_of_progress_is_raised_and_the_chain_can_continue(
    error: type[BaseException],
) -> None:
    sampler = rbhmc.Sampler(TABLE, seed=6)

    def fail(now: dict[str, Any]) -> None:
        raise error

    with pytest.raises(error):
        sampler.run(20, progress=fail)
    assert sampler.n_sweeps > 0
    assert_valid(sampler)
    other = rbhmc.Sampler(TABLE, seed=6)
    other.sweep(sampler.n_sweeps)
    np.testing.assert_array_equal(sampler.run(5)["cdll"], other.run(5)["cdll"])


def test_progress_must_not_use_the_running_sampler() -> None:
    sampler = rbhmc.Sampler(TABLE)
    for use in (sampler.sweep, sampler.to_bytes, lambda: sampler.run(1), lambda: sampler.paths):
        with pytest.raises(RuntimeError, match="borrowed"):
            sampler.run(5, progress=lambda now, use=use: use())  # type: ignore[misc]
        assert_valid(sampler)


def test_other_threads_run_during_a_sweep() -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    sampler = rbhmc.Sampler(TABLE)
    try:
        with pytest.raises(TimeoutError):
            sampler.run(LONG // 10**5, progress=stop_after(0.5))
    finally:
        done.set()
        thread.join()
    # If the GIL were held, there would be about one tick for each of the five reports.
    assert ticks > 50


def test_a_running_sampler_refuses_other_threads_and_stays_valid() -> None:
    sampler = rbhmc.Sampler(TABLE)
    started = threading.Event()
    outcomes: list[str] = []

    def progress(now: dict[str, Any]) -> None:
        started.set()
        if len(outcomes) >= 200:
            raise TimeoutError

    def work() -> None:
        with pytest.raises(TimeoutError):
            sampler.run(LONG // 10**5, progress=progress)

    def use_too() -> None:
        started.wait()
        uses: list[Callable[[], Any]] = [
            sampler.sweep,
            sampler.check,
            sampler.to_bytes,
            lambda: sampler.run(1),
            lambda: sampler.tree,
            lambda: sampler.rcdll,
            lambda: repr(sampler),
            lambda: sampler.apply("means"),
        ]
        for index in range(200):
            try:
                uses[index % len(uses)]()
            except RuntimeError as error:
                outcomes.append(str(error))
            else:
                outcomes.append("")

    other = threading.Thread(target=use_too, daemon=True)
    other.start()
    call_within(30, work)
    other.join(30)
    assert len(outcomes) == 200
    assert all("borrowed" in outcome for outcome in outcomes if outcome)
    assert_valid(sampler)
    sampler.sweep(5)
    assert_valid(sampler)


def test_samplers_in_several_threads_are_independent() -> None:
    chains = [rbhmc.Sampler(TABLE, seed=seed) for seed in range(4)]
    threads = [threading.Thread(target=chain.sweep, args=(300,)) for chain in chains]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, chain in enumerate(chains):
        alone = rbhmc.Sampler(TABLE, seed=seed)
        alone.sweep(300)
        assert_same_state(chain, alone)


@pytest.mark.parametrize("burn_in", [3, 10**12])
def test_a_progress_that_returns_false_stops_between_two_draws(burn_in: int) -> None:
    sampler, other = rbhmc.Sampler(TABLE, seed=1), rbhmc.Sampler(TABLE, seed=1)
    draws = sampler.run(10**6, thin=7, burn_in=burn_in, progress=lambda now: False)
    n_draws = len(draws["cdll"])
    if burn_in > 3:
        assert n_draws == 0
        other.sweep(sampler.n_sweeps)
    else:
        assert 0 < n_draws < 10**6
        assert sampler.n_sweeps == 3 + 7 * n_draws
        expected = other.run(n_draws, thin=7, burn_in=3)
        np.testing.assert_array_equal(draws["path_acceptance"], expected["path_acceptance"])
        np.testing.assert_array_equal(draws["rcdll"], expected["rcdll"])
    assert_same_state(sampler, other)
    assert len(sampler.run(2, progress=lambda now: None)["cdll"]) == 2
