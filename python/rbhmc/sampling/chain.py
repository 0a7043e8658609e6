"""One chain: all that determines its draws, and the loop that makes them."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbhmc._core import InvalidInput, Sampler
from rbhmc.sampling.errors import ChainError
from rbhmc.sampling.link import Link
from rbhmc.sampling.provenance import plain
from rbhmc.sampling.store import ChainStore, Piece

Measure = Callable[[Piece], Any]


@dataclass(frozen=True, eq=False)
class Chain:
    """All that determines the draws of one chain, and what is wanted of them.

    Attributes
    ----------
    X : array of shape (n_items, n_dims)
        The prepared table.
    settings : dict
        Keywords of `Sampler`.
    seed : int
    n_warmup, n_draws, thin : int
        Sweeps before the first draw, draws, sweeps a draw.
    measure : callable, optional
        Called with the draws where the chain ran; what it returns, which JSON must be able to hold,
        is kept and comes back instead of the draws.
    """

    X: NDArray[np.float64]
    seed: int
    n_draws: int
    n_warmup: int = 0
    thin: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    measure: Measure | None = None

    @property
    def n_sweeps(self) -> int:
        """Sweeps of the whole chain."""
        return self.n_warmup + self.n_draws * self.thin

    def start(self) -> Sampler:
        """Make the sampler in its initial state."""
        return Sampler(self.X, **self.settings, seed=self.seed)


def run_chain(chain: Chain, link: Link, store: ChainStore | None) -> Any:
    """Run a chain to its end, or until the link says stop, and return its complete draws.

    What the store holds is gone on from; what is new goes there as often as it asks for. Of a chain
    with a `measure`, a list with what that found on the whole of it is returned instead, or None if
    it was stopped.
    """
    with link:
        try:
            if chain.measure is None:
                return _run(chain, link, store)
            return _measured(chain, chain.measure, link, store)
        except (InvalidInput, KeyboardInterrupt):
            raise
        except Exception as error:
            # A worker on another machine may have no way to show its own traceback.
            raise ChainError(
                f"chain {link.number} failed: {type(error).__name__}: {error}"
            ) from error


def _measured(
    chain: Chain, measure: Measure, link: Link, store: ChainStore | None
) -> list[Any] | None:
    kept: list[Any] | None = None if store is None else store.load_result()
    if kept is not None:
        link.report({"sweeps": chain.n_sweeps, "n_sweeps": chain.n_sweeps})
        return kept
    draws = _run(chain, link, store)
    if len(draws["cdll"]) < chain.n_draws:
        return None
    # The same from a file and without one.
    result = plain(measure(draws), "what the measure returned")
    if store is not None:
        store.save_result(result)
    return [result]


def _run(chain: Chain, link: Link, store: ChainStore | None) -> Piece:
    kept = None if store is None else store.load()
    sampler, pieces = kept if kept is not None else (chain.start(), [])
    n_draws = sum(len(piece["cdll"]) for piece in pieces)
    seconds = float("inf") if store is None else store.seconds
    while True:
        go_on = _report(link, chain, sampler)
        if n_draws >= chain.n_draws or not go_on:
            break
        watch = _Watch(chain, link, sampler.n_sweeps, seconds)
        piece: Any = sampler.run(
            chain.n_draws - n_draws,
            thin=chain.thin,
            burn_in=max(0, chain.n_warmup - sampler.n_sweeps),
            progress=watch,
        )
        n_draws += len(piece["cdll"])
        if n_draws < chain.n_draws and not watch.ended:
            # Ctrl-C, which the sampler answers by returning what it has, maybe amid a draw.
            raise KeyboardInterrupt
        pieces.append(piece)
        if store is not None:
            store.save(sampler, piece, n_draws)
    if len(pieces) == 1:
        return pieces[0]
    none: Any = sampler.run(0)
    return {key: np.concatenate([none[key], *(piece[key] for piece in pieces)]) for key in none}


def _report(link: Link, chain: Chain, sampler: Sampler) -> bool:
    return link.report({"sweeps": sampler.n_sweeps, "n_sweeps": chain.n_sweeps})


class _Watch:
    """A `progress` that passes on how far a run is, and ends it for a stop or a checkpoint."""

    def __init__(self, chain: Chain, link: Link, n_before: int, seconds: float) -> None:
        self._chain = chain
        self._link = link
        self._n_before = n_before
        self._end = time.monotonic() + seconds
        self.ended = False

    def __call__(self, now: dict[str, Any]) -> bool:
        whole = {"sweeps": self._n_before + now["sweeps"], "n_sweeps": self._chain.n_sweeps}
        go_on = self._link.report(now | whole) and time.monotonic() < self._end
        self.ended = not go_on
        return go_on
