"""One chain: the inputs that determine its draws, and the loop that makes them."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidCheckpoint, InvalidInput, Sampler, check_settings
from rbhmc.sampling.chain_store import ChainStore, DrawChunk, FolderMissing, join_chunks
from rbhmc.sampling.monitor import Reporter
from rbhmc.sampling.provenance import to_json
from rbhmc.sampling.subsample import SubsampleSampler

ChainSampler = Sampler | SubsampleSampler
Measure = Callable[[DrawChunk], Any]

# Seconds that the draw in progress has to end before a stop or a checkpoint interrupts it.
PATIENCE_SECONDS = 0.5


class ChainError(RuntimeError):
    """A chain failed, or a worker process died; the message names the chain.

    Examples
    --------
    >>> import rbhmc
    >>> raise rbhmc.ChainError("chain 2 failed: no memory")
    Traceback (most recent call last):
    ...
    rbhmc.sampling.chain.ChainError: chain 2 failed: no memory
    """


@dataclass(frozen=True, eq=False)
class Chain:
    """The inputs that determine the draws of one chain.

    Attributes
    ----------
    X : array of shape (n_items, n_dims)
        The prepared table.
    seed : int
    n_draws, n_warmup, thin : int
        Number of draws, sweeps before the first draw, sweeps per draw.
    settings : dict
        Keywords of `Sampler`.
    fitted : array of int, optional
        The items that the chain is fitted to, in ascending order; every other item is placed in
        each draw. By default all items.
    measure : callable, optional
        Called with all draws of the chain, in the process that sampled them. Its return value,
        which JSON must be able to represent, is kept and returned in place of the draws.
    """

    X: NDArray[np.float64]
    seed: int
    n_draws: int
    n_warmup: int = 0
    thin: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    fitted: NDArray[np.intp] | None = None
    measure: Measure | None = None

    @property
    def n_sweeps(self) -> int:
        """Sweeps of the whole chain."""
        return self.n_warmup + self.n_draws * self.thin

    def start(self) -> ChainSampler:
        """Create the sampler in its initial state."""
        return self.draw_all_items(Sampler(self._fitted_items(), **self.settings, seed=self.seed))

    def draw_all_items(self, sampler: Sampler) -> ChainSampler:
        """Return a sampler of the fitted items as one whose draws have all items."""
        if self.fitted is None:
            return sampler
        return SubsampleSampler(sampler, self.X, self.fitted, self.seed)

    def check(self) -> None:
        """Raise InvalidInput if the table or the settings are not valid."""
        check_settings(self._fitted_items(), **self.settings)

    def _fitted_items(self) -> NDArray[np.float64]:
        return self.X if self.fitted is None else self.X[self.fitted]

    def count_in_progress(self, sampler: ChainSampler, n_draws: int) -> int:
        """Return the sweeps of a sampler after its last draw; negative ones are left of the warmup.

        Raises
        ------
        InvalidCheckpoint
            If a sampler with so many draws cannot have done so many sweeps.
        """
        n_sweeps = sampler.n_sweeps - self.n_warmup - n_draws * self.thin
        if not (0 <= n_sweeps < self.thin or n_sweeps < 0 == n_draws):
            raise InvalidCheckpoint(
                f"a sampler with {sampler.n_sweeps} sweeps does not belong to {n_draws} draws"
            )
        return n_sweeps


def run_chain(
    chain: Chain, reporter: Reporter, store: ChainStore | None, *, parallel: bool = False
) -> Any:
    """Run a chain to its end, or until the reporter asks it to stop, and return its draws.

    With a store, the chain continues from the stored draws and saves new ones at intervals; if the
    run folder disappears, the draws are kept in memory and the reporter is told. For a chain with a
    `measure`, the return value is a list with the measured value alone, or None if the chain was
    stopped. With `parallel`, each sweep may use all cores.
    """
    with reporter:
        try:
            if chain.measure is None:
                return _sample(chain, reporter, store, parallel)
            return _sample_and_measure(chain, chain.measure, reporter, store, parallel)
        except (InvalidInput, KeyboardInterrupt):
            raise
        except Exception as error:
            # The traceback of a worker on another machine may not reach the user.
            raise ChainError(
                f"chain {reporter.number} failed: {type(error).__name__}: {error}"
            ) from error


def _sample_and_measure(
    chain: Chain, measure: Measure, reporter: Reporter, store: ChainStore | None, parallel: bool
) -> list[Any] | None:
    kept: list[Any] | None = None if store is None else store.load_result()
    if kept is not None:
        reporter.report({"sweeps": chain.n_sweeps, "n_sweeps": chain.n_sweeps})
        return kept
    draws = _sample(chain, reporter, store, parallel)
    if len(draws["cdll"]) < chain.n_draws:
        return None
    # With and without a file, the caller gets the value as JSON represents it.
    result = to_json(measure(draws), "the return value of measure")
    try:
        if store is not None:
            store.save_result(result)
    except FolderMissing:
        reporter.folder_is_missing()
    return [result]


def _sample(
    chain: Chain, reporter: Reporter, store: ChainStore | None, parallel: bool
) -> DrawChunk:
    kept = None if store is None else store.load()
    chunks: list[DrawChunk] = []
    if kept is None:
        sampler = chain.start()
    else:
        sampler, chunks = chain.draw_all_items(kept[0]), kept[1]
    n_draws = sum(len(chunk["cdll"]) for chunk in chunks)
    while True:
        in_progress = chain.count_in_progress(sampler, n_draws)
        now = {"sweeps": sampler.n_sweeps, "n_sweeps": chain.n_sweeps}
        if not reporter.report(now) or n_draws >= chain.n_draws:
            break
        seconds = float("inf") if store is None else store.seconds
        progress = _Progress(chain, reporter, sampler.n_sweeps, seconds)
        chunk: Any = sampler.run(
            chain.n_draws - n_draws,
            thin=chain.thin,
            burn_in=max(0, -in_progress),
            in_progress=max(0, in_progress),
            progress=progress,
            parallel=parallel,
        )
        n_draws += len(chunk["cdll"])
        if n_draws < chain.n_draws and not progress.ended_run:
            # After Ctrl-C the sampler returns the draws so far, perhaps in the middle of a draw.
            raise KeyboardInterrupt
        chunks.append(chunk)
        try:
            if store is not None:
                store.save(sampler, chunk)
        except FolderMissing:
            store = None
            reporter.folder_is_missing()
    if len(chunks) == 1:
        return chunks[0]
    empty: Any = sampler.run(0)
    return join_chunks([empty, *chunks])


class _Progress:
    """The `progress` of `Sampler.run`: reports, and ends the run for a stop or a checkpoint.

    The draw in progress is finished first, unless it takes long.
    """

    def __init__(self, chain: Chain, reporter: Reporter, n_before: int, seconds: float) -> None:
        self._chain = chain
        self._reporter = reporter
        self._n_before = n_before
        self._end = time.monotonic() + seconds
        self.ended_run = False

    def __call__(self, now: dict[str, Any]) -> object:
        of_chain = {"sweeps": self._n_before + now["sweeps"], "n_sweeps": self._chain.n_sweeps}
        is_stopped = not self._reporter.report(now | of_chain)
        if is_stopped and not self.ended_run:
            self._end = min(self._end, time.monotonic())
        seconds_over = time.monotonic() - self._end
        self.ended_run = seconds_over >= 0.0
        if seconds_over > PATIENCE_SECONDS:
            # A stop need not wait for a long sweep, of which a checkpoint would save nothing.
            return "now" if is_stopped else "sweep"
        return not self.ended_run
