"""The command `tune`: recommends C and margin for a table, without labels."""

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from rbhmc._extras import require
from rbhmc._files import inside, replace_atomically
from rbhmc.cli.console import format_command, print_note, print_result
from rbhmc.cli.options import (
    MODEL,
    RUN,
    SAMPLING,
    SETTINGS,
    TABLE,
    ClassColumn,
    Drop,
    IdColumn,
    NoProgress,
    as_arguments,
    given_options,
    with_settings,
)
from rbhmc.cli.results import print_columns
from rbhmc.cli.table import Roles, read_table
from rbhmc.estimator import RBHMC
from rbhmc.tuning import tune as search

TUNED = ("C", "margin")
SEARCH = {name: each.default for name, each in inspect.signature(search).parameters.items()}
WEIGHTS, MARGINS = list(SEARCH["C"]), list(SEARCH["margin"])
FIGURE = "tuning.png"

# Settings of the model that the search keeps; it selects trees and runs chains in its own way.
FIXED = [
    name
    for name, setting in SETTINGS.items()
    if setting.panel in (TABLE, MODEL) and name not in (*TUNED, "select")
]


@with_settings(*FIXED, "random_state", n_jobs=-1)
def tune(
    context: typer.Context,
    data: Annotated[Path, Argument(metavar="DATA", help="The table, as for fit.")],
    C: Annotated[
        list[float],
        Option(
            "--C",
            metavar="X",
            help="Weight of the max-margin loss to try; may be repeated.",
            rich_help_panel=MODEL,
        ),
    ] = WEIGHTS,
    margin: Annotated[
        list[float],
        Option(metavar="X", help="Margin to try; may be repeated.", rich_help_panel=MODEL),
    ] = MARGINS,
    id_column: IdColumn = None,
    class_column: ClassColumn = None,
    drop: Drop = None,
    n_folds: Annotated[
        int,
        Option(
            min=3,
            metavar="N",
            help="Folds of the items, and chains for each setting.",
            rich_help_panel=SAMPLING,
        ),
    ] = SEARCH["n_folds"],
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Folder for the figure and for checkpoints, from which the same command "
            "continues.",
            rich_help_panel=RUN,
        ),
    ] = None,
    no_progress: NoProgress = False,
    **settings: Any,
) -> None:
    """Try values of C and margin on a table, and recommend one pair.

    No labels are used: a setting is judged by the predictive density of
    held-out items, and by how well the trees of different items agree.

    Example:

      rbhmc tune animals.csv --class-column class --n-pca 7
    """
    table = read_table(data, Roles(id_column, class_column, tuple(drop or ())))
    print_columns(table)
    tuning = search(
        table.frame,
        C=C,
        margin=margin,
        model=RBHMC(**{name: settings[name] for name in FIXED}),
        n_folds=n_folds,
        random_state=settings["random_state"],
        n_jobs=settings["n_jobs"],
        checkpoint_dir=output,
        resume=output is not None,
        progress=not no_progress,
    )
    print_result(str(tuning))
    if output is not None:
        figure = require("matplotlib.figure", "plots").Figure(
            figsize=(9, 3.6), layout="constrained"
        )
        tuning.plot(figure=figure)
        with replace_atomically(inside(output, FIGURE)) as temporary:
            figure.savefig(temporary, dpi=130, format="png")
        print_note(f"The figure is {output / FIGURE}.")
    print_note("Fit with:")
    print_note(f"  {format_command('fit', data, *_fit_arguments(context, tuning.best))}")


def _fit_arguments(context: typer.Context, best: dict[str, float]) -> list[str]:
    """Return the options of a fit: the ones given here, and the recommended C and margin."""
    own = {"data", "n_folds", "n_jobs", "output", "no_progress", *TUNED}
    given = {name: value for name, value in given_options(context).items() if name not in own}
    return as_arguments(given | {name: f"{value:g}" for name, value in best.items()})
