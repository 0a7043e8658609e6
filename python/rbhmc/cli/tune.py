"""The command `tune`: which C and margin suit a table, without labels."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from rbhmc._extras import require
from rbhmc.cli import options
from rbhmc.cli.columns import Roles
from rbhmc.cli.messages import answer, command, note
from rbhmc.cli.options import (
    MODEL,
    SAMPLING,
    Components,
    Drop,
    IdColumn,
    Levels,
    NoProgress,
    Scale,
)
from rbhmc.cli.settings import DEFAULTS, SEED, defaults_of
from rbhmc.cli.tables import read_table
from rbhmc.estimator import RBHMC
from rbhmc.tuning import tune as search

SEARCH = defaults_of(search)
STRENGTHS, MARGINS = list(SEARCH["C"]), list(SEARCH["margin"])
FIGURE = "tuning.png"


def tune(
    data: Annotated[Path, Argument(metavar="DATA", help="The table, as for fit.")],
    C: Annotated[
        list[float],
        Option(
            "--C",
            metavar="X",
            help="Strength to try; may be repeated.",
            rich_help_panel=MODEL,
        ),
    ] = STRENGTHS,
    margin: Annotated[
        list[float],
        Option(metavar="X", help="Margin to try; may be repeated.", rich_help_panel=MODEL),
    ] = MARGINS,
    id_column: IdColumn = None,
    class_column: Annotated[str | None, options.class_column("they are not looked at.")] = None,
    drop: Drop = None,
    n_pca: Components = DEFAULTS["n_pca"],
    scale: Scale = DEFAULTS["scale"],
    levels: Levels = DEFAULTS["n_levels"],
    folds: Annotated[
        int,
        Option(
            min=3,
            metavar="N",
            help="Folds, and chains for each setting.",
            rich_help_panel=SAMPLING,
        ),
    ] = SEARCH["n_folds"],
    seed: Annotated[int, options.seed("answers")] = SEED,
    jobs: Annotated[
        int,
        Option(metavar="N", help="Chains at once; -1 for one a core.", rich_help_panel=SAMPLING),
    ] = -1,
    output: Annotated[
        Path | None,
        options.output("Keep what is done there, to go on with after Ctrl-C, and the figure."),
    ] = None,
    no_progress: NoProgress = False,
) -> None:
    """Try strengths C and margins on a table, and recommend one.

    No labels are used: settings are judged by how they predict items kept out,
    and by whether other items give the same tree.

    Example:

      rbhmc tune animals.csv --class-column class --n-pca 7
    """
    table = read_table(data, Roles(id_column, class_column, tuple(drop or ())))
    for text in table.notes:
        note(text)
    tuning = search(
        table.frame,
        C=C,
        margin=margin,
        model=RBHMC(n_levels=levels, n_pca=n_pca, scale=scale),
        n_folds=folds,
        random_state=seed,
        n_jobs=jobs,
        checkpoint_dir=output,
        resume=output is not None,
        progress=not no_progress,
    )
    answer(str(tuning))
    if output is not None:
        figure = require("matplotlib.figure", "plots").Figure(
            figsize=(9, 3.6), layout="constrained"
        )
        tuning.plot(figure=figure)
        figure.savefig(output / FIGURE, dpi=130)
        note(f"The figure is {output / FIGURE}.")
    options = [text for key, value in tuning.best.items() for text in (f"--{key}", f"{value:g}")]
    note("Fit with:")
    note(f"  {command('fit', data, *options)}")
