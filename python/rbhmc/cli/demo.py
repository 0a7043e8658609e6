"""The command `demo`: a first run, on a table that comes with the library."""

import hashlib
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from rbhmc._files import write_atomically
from rbhmc.cli import examples
from rbhmc.cli.columns import Roles
from rbhmc.cli.errors import UserError
from rbhmc.cli.fitting import finish_run, start_run
from rbhmc.cli.messages import note
from rbhmc.cli.result_tables import csv_text
from rbhmc.cli.run_folder import CONFIG, Run, check_free
from rbhmc.cli.settings import settings_of
from rbhmc.cli.tables import read_table

DATA = "data.csv"


def demo(
    name: Annotated[Literal["animals", "digits"], Argument(help="Which table.")] = "animals",
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="FOLDER", help="The run folder; runs/NAME where absent."),
    ] = None,
    no_progress: Annotated[bool, Option("--no-progress", help="Show no bars.")] = False,
) -> None:
    """Fit a table that comes along: 33 animals, or 200 handwritten digits.

    Example:

      rbhmc demo digits
    """
    example = examples.animals() if name == "animals" else examples.digits()
    folder = output or Path("runs") / name
    settings = settings_of(example.options)
    rows = zip(example.names, example.classes, *example.values.T.tolist(), strict=True)
    data = csv_text(["name", "class", *example.features], rows).encode()
    file, roles = folder / DATA, Roles("name", "class")
    if (folder / CONFIG).exists():
        # A second call finds the run finished, or goes on with it.
        run = _same_run(folder, data, settings)
        table = read_table(file, roles)
    else:
        check_free(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(file, data)
        table = read_table(file, roles)
        run = start_run(folder, file, table, settings, image_shape=example.image_shape)
    note(f"The table is {file}.")
    # One chain a core: the result is the same, and nobody likes to wait for a demonstration.
    finish_run(run, table, n_jobs=-1, progress=not no_progress)


def _same_run(folder: Path, data: bytes, settings: dict[str, Any]) -> Run:
    run = Run.open(folder)
    same_data = run.config["data"]["sha256"] == hashlib.sha256(data).hexdigest()
    if not (same_data and run.settings == settings and (folder / DATA).exists()):
        raise UserError(
            f"{folder} holds another run than this demonstration",
            "Choose another folder with -o.",
        )
    return run
