"""Many chains through joblib, with progress, and a Ctrl-C that keeps what is done."""

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
from typing import Any

import joblib

from rbhmc._core import InvalidInput
from rbhmc.sampling.chain import Chain, run_chain
from rbhmc.sampling.display import make_display
from rbhmc.sampling.errors import ChainError
from rbhmc.sampling.folder import RunFolder
from rbhmc.sampling.hub import Hub
from rbhmc.sampling.link import Link


def run_chains(
    chains: Sequence[Chain],
    *,
    n_jobs: int | None = None,
    folder: RunFolder | None = None,
    progress: bool = True,
) -> list[Any]:
    """Run chains, and return the draws of each as `Sampler.run` gives them.

    joblib decides where: in threads, unless a backend is chosen outside by
    ``joblib.parallel_config``. The draws of a chain depend on the chain alone.

    Parameters
    ----------
    chains : sequence of Chain
    n_jobs : int, optional
        Chains at once.
    folder : RunFolder, optional
        Where checkpoints go, and where chains that it holds are gone on with.
    progress : bool
        Whether to show bars, where somebody looks.

    Returns
    -------
    list of dict of arrays
        In the order of the chains. After Ctrl-C they hold the draws that were complete then, which
        may be none; a second Ctrl-C raises KeyboardInterrupt. For a chain with a `measure`, a list
        with what that returned, None if it was stopped.

    Raises
    ------
    ChainError
        If a chain fails, or its worker dies; it is named.

    Examples
    --------
    >>> import numpy as np
    >>> from rbhmc.sampling import Chain, run_chains
    >>> chains = [Chain(np.eye(4), seed=seed, n_warmup=10, n_draws=20) for seed in (0, 1)]
    >>> [len(draws["cdll"]) for draws in run_chains(chains, n_jobs=2)]
    [20, 20]
    """
    # The bars of fits within a fit would overwrite each other.
    nested = joblib.parallel.get_active_backend()[0].nesting_level
    display = make_display(len(chains), progress and not nested)
    hub = Hub(display.show)
    with nullcontext() if folder is None else folder.held():
        try:
            with _interruptible(hub):
                return list(
                    joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
                        joblib.delayed(run_chain)(
                            chain,
                            Link(number, hub),
                            None if folder is None else folder.chain(number),
                        )
                        for number, chain in enumerate(chains)
                    )
                )
        except InvalidInput:
            raise
        except Exception as error:
            if hub.stopped.is_set():
                # Workers that Ctrl-C ended before they could listen.
                raise KeyboardInterrupt from None
            raise _explained(error, hub, folder) from error
        finally:
            hub.close()
            display.close()


def _explained(error: Exception, hub: Hub, folder: RunFolder | None) -> ChainError:
    kept = "" if folder is None else f" ({folder.path} keeps what was done, to be resumed)"
    if isinstance(error, ChainError):
        return ChainError(f"{error}{kept}")
    who = f"the worker of chain {hub.lost[0]}" if hub.lost else "a worker"
    return ChainError(f"{who} died{kept}: {type(error).__name__}: {error}")


@contextmanager
def _interruptible(hub: Hub) -> Iterator[None]:
    """Let a first Ctrl-C stop the chains, and a second one raise KeyboardInterrupt."""
    before = signal.getsignal(signal.SIGINT)
    in_charge = (
        threading.current_thread() is threading.main_thread()
        and before is signal.default_int_handler
    )
    if not in_charge:
        yield
        return
    aborted = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal aborted
        if hub.stopped.is_set():
            aborted = True
            signal.default_int_handler(number, frame)
        hub.stop()
        with suppress(OSError, RuntimeError):
            print("stopping after the draws under way; Ctrl-C again to abort", file=sys.stderr)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
        if aborted:
            # A sampler in this thread answered the second Ctrl-C by returning what it had.
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, before)
