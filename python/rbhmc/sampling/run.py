"""Run chains with joblib: in threads, processes or on a cluster; Ctrl-C keeps complete draws."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from os import PathLike
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import joblib
import numpy as np

from rbhmc._core import InvalidInput
from rbhmc._warnings import warn
from rbhmc.sampling.chain import Chain, ChainError, run_chain
from rbhmc.sampling.chain_store import DrawChunk
from rbhmc.sampling.monitor import Monitor, Reporter
from rbhmc.sampling.progress import make_display
from rbhmc.sampling.provenance import seeds_from, to_json
from rbhmc.sampling.run_folder import RunFolder


class Terminated(SystemExit):
    """SIGTERM or SIGHUP ended a run after its draws were saved.

    The exit code is the one of a shell: 128 and the number of the signal.
    """


class SampledRun(NamedTuple):
    """The results of all chains, as `run_chains` returns them, and the inputs of the run.

    `inputs` includes ``"seeds"``.
    """

    results: list[Any]
    inputs: dict[str, Any]


def sample(
    make_chains: Callable[[list[int]], Sequence[Chain]],
    inputs: Mapping[str, Any],
    *,
    n_seeds: int,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    checkpoint_dir: str | PathLike[str] | None = None,
    resume: bool = False,
    progress: bool = True,
) -> SampledRun:
    """Start or resume a run: draw its seeds, check all settings, record the inputs, run the chains.

    Parameters
    ----------
    make_chains : callable
        Takes the seeds and returns the chains.
    inputs : mapping
        Everything that determines the draws except the seeds, for the record of the run.
    n_seeds : int
        How many seeds `make_chains` takes.
    random_state : int, RandomState or None
        Source of the seeds. With None, a resumed run keeps its own.
    n_jobs, progress
        As in `run_chains`.
    checkpoint_dir : path, optional
        The run folder; None for a run that is not kept.
    resume : bool
        Whether to continue the run that `checkpoint_dir` holds. If it holds none, a run is started.

    Raises
    ------
    InvalidInput
        If a setting is not valid, or the run in the folder has other inputs. Nothing is written.

    Examples
    --------
    >>> import numpy as np
    >>> run = sample(
    ...     lambda seeds: [Chain(np.eye(4), seed=seed, n_draws=20) for seed in seeds],
    ...     {"table": "identity"},
    ...     n_seeds=2,
    ...     random_state=0,
    ... )
    >>> len(run.results), len(run.inputs["seeds"])
    (2, 2)
    """
    folder = None if checkpoint_dir is None else RunFolder.open(Path(checkpoint_dir))
    if checkpoint_dir is None and resume:
        raise InvalidInput("resume is True, but checkpoint_dir is None; give the run folder")
    if folder is not None and not resume:
        raise InvalidInput(
            f"{checkpoint_dir} already holds a run; pass resume=True to continue it, or give "
            "another folder"
        )
    if folder is not None and random_state is None:
        seeds = folder.inputs["seeds"]
    else:
        seeds = seeds_from(random_state, n_seeds)
    recorded = {**inputs, "seeds": seeds}
    if folder is not None:
        folder.check_inputs(to_json(recorded))
    chains = make_chains(seeds)
    # Chains with the same settings share one dict.
    for chain in {id(chain.settings): chain for chain in chains}.values():
        chain.check()
    recorded = to_json(recorded)
    n_draws = chains[0].n_draws
    if folder is not None:
        folder.extend_to(n_draws)
    elif checkpoint_dir is not None:
        folder = RunFolder.create(Path(checkpoint_dir), recorded, n_draws)
    return SampledRun(run_chains(chains, n_jobs=n_jobs, folder=folder, progress=progress), recorded)


def run_chains(
    chains: Sequence[Chain],
    *,
    n_jobs: int | None = None,
    folder: RunFolder | None = None,
    progress: bool = True,
) -> list[Any]:
    """Run chains, and return the draws of each as `Sampler.run` does.

    joblib runs the chains in threads, or with the backend that ``joblib.parallel_config`` selects.
    The draws of a chain depend on the chain alone.

    Parameters
    ----------
    chains : sequence of Chain
    n_jobs : int, optional
        How many chains run at the same time. None is one for each core, or as many as
        ``joblib.parallel_config`` says; inside a worker of joblib it is one.
    folder : RunFolder, optional
        Where checkpoints are saved; chains in it continue from there.
    progress : bool
        Whether to show progress bars on a terminal.

    Returns
    -------
    list of dict of arrays
        In the order of the chains. After Ctrl-C they hold the draws that are complete, perhaps
        none; a second Ctrl-C raises KeyboardInterrupt. For a chain with a `measure`, a list with
        its value alone, or None if the chain was stopped.

    Raises
    ------
    ChainError
        If a chain fails or a worker process dies.
    Terminated
        If SIGTERM or SIGHUP ends a run with a folder, after the chains were saved.

    Warns
    -----
    RuntimeWarning
        If the folder disappeared while the chains ran, so that nothing was saved.

    Examples
    --------
    >>> import numpy as np
    >>> from rbhmc.sampling import Chain, run_chains
    >>> chains = [Chain(np.eye(4), seed=seed, n_warmup=10, n_draws=20) for seed in (0, 1)]
    >>> [len(draws["cdll"]) for draws in run_chains(chains, n_jobs=2)]
    [20, 20]
    """
    is_whole = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (is_whole and n_jobs):
        raise InvalidInput(
            f"n_jobs is {n_jobs!r}; it must be 1 or more (a whole number), -1 for all cores, or "
            "None"
        )
    backend, n_configured = joblib.parallel.get_active_backend()
    nested = bool(backend.nesting_level)
    if n_jobs is None and not nested:
        # Threads that are only preferred would let joblib forget what is configured.
        n_jobs = -1 if n_configured is None else n_configured
    # The bars of a fit inside another fit would overwrite each other.
    display = make_display(len(chains), progress and not nested)
    monitor = Monitor(display.show, None if folder is None else folder.path)
    # A chain computes on several cores if each chain that runs has at least two.
    threads, _ = joblib.parallel.get_active_backend(prefer="threads")
    n_running = min(len(chains), threads.effective_n_jobs(n_jobs))
    parallel = 2 * n_running <= joblib.cpu_count()
    with nullcontext() if folder is None else folder.locked():
        stores = [None if folder is None else folder.store(n) for n in range(len(chains))]
        try:
            with _stop_on_signals(monitor, is_saved=folder is not None):
                results = list(
                    joblib.Parallel(n_jobs=n_jobs, prefer="threads")(
                        joblib.delayed(run_chain)(
                            chain, Reporter(number, monitor), store, parallel=parallel
                        )
                        for number, (chain, store) in enumerate(zip(chains, stores, strict=True))
                    )
                )
                if folder is not None and not folder.exists():
                    warn(
                        f"{folder.path} has disappeared while the chains ran: nothing was saved, "
                        "and the draws are in memory only",
                        RuntimeWarning,
                    )
                return results
        except InvalidInput:
            raise
        except Exception as error:
            if monitor.stopped.is_set():
                # A worker died of Ctrl-C before it ignored the signal.
                raise KeyboardInterrupt from None
            raise _as_chain_error(error, monitor, folder) from error
        finally:
            monitor.close()
            display.close()


def truncate_to_common_length(chunks: Sequence[DrawChunk], n_draws: int) -> dict[int, DrawChunk]:
    """Truncate the chains of an interrupted run to one length, with a warning.

    Chains of unequal length cannot be compared or stored together. Among all ways to choose some
    chains and truncate them to the shortest of these, the result keeps the most draws. Chains that
    are complete are returned as they are.

    Returns
    -------
    dict of int to dict of arrays
        The chains that are kept, by number.

    Raises
    ------
    KeyboardInterrupt
        If no chain has a draw.

    Examples
    --------
    >>> import numpy as np
    >>> chunks = [{"cdll": np.zeros(3)}, {"cdll": np.zeros(3)}]
    >>> truncate_to_common_length(chunks, 3)[0]["cdll"].shape
    (3,)
    """
    lengths = [len(chunk["cdll"]) for chunk in chunks]
    if min(lengths) == n_draws:
        return dict(enumerate(chunks))
    longest_first = sorted(lengths, reverse=True)
    kept = max(longest_first, key=lambda length: length * sum(n >= length for n in lengths))
    if kept == 0:
        raise KeyboardInterrupt("interrupted before the first draw of any chain")
    chosen = [number for number, length in enumerate(lengths) if length >= kept]
    warn(
        f"interrupted: chains {_join(range(len(lengths)))} had {_join(lengths)} of {n_draws} "
        f"draws; the model is fitted on {kept} draws of each of "
        f"{len(chosen)} chains ({_join(chosen)})",
        RuntimeWarning,
    )
    return {n: {key: values[:kept] for key, values in chunks[n].items()} for n in chosen}


def _join(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)


def _as_chain_error(error: Exception, monitor: Monitor, folder: RunFolder | None) -> ChainError:
    kept = "" if folder is None else f" ({folder.path} keeps the draws so far; resume the run)"
    if isinstance(error, ChainError):
        return ChainError(f"{error}{kept}")
    running = monitor.running
    during = f" while chains {_join(running)} were running" if running else ""
    return ChainError(f"a worker died{during}{kept}: {type(error).__name__}: {error}")


@contextmanager
def _stop_on_signals(monitor: Monitor, *, is_saved: bool) -> Iterator[None]:
    """Let a first signal stop the chains, and a second one end everything at once.

    Ctrl-C then returns the draws so far. SIGTERM and SIGHUP end the process, by `Terminated`; they
    are left alone if nothing `is_saved`, or if the program handles or ignores them itself.
    """
    defaults: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
    if is_saved:
        # Windows sends SIGBREAK if the window of a console is closed.
        names = {"SIGTERM", "SIGHUP", "SIGBREAK"} & signal.Signals.__members__.keys()
        defaults |= {signal.Signals[name]: signal.SIG_DFL for name in names}
    if threading.current_thread() is not threading.main_thread():
        defaults = {}
    ours = {n: default for n, default in defaults.items() if signal.getsignal(n) is default}
    received: list[int] = []

    def end() -> None:
        """Raise what the last signal asks for."""
        if received[-1] == signal.SIGINT:
            raise KeyboardInterrupt
        raise Terminated(128 + received[-1])

    def stop(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            end()
        monitor.stop()
        with suppress(OSError, RuntimeError):
            print("stopping after the draws in progress; Ctrl-C again to abort", file=sys.stderr)

    for number in ours:
        signal.signal(number, stop)
    try:
        yield
    except Exception:
        # A worker may have died of a signal that its whole group got.
        if received and received[-1] != signal.SIGINT:
            end()
        raise
    else:
        # A sampler in this thread answers a second Ctrl-C by returning its draws so far.
        if len(received) > 1 or (received and received[-1] != signal.SIGINT):
            end()
    finally:
        for number, default in ours.items():
            signal.signal(number, default)
