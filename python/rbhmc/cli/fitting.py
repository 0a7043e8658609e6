"""A run from its start, or from where it was left, to its results: what `fit` and `demo` share."""

from pathlib import Path
from typing import Any

import typer

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc.cli.data_file import record_of
from rbhmc.cli.errors import INTERRUPTED, UserError
from rbhmc.cli.messages import command, counted, note
from rbhmc.cli.model import sample
from rbhmc.cli.presented import advise, present
from rbhmc.cli.results import write_results
from rbhmc.cli.run_folder import Run
from rbhmc.cli.tables import Table
from rbhmc.sampling.run_length import count_sweeps

# What is written in the end: better to know in the beginning that it can be.
NEEDED = ("pandas", "zarr", "arviz_stats")


def start_run(folder: Path, data: Path, table: Table, settings: dict[str, Any], **more: Any) -> Run:
    """Make the folder of a new run; `more` is added to the record of its data."""
    return Run.create(folder, record_of(data, folder, table) | more, settings)


def finish_run(run: Run, table: Table, *, n_jobs: int | None, progress: bool) -> None:
    """Sample what is left, write the results and present them.

    Ctrl-C ends it with what is there, and the exit code 130.
    """
    for module in NEEDED:
        require(module, "cli")
    _announce(run, table)
    try:
        sampled = sample(run, table.frame, n_jobs=n_jobs, progress=progress)
        write_results(run, sampled.model, table, sampled.chains)
    except InvalidInput:
        # Settings that cannot be used: without them there is no run.
        run.discard()
        raise
    except KeyboardInterrupt as interrupt:
        note(f"Interrupted: {_why(interrupt)}. Go on with:")
        note(f"  {command('fit', '--resume', run.path)}")
        raise typer.Exit(INTERRUPTED) from None
    present(run, sampled.model.tree_)
    if not sampled.complete:
        n_draws, settings = sampled.model.draws_.n_draws, run.settings
        note(
            f"Interrupted: kept {n_draws:,} of {settings['n_draws']:,} draws of "
            f"{len(sampled.chains)} of {counted(settings['n_chains'], 'chain')}; all files are of "
            "these. Go on with:"
        )
        note(f"  {command('fit', '--resume', run.path)}")
        raise typer.Exit(INTERRUPTED)
    advise(run)


def _why(interrupt: KeyboardInterrupt) -> str:
    text = str(interrupt).removeprefix("interrupted ")
    return text or "what the checkpoints of the run hold is kept"


def _announce(run: Run, table: Table) -> None:
    for text in table.notes:
        note(text)
    settings = run.settings
    n_warmup, thin = count_sweeps(settings["n_warmup"], settings["thin"], len(table.frame))
    sweeps = n_warmup + settings["n_draws"] * thin
    note(
        f"{counted(len(table.frame), 'item')} x {counted(len(table.frame.columns), 'feature')}; "
        f"{counted(settings['n_chains'], 'chain')} of {sweeps:,} sweeps each, into {run.path}"
    )


def more_draws(run: Run, n_draws: int | None) -> None:
    """Ask a run for more draws than before, if any number is given."""
    before = int(run.settings["n_draws"])
    if n_draws is None:
        return
    if n_draws < before:
        raise UserError(
            f"the run in {run.path} was asked for {before:,} draws a chain already, and --draws "
            f"is how many there are to be in all",
            f"Give {before:,} or more.",
        )
    run.settings["n_draws"] = n_draws
    run.save()


def tell_if_complete(run: Run) -> None:
    """Say that a run has all its draws, if so, and how it gets more."""
    result, settings = run.config["result"], run.settings
    if result is None or len(result["chains"]) < settings["n_chains"]:
        return
    if result["n_draws"] == settings["n_draws"]:
        note(
            f"The run has all its {settings['n_draws']:,} draws a chain; --draws asks for more. "
            "Its files are written again."
        )
