"""The command `fit`: a table becomes a run folder, or a run goes on."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from rbhmc.cli import options
from rbhmc.cli.columns import Roles
from rbhmc.cli.data_file import read_again
from rbhmc.cli.fitting import finish_run, more_draws, start_run, tell_if_complete
from rbhmc.cli.options import (
    MODEL,
    RUN,
    SAMPLING,
    Components,
    Drop,
    IdColumn,
    Levels,
    NoProgress,
    Scale,
)
from rbhmc.cli.run_folder import Run, check_free
from rbhmc.cli.settings import (
    DEFAULTS,
    SEED,
    base_cov_of,
    length_of,
    noise_cov_of,
    settings_of,
)
from rbhmc.cli.tables import read_table
from rbhmc.posterior.selection import Criterion
from rbhmc.sampling.init import Init

# What may be said with --resume.
WITH_RESUME = {"resume", "moved", "draws", "jobs", "no_progress"}


def fit(
    context: typer.Context,
    data: Annotated[
        Path | None,
        Argument(
            metavar="DATA", help="The table: .csv, .tsv, .parquet or .npy.", show_default=False
        ),
    ] = None,
    id_column: IdColumn = None,
    class_column: Annotated[
        str | None, options.class_column("no feature; the tree is measured against it.")
    ] = None,
    drop: Drop = None,
    n_pca: Components = DEFAULTS["n_pca"],
    scale: Scale = DEFAULTS["scale"],
    levels: Levels = DEFAULTS["n_levels"],
    C: Annotated[
        float,
        Option(
            "--C",
            metavar="X",
            help="Weight of the max-margin loss; 0 for none.",
            rich_help_panel=MODEL,
        ),
    ] = DEFAULTS["C"],
    margin: Annotated[
        float, Option(metavar="X", help="Margin between siblings.", rich_help_panel=MODEL)
    ] = DEFAULTS["margin"],
    alpha: Annotated[Any, options.concentration("tree")] = str(DEFAULTS["alpha"]),
    gamma: Annotated[Any, options.concentration("nodes' weights")] = str(DEFAULTS["gamma"]),
    gamma0: Annotated[Any, options.concentration("root's weights")] = str(DEFAULTS["gamma0"]),
    noise_cov: Annotated[
        Any,
        Option(
            parser=noise_cov_of,
            metavar="X|learn",
            help="Variance of items in a component; learn, or learn-diagonal for each column.",
            rich_help_panel=MODEL,
        ),
    ] = str(DEFAULTS["noise_cov"]),
    base_cov: Annotated[
        Any,
        Option(
            parser=base_cov_of,
            metavar="X|learn|data",
            help="Variance of components' means; learn, learn-diagonal, or data for the columns'.",
            rich_help_panel=MODEL,
        ),
    ] = str(DEFAULTS["base_cov"]),
    scheme: Annotated[
        str, Option(metavar="NAME", help="collapsed, exact or paper.", rich_help_panel=MODEL)
    ] = DEFAULTS["scheme"],
    init: Annotated[
        Init, Option(help="The tree that chains start at.", rich_help_panel=SAMPLING)
    ] = DEFAULTS["init"],
    select: Annotated[
        Criterion, Option(help="Which draw is presented.", rich_help_panel=MODEL)
    ] = DEFAULTS["select"],
    chains: Annotated[
        int,
        Option(
            min=1, metavar="N", help="Chains, each from its own seed.", rich_help_panel=SAMPLING
        ),
    ] = DEFAULTS["n_chains"],
    warmup: Annotated[
        Any,
        Option(
            parser=length_of,
            metavar="N|auto",
            help="Sweeps before the first draw.",
            rich_help_panel=SAMPLING,
        ),
    ] = DEFAULTS["n_warmup"],
    draws: Annotated[
        int,
        Option(min=1, metavar="N", help="Draws of each chain, in all.", rich_help_panel=SAMPLING),
    ] = DEFAULTS["n_draws"],
    thin: Annotated[
        Any,
        Option(
            parser=length_of,
            metavar="N|auto",
            help="Sweeps a draw; auto by the number of items.",
            rich_help_panel=SAMPLING,
        ),
    ] = DEFAULTS["thin"],
    seed: Annotated[int, options.seed("trees, to the bit")] = SEED,
    jobs: Annotated[
        int | None,
        Option(metavar="N", help="Chains at once; -1 for one a core.", rich_help_panel=SAMPLING),
    ] = DEFAULTS["n_jobs"],
    output: Annotated[
        Path | None, options.output("The run folder; runs/ and the table's name where absent.")
    ] = None,
    resume: Annotated[
        Path | None,
        Option(
            metavar="RUN",
            help="Go on with a run: an interrupted one, or with --draws a finished one.",
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
) -> None:
    """Find the hierarchy of the items in a table.

    Writes a run folder with the tree, the place of each item, all draws and a
    report. Ctrl-C keeps the draws that are complete; --resume goes on.

    Example:

      rbhmc fit animals.csv --class-column class -o runs/animals
    """
    given = _given(context)
    if resume is not None:
        wrong = sorted(given - WITH_RESUME)
        if wrong:
            raise typer.BadParameter(
                f"{_option(wrong[0])} cannot be given with it: data and settings are those that "
                "the run was started with (the file's new place is given by --data)",
                param_hint="--resume",
            )
        run = Run.open(resume)
        table = read_again(run, moved)
        more_draws(run, draws if "draws" in given else None)
        tell_if_complete(run)
    else:
        if data is None:
            raise typer.BadParameter("give a table, or --resume and a run", param_hint="DATA")
        if moved is not None:
            raise typer.BadParameter("is for --resume only", param_hint="--data")
        folder = output or Path("runs") / data.stem
        check_free(folder)
        table = read_table(data, Roles(id_column, class_column, tuple(drop or ())))
        # All options by their names, of which those that are settings are taken.
        run = start_run(folder, data, table, settings_of(context.params))
    finish_run(run, table, n_jobs=jobs, progress=not no_progress)


def _given(context: typer.Context) -> set[str]:
    """Return the parameters that the user gave, and did not leave at their defaults."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}


def _option(parameter: str) -> str:
    return "DATA" if parameter == "data" else f"--{parameter.replace('_', '-')}"
