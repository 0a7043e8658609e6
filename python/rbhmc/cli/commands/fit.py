"""The command `fit`: fits a table, or continues a run."""

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from sklearn.exceptions import ConvergenceWarning
from typer import Argument, Option

from rbhmc._core import InvalidInput
from rbhmc._extras import require
from rbhmc._text import pluralize
from rbhmc.cli.console import INTERRUPTED, UserError, format_command, print_note, print_result
from rbhmc.cli.options import (
    RUN,
    SETTINGS,
    ClassColumn,
    Drop,
    IdColumn,
    NoProgress,
    fit_settings,
    given_options,
    option_name,
    with_settings,
)
from rbhmc.cli.results import print_advice, print_columns, print_results, write_results
from rbhmc.cli.run import Run, check_free
from rbhmc.cli.table import Roles, Table, read_table
from rbhmc.estimator import RBHMC
from rbhmc.posterior import StructureWarning
from rbhmc.sampling import Terminated
from rbhmc.sampling.run_length import count_chains

# Options that --resume allows.
WITH_RESUME = {"resume", "moved", "n_draws", "n_jobs", "no_progress"}

# Packages that the results need: a run should not fail for them at its end.
REQUIRED = ("pandas", "arviz_stats")


@with_settings(*SETTINGS)
def fit(
    context: typer.Context,
    data: Annotated[
        Path | None,
        Argument(
            metavar="DATA",
            help="The table: .csv, .tsv, .txt, .parquet, .feather, .xlsx or .npy.",
            show_default=False,
        ),
    ] = None,
    id_column: IdColumn = None,
    class_column: ClassColumn = None,
    drop: Drop = None,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Run folder to write; by default runs/ and the name of the table.",
            rich_help_panel=RUN,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        Option(
            metavar="RUN",
            help="Continue a run: one that was interrupted, or with --n-draws a finished one.",
            rich_help_panel=RUN,
        ),
    ] = None,
    moved: Annotated[
        Path | None,
        Option(
            "--data",
            metavar="FILE",
            help="With --resume: where the data file is now.",
            rich_help_panel=RUN,
        ),
    ] = None,
    no_progress: NoProgress = False,
    **settings: Any,
) -> None:
    """Find the hierarchy of the items in a table.

    Writes a run folder with the tree, the node of each item and a report.
    Ctrl-C keeps the draws so far; --resume continues.

    Example:

      rbhmc fit animals.csv --class-column class -o runs/animals
    """
    given = given_options(context)
    if resume is not None:
        wrong = sorted(given.keys() - WITH_RESUME)
        if wrong:
            name = "DATA" if wrong[0] == "data" else option_name(wrong[0])
            raise typer.BadParameter(
                f"{name} cannot be given with it: a run keeps its data and settings (give --data "
                "if the data file was moved)",
                param_hint="--resume",
            )
        run = Run.open(resume)
        table = run.read_table(moved)
        _ask_for_draws(run, len(table.frame), given.get("n_draws"))
    else:
        if data is None:
            raise typer.BadParameter("give a table, or --resume and a run", param_hint="DATA")
        if moved is not None:
            raise typer.BadParameter("is for --resume only", param_hint="--data")
        # Of a name such as "...csv" the stem would be "..", the folder above.
        folder = output or Path("runs") / (data.stem.strip(".") or data.name.strip("."))
        check_free(folder)
        table = read_table(data, Roles(id_column, class_column, tuple(drop or ())))
        run = Run.create(folder, data, table, fit_settings(settings))
    finish_run(run, table, n_jobs=settings["n_jobs"], progress=not no_progress)


def _ask_for_draws(run: Run, n_items: int, n_draws: int | None) -> None:
    """Ask a run for more draws, or say that it is complete."""
    result, settings = run.config["result"], run.settings
    before = int(settings["n_draws"])
    if n_draws is not None and n_draws < before:
        raise UserError(
            f"--n-draws is {n_draws:,}, and the run in {run.path} was already asked for {before:,} "
            "draws per chain",
            f"--n-draws is the total per chain: give {before:,} or more.",
        )
    if n_draws is not None and n_draws > before:
        settings["n_draws"] = n_draws
        run.save()
    done = result is not None and (len(result["chains"]), result["n_draws"])
    if done == (count_chains(settings["n_chains"], n_items), settings["n_draws"]):
        print_note(
            f"The run is complete, with {before:,} draws per chain; --n-draws asks for more. "
            "The results are written again."
        )


def finish_run(run: Run, table: Table, *, n_jobs: int | None, progress: bool) -> None:
    """Sample what a run still lacks, write the results and print them.

    Ctrl-C ends sampling with the draws so far, and the exit code is 130. SIGTERM and SIGHUP save
    the chains and end the command at once, with 143 and 129.
    """
    for module in REQUIRED:
        require(module, "cli")
    print_columns(table)
    settings = run.settings
    try:
        asked_chains = count_chains(settings["n_chains"], len(table.frame))
        n_sweeps = settings["n_warmup"] + settings["n_draws"] * settings["thin"]
        print_note(
            f"{pluralize(len(table.frame), 'item')} x "
            f"{pluralize(len(table.features), 'feature')}; "
            f"{pluralize(asked_chains, 'chain')} of {n_sweeps:,} sweeps, into {run.path}"
        )
        model = RBHMC(**settings, n_jobs=n_jobs)
        with warnings.catch_warnings():
            # The verdict, which is printed, says the same.
            warnings.simplefilter("ignore", StructureWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(table.frame, checkpoint_dir=run.checkpoints, resume=True, progress=progress)
        if not run.path.is_dir():
            print_result(model.summary())
            raise UserError(f"{run.path} has disappeared: nothing was saved but what is printed")
        write_results(run, model, table)
    except InvalidInput:
        run.discard()
        raise
    except KeyboardInterrupt as interrupt:
        kept = str(interrupt).removeprefix("interrupted ")
        print_note(f"Interrupted: {kept or 'the checkpoints of the run are kept'}. Continue with:")
        print_note(f"  {format_command('fit', '--resume', run.path)}")
        raise typer.Exit(INTERRUPTED) from None
    except Terminated as ended:
        print_note("Ended by a signal: the chains are saved. Continue with:")
        print_note(f"  {format_command('fit', '--resume', run.path)}")
        raise typer.Exit(int(str(ended.code))) from None
    print_results(run, model)
    n_chains, n_draws = model.draws_.n_chains, model.draws_.n_draws
    if (n_chains, n_draws) != (asked_chains, settings["n_draws"]):
        print_note(
            f"Interrupted: kept {n_draws:,} of {settings['n_draws']:,} draws of {n_chains} of "
            f"{pluralize(asked_chains, 'chain')}; the results are from these. "
            "Continue with:"
        )
        print_note(f"  {format_command('fit', '--resume', run.path)}")
        raise typer.Exit(INTERRUPTED)
    print_advice(run, model)
